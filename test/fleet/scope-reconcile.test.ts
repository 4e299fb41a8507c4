import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { dialect } from '../../providers/memory/dialect.ts';
import type { Action } from '../../src/core/action.ts';
import { actionDigest } from '../../src/core/digest.ts';
import { plan } from '../../src/core/plan/plan.ts';
import { openEstate } from '../../src/estate/load.ts';
import { sha256 } from '../../src/estate/sha256.ts';
import { generationsOf } from '../../src/fleet/generations.ts';
import { reconcileHandler } from '../../src/fleet/scope-reconcile.ts';
import type { WorkerContext } from '../../src/fleet/worker-context.ts';
import type { KeptRow, Rows } from '../../src/ports/inventory-rows.ts';
import { lookOf, rowOf } from '../store/fixtures.ts';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const machine = machineIn({ image: 'img-1', size: 'small' });
const labelled = (tier: string) => machine('web', {}, { labels: { tier } });
const estate = [network({ internet: false }), rule('https'), labelled('a')];

const machines = ({ cloud }: FleetWorld) => cloud.inspect.live().filter(({ type }) => type === 'instance');
const tierOf = (world: FleetWorld): unknown => {
  const [one] = machines(world);
  return one?.record.tags['tier'];
};

const hold = (what: 'healing' | 'rollout' | 'all', world: FleetWorld) =>
  world.store.fleet.pauses.begin(where.estate, {
    what,
    of: { by: 'estate' },
    reason: 'a freeze',
    person: 'ada',
    until: world.clock.now() + 3_600_000,
  });

describe('a reconcile of a fleet', () => {
  it('does nothing where nothing was accepted', async () => {
    const { outcome, ended } = await fleetWorld().reconcile();
    assert.deepEqual([outcome, ended], ['idle', 'done']);
  });

  it('converges what is in mode enforce with nobody there, and the next makes no call that changes anything', async () => {
    const world = fleetWorld();
    const number = await world.accept(estate);
    const first = await world.reconcile();
    assert.deepEqual([first.outcome, first.ended], ['done', 'done']);
    assert.equal(machines(world).length, 1);
    assert.equal(await world.store.fleet.rollouts.standing(where), number);
    const second = await world.reconcile();
    assert.deepEqual([second.outcome, second.writes], ['done', []]);
  });

  it('gives its job up once its lease is over, whatever hangs in it', async () => {
    const world = fleetWorld();
    await world.accept(estate);
    const { intend } = world.store.ledger;
    let hangs = true;
    Object.assign(world.store.ledger, {
      intend: (...args: Parameters<typeof intend>) => {
        if (!hangs) return intend(...args);
        hangs = false;
        world.store.stall();
        void world.clock
          .sleep(12_000)
          .then(() => world.store.leases.acquire(where.estate, where.scope, 'another'))
          .then(async (taken) => void (taken.ok && (await taken.lease.release())));
        return new Promise(() => {});
      },
    });
    const hung = await world.reconcile();
    assert.deepEqual([hung.outcome, hung.ended, hung.writes], ['stopped', 'again', []]);
    assert.equal((await world.reconcile()).outcome, 'done');
  });

  it('leaves what is in mode plan to a person, until it is approved: that and no more', async () => {
    const world = fleetWorld();
    const generation = await world.accept(estate, { mode: 'plan' });
    const waiting = await world.reconcile();
    assert.deepEqual([waiting.outcome, waiting.writes], ['partly', []]);
    assert.equal(await world.store.fleet.rollouts.standing(where), 0);
    const network = (await actionsOf(world)).filter(({ kind }) => kind === 'network');
    await approve(world, generation, network);
    const approved = await world.reconcile();
    assert.deepEqual([approved.outcome, new Set(approved.writes)], ['partly', new Set(['CreateNetwork'])]);
    await approve(world, generation, await actionsOf(world));
    assert.equal((await world.reconcile()).outcome, 'done');
    assert.equal(machines(world).length, 1);
  });
});

describe('a reconcile while people hold a fleet still', () => {
  it('heals to the former generation while a newer one is held', async () => {
    const world = fleetWorld();
    const first = await world.accept(estate);
    await world.reconcile();
    const second = await world.accept([network({ internet: false }), rule('https'), labelled('b')]);
    await hold('rollout', world);
    const [one] = machines(world);
    world.cloud.outside.do('TagObjects', { ids: [one?.id ?? ''], tags: { tier: 'by hand' } });
    const held = await world.reconcile();
    assert.equal(held.outcome, 'partly');
    assert.equal(tierOf(world), 'a', 'what drifted is back as the former generation had it');
    assert.equal(await world.store.fleet.rollouts.standing(where), first);
    await world.store.fleet.pauses.end(
      where.estate,
      { what: 'rollout', of: { by: 'estate' } },
      { person: 'ada', reason: 'the freeze is over' },
    );
    assert.equal((await world.reconcile()).outcome, 'done');
    assert.deepEqual([tierOf(world), await world.store.fleet.rollouts.standing(where)], ['b', second]);
  });

  it('rolls out, and heals nothing, while healing is held', async () => {
    const world = fleetWorld();
    await world.accept(estate);
    await world.reconcile();
    await hold('healing', world);
    const [one] = machines(world);
    world.cloud.outside.do('TagObjects', { ids: [one?.id ?? ''], tags: { tier: 'by hand' } });
    assert.deepEqual((await world.reconcile()).writes, []);
    await world.accept([...estate, rule('http', { ports: [80] })]);
    assert.deepEqual((await world.reconcile()).writes, ['AuthorizeRules']);
    assert.equal(tierOf(world), 'by hand');
  });
});

describe('a reconcile beside others', () => {
  it('that cannot see all of its scope is no success, and brings nothing into force', async () => {
    const world = fleetWorld();
    await world.accept(estate);
    world.cloud.faults.add({ on: 'ListNetworks', fault: { do: 'refuse', code: 'Denied' } });
    const { outcome, writes } = await world.reconcile();
    assert.deepEqual([outcome, writes], ['partly', []]);
    assert.match(world.said().at(-1) ?? '', /not listed: network \(\w+\)/);
    assert.equal(await world.store.fleet.rollouts.standing(where), 0);
  });

  it('comes again where somebody else holds the lease', async () => {
    const world = fleetWorld();
    await world.accept(estate);
    await world.store.leases.acquire(where.estate, where.scope, 'ada@laptop');
    const { outcome, ended, writes } = await world.reconcile();
    assert.deepEqual([outcome, ended, writes], ['busy', 'again', []]);
  });

  it('leaves a scope in quarantine alone, until a newer generation comes', async () => {
    const world = fleetWorld();
    const generation = await world.accept(estate);
    await world.store.fleet.quarantine.put(where, 'it throws', generation);
    assert.equal((await world.reconcile()).outcome, 'quarantined');
    await world.accept([network({ internet: false })]);
    assert.equal((await world.reconcile()).outcome, 'done');
    assert.deepEqual(await world.store.fleet.quarantine.list(), []);
  });

  it('answers a request for a scope in quarantine, and neither begins it nor comes again for it', async () => {
    const world = fleetWorld();
    const generation = await world.accept(estate);
    await world.store.fleet.quarantine.put(where, 'it throws', generation);
    await world.store.fleet.requests.ask(where, 'a person');
    const { outcome, ended, writes } = await world.reconcile();
    assert.deepEqual([outcome, ended, writes], ['quarantined', 'done', []]);
    assert.equal((await world.store.fleet.requests.pendingState(where)).request, 0);
    await world.clock.advance(600_000);
    await world.store.fleet.requests.ask(where, 'the same person');
    assert.equal((await world.reconcile()).outcome, 'done', 'it is tried again when its time has come');
  });

  it('tries a scope in quarantine again after ten minutes: it may have been bad luck', async () => {
    const world = fleetWorld();
    const generation = await world.accept(estate);
    await world.store.fleet.quarantine.put(where, 'its workers died', generation);
    await world.clock.advance(599_000);
    assert.equal((await world.reconcile()).outcome, 'quarantined');
    await world.clock.advance(1_000);
    assert.equal((await world.reconcile()).outcome, 'done');
  });

  it('answers the wish that it began with, and stops for one that comes while it runs', async () => {
    const world = fleetWorld();
    await world.accept([network({ internet: false }), machine('web', { replicas: 3 })]);
    await world.store.fleet.requests.ask(where, 'a person');
    assert.equal((await world.reconcile()).outcome, 'done');
    assert.equal((await world.store.fleet.requests.pendingState(where)).request, 0);
    await world.accept([network({ internet: false }), rule('https')]);
    const running = world.reconcile();
    await world.store.fleet.requests.ask(where, 'another person');
    const { outcome, ended } = await running;
    assert.deepEqual([outcome, ended], ['stopped', 'again']);
    assert.notEqual((await world.store.fleet.requests.pendingState(where)).request, 0, 'it is not answered');
  });
});

/** The actions of a person's plan. */
async function actionsOf({ store, context }: FleetWorld): Promise<readonly Action[]> {
  const current = await store.generations.current(where.estate);
  const [observation] = await store.inventory.latest(where.estate);
  assert.ok(current && observation);
  const kept = await store.fleet.specSnapshots.read(where.estate, current.revision);
  assert.ok(kept);
  const opened = await openEstate(
    await context.outside.specs(kept, current.revision),
    context.outside.cloud,
    '2026-01-01',
  );
  const [scope] = opened.compiled.scopes;
  assert.ok(scope);
  const knowledge = await store.inventory.knowledge(where.estate, where.scope);
  return plan({ wanted: scope.wanted, observation, knowledge, dialect }).actions;
}

const approve = ({ store, clock }: FleetWorld, generation: number, actions: readonly Action[]) =>
  store.fleet.approvals.give({
    ...where,
    generation,
    digest: 'shown',
    actions: actions.map((action) => actionDigest(action, sha256)),
    destroys: 0,
    by: { person: 'ada', reason: 'looked at' },
    until: clock.now() + 3_600_000,
  });

const away = async (): Promise<never> => {
  throw new Error('connect ECONNREFUSED 127.0.0.1:5432');
};

/** The database answers nothing, or only reads, until it is back. */
function withoutDatabase(world: FleetWorld, isAway: () => boolean, reads = false): WorkerContext {
  const { store } = world;
  const { leases, fleet } = store;
  const requests = {
    ...fleet.requests,
    pendingState: (at: typeof where) => (isAway() && !reads ? away() : fleet.requests.pendingState(at)),
  };
  const acquire: typeof leases.acquire = (...asked) => (isAway() ? away() : leases.acquire(...asked));
  return { ...world.context, store: { ...store, leases: { ...leases, acquire }, fleet: { ...fleet, requests } } };
}

const reconcileIn = ({ clock }: FleetWorld, context: WorkerContext, signal = new AbortController().signal) =>
  clock.run(() => reconcileHandler(context, generationsOf(context))(where, signal));

describe('a reconcile while the database is away', () => {
  for (const reads of [false, true])
    it(`waits for it and comes again, and is no poison${reads ? ': where it only reads too' : ''}`, async () => {
      const world = fleetWorld();
      await world.accept([network({ internet: false })]);
      const until = world.clock.now() + 120_000;
      const context = withoutDatabase(world, () => world.clock.now() < until, reads);
      assert.equal(await reconcileIn(world, context), 'again');
      assert.ok(world.clock.now() >= until);
      assert.equal(await reconcileIn(world, context), 'done');
    });

  for (const code of ['53100', '58030', '57P01', '08006', '25P03', '40001', '40P01', '55P03', '57014'])
    it(`comes again after ${code}, however often, though the database takes writes`, async () => {
      const world = fleetWorld();
      await world.accept([network({ internet: false })]);
      const { fleet } = world.store;
      const thrown = Object.assign(new pg.DatabaseError('could not extend file', 21, 'error'), { code });
      const failing = { ...fleet, approvals: { ...fleet.approvals, active: () => Promise.reject(thrown) } };
      for (let times = 0; times < 6; times++) {
        const from = world.clock.now();
        assert.equal(
          await reconcileIn(world, { ...world.context, store: { ...world.store, fleet: failing } }),
          'again',
        );
        assert.ok(world.clock.now() - from >= 2000, 'it is no hot loop');
      }
      assert.equal(await reconcileIn(world, world.context), 'done');
    });

  it('throws what is a fault of our own', async () => {
    const world = fleetWorld();
    await world.accept([network({ internet: false })]);
    const { fleet } = world.store;
    const broken = { ...fleet, approvals: { ...fleet.approvals, active: async () => JSON.parse('{') } };
    await assert.rejects(
      reconcileIn(world, { ...world.context, store: { ...world.store, fleet: broken } }),
      SyntaxError,
    );
  });
});

describe('a worker that cannot open the newest generation', () => {
  it('leaves it to others: no poison, and the wish stays', async () => {
    const world = fleetWorld();
    await world.accept([network({ internet: false })]);
    await world.store.fleet.requests.ask(where, 'a person');
    const specs = () => {
      throw new Error('unknown key');
    };
    assert.equal(await reconcileIn(world, { ...world.context, outside: { ...world.context.outside, specs } }), 'done');
    assert.equal((await world.store.fleet.requests.pendingState(where)).request, 1);
    assert.equal((await world.reconcile()).outcome, 'done');
  });
});

const core = 'memory/acme/north/network/core';

async function rowsIn({ store }: FleetWorld): Promise<readonly KeptRow[]> {
  const sort = { by: 'address', descending: false } as const;
  return (await store.rows.page({ seen: [{}], filter: {}, sort, limit: 1000 })).rows;
}

/** The statuses that a thing had, look by look: in virtual time all looks of a reconcile are at one moment, and the last one counts. */
function watched(world: FleetWorld, of = core): () => readonly string[] {
  const { rows } = world.store;
  const statuses: string[] = [];
  const keep: Rows['keep'] = async (at, look) => {
    statuses.push(look.rows.find(({ key }) => key === of)?.state.status ?? 'absent');
    await rows.keep(at, look);
  };
  Object.assign(world.store, { rows: { ...rows, keep } });
  return () => statuses.splice(0);
}

describe('the lines of the inventory, beside a reconcile', () => {
  it('are kept at its first look and at its last', async () => {
    const world = fleetWorld();
    const seen = watched(world);
    await world.accept([network({ internet: false }), rule('https')]);
    await world.reconcile();
    assert.deepEqual(seen(), ['Pending', 'InSync']);
    assert.ok((await rowsIn(world)).every(({ state, whose }) => state.status === 'InSync' || whose.claim !== 'ours'));
  });

  it('show drift before it is healed, and are kept once where nothing is to be done', async () => {
    const world = fleetWorld();
    await world.accept([network({ internet: false }, { labels: { tier: 'web' } })]);
    await world.reconcile();
    const seen = watched(world);
    await world.reconcile();
    assert.deepEqual(seen(), ['InSync']);
    const [standing] = await world.store.rows.find({ seen: [{}], of: core });
    world.cloud.outside.do('TagObjects', { ids: [standing?.called.id ?? ''], tags: { tier: 'db' } });
    await world.reconcile();
    assert.deepEqual(seen(), ['Drifted', 'InSync']);
  });

  it('say what failed, also at the looks before it is tried again', async () => {
    const world = fleetWorld();
    const seen = watched(world);
    world.cloud.faults.add({ on: 'CreateNetwork', fault: { do: 'refuse', code: 'Denied' } });
    await world.accept([network({ internet: false })]);
    await world.reconcile();
    assert.deepEqual(seen(), ['Pending', 'Failed']);
    await world.reconcile();
    assert.deepEqual(seen(), ['Failed', 'Failed']);
    await world.reconcile();
    assert.deepEqual(seen(), ['Blocked'], 'refused twice: it waits, and its reason quotes the cloud');
    world.cloud.faults.clear();
    await world.clock.run(() => world.clock.sleep(61_000, new AbortController().signal));
    await world.reconcile();
    assert.equal(seen().at(-1), 'InSync');
  });

  it('say so too where a thousand lines of other scopes failed before them', async () => {
    const world = fleetWorld();
    const failed = Array.from({ length: 1001 }, (_, i) => rowOf(`n${i}`, { status: 'Failed' }));
    await world.store.rows.keep({ ...where, scope: 'aws/111122223333/eu-west-1' }, lookOf(0, failed));
    world.cloud.faults.add({ on: 'CreateNetwork', fault: { do: 'refuse', code: 'Denied' } });
    await world.accept([network({ internet: false })]);
    await world.reconcile();
    const seen = watched(world);
    await world.reconcile();
    assert.deepEqual(seen(), ['Failed', 'Failed']);
  });

  it('show what was healed while a newer generation waits', async () => {
    const world = fleetWorld();
    await world.accept([network({ internet: false }, { labels: { tier: 'web' } })]);
    await world.reconcile();
    await world.accept([network({ internet: false }, { labels: { tier: 'web', more: 'x' } })]);
    const until = world.clock.now() + 3_600_000;
    const hold = { what: 'rollout', of: { by: 'estate' }, reason: 'a freeze', person: 'ada', until } as const;
    await world.store.fleet.pauses.begin(where.estate, hold);
    const [standing] = await world.store.rows.find({ seen: [{}], of: core });
    world.cloud.outside.do('TagObjects', { ids: [standing?.called.id ?? ''], tags: { tier: 'db' } });
    assert.deepEqual((await world.reconcile()).writes, ['TagObjects']);
    const [row] = await world.store.rows.find({ seen: [{}], of: core });
    assert.deepEqual([row?.state.status, row?.state.code], ['Paused', 'paused']);
    assert.equal(row?.called.labels['tier'], 'web');
  });
});

describe('keeping the lines of the inventory', () => {
  it('changes none where a listing failed', async () => {
    const world = fleetWorld();
    await world.accept([network({ internet: false }), rule('https')]);
    await world.reconcile();
    const before = (await rowsIn(world)).map(({ key, state }) => [key, state]);
    world.cloud.faults.add({ on: 'ListRules', fault: { do: 'refuse', code: 'Denied' } });
    await world.reconcile();
    const after = await rowsIn(world);
    assert.deepEqual(
      after.map(({ key, state }) => [key, state]),
      before,
    );
    assert.ok(after.some(({ place, observed }) => place.kind === 'firewall-rule' && !observed.complete));
  });

  it('fails no reconcile', async () => {
    const world = fleetWorld();
    const broken: Rows = {
      ...world.store.rows,
      keep: async () => {
        throw new Error('the database is full');
      },
    };
    Object.assign(world.store, { rows: broken });
    await world.accept([network({ internet: false })]);
    assert.equal((await world.reconcile()).outcome, 'done');
    assert.deepEqual(await rowsIn(world), []);
  });

  it('is of the scope and estate of the reconcile', async () => {
    const world = fleetWorld();
    const number = await world.accept([network({ internet: false })]);
    await world.reconcile();
    for (const row of await rowsIn(world)) {
      assert.deepEqual([row.estate, row.place.scope], [where.estate, where.scope]);
      if (row.whose.claim === 'ours') assert.equal(row.state.generation, number);
    }
  });
});
