import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generationsOf } from '../../src/fleet/generations.ts';
import { entryOf, timelineOf } from '../../src/fleet/recorder.ts';
import { reconcileHandler } from '../../src/fleet/scope-reconcile.ts';
import type { WorkerContext } from '../../src/fleet/worker-context.ts';
import type { ReconcileEntry } from '../../src/ports/reconciles.ts';
import type { Samples } from '../../src/ports/telemetry.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const everything = [{}];

const none = async (): Promise<readonly never[]> => [];
const noSamples: Samples = {
  ...{ queue: none, openIntents: none, violations: none, outOfSync: none, fights: none, rateLimits: none },
};

const newest = async ({ store }: FleetWorld) => {
  const { reconciles } = await store.reconciles.page({ seen: everything, filter: { estate: 'acme' }, limit: 1 });
  const told = await store.reconciles.find(reconciles[0]?.id ?? '', everything);
  assert.ok(told);
  return told;
};

const reconcileIn = (world: FleetWorld, context: WorkerContext = world.context, everyMs?: number) =>
  world.clock.run(() =>
    reconcileHandler(context, generationsOf(context), everyMs)(where, new AbortController().signal),
  );

describe('the record of a reconcile', () => {
  it('is written down: what it rests on, every call with its rate limits, what was settled, and when the next is due', async () => {
    const world = fleetWorld();
    const generation = await world.accept([network({ internet: false })]);
    await world.store.fleet.requests.ask(where, 'ann: try');
    await reconcileIn(world, world.context, 60_000);
    const { reason, ground, state, ending, timeline } = await newest(world);
    assert.deepEqual([reason, ground.targets, ground.generation, state], ['ann: try', ['here'], generation, 'ended']);
    assert.equal(ending?.outcome, 'done');
    assert.equal(ending?.nextAt, world.clock.now() + 60_000);
    const made = (timeline?.timeline ?? []).find((entry) => entry.what === 'call' && entry.action === 'CreateNetwork');
    assert.ok(made?.what === 'call' && made.mutating && made.lanes.length > 0);
    const settled = (timeline?.timeline ?? []).flatMap((entry) => (entry.what === 'settled' ? [entry.address] : []));
    assert.ok(settled.some((address) => address.startsWith('memory/acme/north/network/')));
    assert.equal(ending?.counts.settled, settled.length);
    const { writes = 0 } = ending?.counts ?? {};
    assert.equal(writes, world.cloud.history.calls.filter(({ mutating }) => mutating).length);
  });

  it('is due again by the criticality of its scope', async () => {
    const world = fleetWorld();
    await world.accept([network({ internet: false, criticality: 'low' })]);
    await reconcileIn(world, world.context, 60_000);
    const { ending } = await newest(world);
    assert.equal(ending?.nextAt, world.clock.now() + 60_000, 'its target is normal');
    await world.clock.advance(1_000);
    await world.accept([network({ internet: false, criticality: 'critical' })]);
    await reconcileIn(world, world.context, 100_000);
    assert.equal((await newest(world)).ending?.nextAt, world.clock.now() + 20_000);
  });

  it('says who was waited for', async () => {
    const world = fleetWorld();
    await world.accept([network({ internet: false })]);
    await world.store.leases.acquire(where.estate, where.scope, 'ops@desk 7');
    await reconcileIn(world);
    const { ending, timeline } = await newest(world);
    assert.equal(ending?.outcome, 'busy');
    assert.equal(ending?.nextAt, ending?.ended);
    const [wait] = timeline?.timeline ?? [];
    assert.deepEqual(wait && { ...wait, at: 0 }, {
      ...{ at: 0, what: 'wait', reason: 'lease', detail: 'held by ops@desk 7', durationMs: 3_000 },
    });
  });

  it('is seen while it runs', async () => {
    const world = fleetWorld();
    await world.accept([network({ internet: false })]);
    const states: string[] = [];
    const { inventory } = world.store;
    const knowledge: typeof inventory.knowledge = async (...asked) => {
      states.push((await newest(world)).state);
      return inventory.knowledge(...asked);
    };
    await reconcileIn(world, { ...world.context, store: { ...world.store, inventory: { ...inventory, knowledge } } });
    assert.equal(states[0], 'running');
    assert.equal((await newest(world)).state, 'ended');
  });

  it('of one that threw says why', async () => {
    const world = fleetWorld();
    await world.accept([network({ internet: false })]);
    const { fleet } = world.store;
    const broken = { ...fleet, approvals: { ...fleet.approvals, active: async () => JSON.parse('{') } };
    await assert.rejects(
      reconcileIn(world, { ...world.context, store: { ...world.store, fleet: broken } }),
      SyntaxError,
    );
    const { ending } = await newest(world);
    assert.equal(ending?.outcome, 'failed');
    assert.match(ending?.why ?? '', /JSON/);
  });
});

describe('a machine that the cloud cannot launch', () => {
  it('is logged and listed, though nothing is sent for it', async () => {
    const world = fleetWorld();
    const lines: string[] = [];
    const log = createLog({ write: (text) => lines.push(text) }, { form: 'json', level: 'info' });
    const { telemetry } = createTelemetry({ log, samples: noSamples, monotonic: () => 0 });
    const machine = machineIn({ image: 'img-mistyped', size: 'small' });
    await world.accept([network({ internet: false }), rule('https'), machine('web')]);
    world.cloud.outside.withdraw('img-mistyped');
    await reconcileIn(world, { ...world.context, telemetry });
    const { id, ending, timeline } = await newest(world);
    const address = `${where.scope}/instance/web-0`;
    const failed = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn');
    assert.deepEqual(
      failed.map((line) => [line.message, line.reconcileId, line.scope, line.address, line.verb, line.code]),
      [['failed', id, where.scope, address, 'create', 'NotOffered']],
    );
    assert.match(failed[0].reason, /^image img-mistyped does not exist/);
    assert.equal(ending?.counts.failed, 1);
    assert.ok(timeline?.timeline.some((entry) => entry.what === 'settled' && entry.address === address));
  });
});

describe('writing down how a reconcile went', () => {
  for (const [how, write] of [
    ['rejects', () => Promise.reject(new Error('disk full'))],
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
    ],
    ['never answers', () => new Promise<never>(() => {})],
  ] as const)
    it(`fails no reconcile where the store ${how}`, async () => {
      const world = fleetWorld();
      await world.accept([network({ internet: false })]);
      const reconciles = { ...world.store.reconciles, begin: write, end: write };
      const context = { ...world.context, store: { ...world.store, reconciles } };
      const before = world.clock.now();
      assert.equal(await reconcileIn(world, context), 'done');
      assert.equal(await reconcileIn(world, context), 'done');
      assert.ok(world.clock.now() - before < 60_000);
    });
});

const read: ReconcileEntry = { at: 5, what: 'call', action: 'List', mutating: false, lanes: ['a'], durationMs: 2 };
const write: ReconcileEntry = { ...read, at: 3, action: 'Make', mutating: true };
const timelineNetwork = { kind: 'network', verb: 'create', address: 'aws/1/eu/network/core' } as const;

describe('the timeline of a reconcile', () => {
  it('counts what was done, and stands in the order in which things began', () => {
    const timeline = timelineOf();
    const settled: ReconcileEntry = { at: 6, what: 'settled', ...timelineNetwork };
    const failed: ReconcileEntry = { ...settled, at: 7, code: 'Denied', why: 'no' };
    const waited: ReconcileEntry = { at: 1, what: 'wait', reason: 'budget', detail: 'Make', durationMs: 4 };
    const withheld: ReconcileEntry = { at: 8, what: 'withheld', code: 'mode', why: 'observed' };
    for (const entry of [read, write, waited, settled, failed, withheld]) timeline.add(entry);
    assert.deepEqual(timeline.account(), {
      counts: { reads: 1, writes: 1, settled: 1, failed: 1, withheld: 1, waitedMs: 4 },
      timeline: [waited, write, read, settled, failed, withheld],
      rest: {},
    });
  });

  it('is bounded, and says how much of what is beyond', () => {
    const timeline = timelineOf({ most: 3, mostQuiet: 1 });
    for (const entry of [write, read, read, read, write, read]) timeline.add(entry);
    const { timeline: kept, rest, counts } = timeline.account();
    assert.deepEqual([kept.length, rest, counts.reads, counts.writes], [3, { call: 3 }, 4, 2]);
  });

  it('is short where nothing was sent', () => {
    const timeline = timelineOf({ most: 3, mostQuiet: 1 });
    for (let i = 0; i < 5; i += 1) timeline.add(read);
    assert.equal(timeline.isQuiet(), true);
    assert.deepEqual(timeline.account().timeline, [read]);
    assert.deepEqual(timeline.account().rest, { call: 4 });
  });
});

describe('a line of it', () => {
  const now = 1_000;

  it('of a call takes what is declared, and when it began', () => {
    const event = {
      ...({
        at: 'called',
        action: 'Make',
        mutating: true,
        lanes: ['a', 'b'],
        durationMs: 30.4,
        requestId: 'q',
      } as const),
      attributes: { secret: 'x' },
    };
    const entry = { what: 'call', at: 970, action: 'Make', mutating: true, lanes: ['a', 'b'], durationMs: 30 };
    assert.deepEqual(entryOf(event, now), { ...entry, requestId: 'q' });
  });

  it('of a batch names the first of many', () => {
    const addresses = Array.from({ length: 25 }, (_, i) => `a${i}`);
    const entry = entryOf({ at: 'acting', kind: 'instance', verb: 'create', addresses }, now);
    assert.ok(entry?.what === 'sent');
    assert.deepEqual([entry.count, entry.addresses.length, entry.addresses[0]], [25, 10, 'a0']);
  });

  it('of a failure is no longer than anybody reads', () => {
    const failure = { kind: 'terminal', code: 'Denied', message: 'x'.repeat(9_000) } as const;
    const entry = entryOf({ at: 'settled', ...timelineNetwork, failure }, now);
    assert.ok(entry?.what === 'settled' && entry.code === 'Denied');
    assert.equal(entry.why?.length, 501);
  });

  it('is none of what is only on its way', () => {
    assert.equal(entryOf({ at: 'waiting', why: 'budget', detail: 'x' }, now), undefined);
    assert.equal(entryOf({ at: 'observing', kind: 'network', seen: 3, complete: false }, now), undefined);
  });
});

const machine = machineIn({ image: 'img-1', size: 'small' });
const labelled = (tier: string) => machine('web', {}, { labels: { tier } });
const estate = [network({ internet: false }), rule('https'), labelled('a')];

/** Somebody writes another label by hand, and the cloud tells of it. */
async function byHand({ cloud, clock, store }: FleetWorld, who: string): Promise<void> {
  const [one] = cloud.inspect.live().filter(({ type }) => type === 'instance');
  const id = one?.id ?? '';
  cloud.outside.do('TagObjects', { ids: [id], tags: { tier: 'by hand' } });
  const actor = { who, action: 'TagObjects', from: '203.0.113.9', agent: 'console' };
  const touch = { scope: where.scope, event: `e-${who}`, at: clock.now(), actor, objects: [id] };
  assert.deepEqual(await store.touches.keep(where.estate, [touch]), [touch]);
}

/** `verb who` of the intents that heal something. */
async function healed({ store }: FleetWorld): Promise<readonly string[]> {
  const named: string[] = [];
  for await (const { type, body } of store.ledger.entries({ estate: where.estate })) {
    // why: any value can be read as an object here
    const { by } = { ...(body['details'] as { readonly by?: { readonly who: string } }) };
    if (type === 'intent' && by !== undefined) named.push(`${body['verb']} ${by.who}`);
  }
  return named;
}

describe('a reconcile that heals what somebody changed', () => {
  it('writes who it was into the ledger, with what it does', async () => {
    const world = fleetWorld();
    await world.accept(estate);
    await world.reconcile();
    assert.deepEqual(await healed(world), []);
    await world.clock.advance(60_000);
    await byHand(world, 'bob');
    assert.equal((await world.reconcile()).outcome, 'done');
    assert.deepEqual(await healed(world), ['update bob']);
  });

  it('names nobody for what comes of a new generation, nor an earlier one for later drift', async () => {
    const world = fleetWorld();
    await world.accept(estate);
    await world.reconcile();
    await world.clock.advance(60_000);
    await byHand(world, 'bob');
    await world.reconcile();
    await world.clock.advance(60_000);
    const [one] = world.cloud.inspect.live().filter(({ type }) => type === 'instance');
    world.cloud.outside.do('TagObjects', { ids: [one?.id ?? ''], tags: { tier: 'unseen' } });
    assert.deepEqual(new Set((await world.reconcile()).writes), new Set(['TagObjects']));
    await world.accept([network({ internet: false }), rule('https'), labelled('b')]);
    assert.equal((await world.reconcile()).outcome, 'done');
    assert.deepEqual(await healed(world), ['update bob']);
  });

  it('names him, too, while a newer generation is held and the former one is healed', async () => {
    const world = fleetWorld();
    await world.accept(estate);
    await world.reconcile();
    await world.accept([network({ internet: false }), rule('https'), labelled('b')]);
    const hold = { what: 'rollout', of: { by: 'estate' }, reason: 'a freeze', person: 'ada' } as const;
    await world.store.fleet.pauses.begin(where.estate, { ...hold, until: world.clock.now() + 3_600_000 });
    await world.clock.advance(60_000);
    await byHand(world, 'eve');
    await world.reconcile();
    assert.deepEqual(await healed(world), ['update eve']);
  });
});
