import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generationsOf } from '../../src/fleet/generations.ts';
import { passHandler } from '../../src/fleet/scope-reconcile.ts';
import type { WorkerContext } from '../../src/fleet/worker-context.ts';
import { network } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const everything = [{}];

const newest = async ({ store }: FleetWorld) => {
  const { passes } = await store.passes.page({ seen: everything, filter: { estate: 'acme' }, limit: 1 });
  const told = await store.passes.find(passes[0]?.id ?? '', everything);
  assert.ok(told);
  return told;
};

const passIn = (world: FleetWorld, yard: WorkerContext = world.yard, everyMs?: number) =>
  world.clock.run(() => passHandler(yard, generationsOf(yard), everyMs)(where, new AbortController().signal));

describe('how a pass went', () => {
  it('is written down: what it rests on, every call with its lanes, what was settled, and when the next is due', async () => {
    const world = fleetWorld();
    const generation = await world.accept([network({ internet: false })]);
    await world.store.fleet.requests.ask(where, 'ann: try');
    await passIn(world, world.yard, 60_000);
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

  it('says who was waited for', async () => {
    const world = fleetWorld();
    await world.accept([network({ internet: false })]);
    await world.store.leases.acquire(where.estate, where.scope, 'ops@desk 7');
    await passIn(world);
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
    await passIn(world, { ...world.yard, store: { ...world.store, inventory: { ...inventory, knowledge } } });
    assert.equal(states[0], 'running');
    assert.equal((await newest(world)).state, 'ended');
  });

  it('of one that threw says why', async () => {
    const world = fleetWorld();
    await world.accept([network({ internet: false })]);
    const { fleet } = world.store;
    const broken = { ...fleet, approvals: { ...fleet.approvals, inForce: async () => JSON.parse('{') } };
    await assert.rejects(passIn(world, { ...world.yard, store: { ...world.store, fleet: broken } }), SyntaxError);
    const { ending } = await newest(world);
    assert.equal(ending?.outcome, 'failed');
    assert.match(ending?.why ?? '', /JSON/);
  });
});

describe('writing down how a pass went', () => {
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
    it(`fails no pass where the store ${how}`, async () => {
      const world = fleetWorld();
      await world.accept([network({ internet: false })]);
      const passes = { ...world.store.passes, begin: write, end: write };
      const yard = { ...world.yard, store: { ...world.store, passes } };
      const before = world.clock.now();
      assert.equal(await passIn(world, yard), 'done');
      assert.equal(await passIn(world, yard), 'done');
      assert.ok(world.clock.now() - before < 60_000);
    });
});
