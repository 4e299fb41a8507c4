import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Row } from '../../../../src/core/inventory/row.ts';
import { generationsOf } from '../../../../src/fleet/generations.ts';
import { fleetRoutes } from '../../../../src/http/api/routes/fleet.ts';
import { quarantineMs } from '../../../../src/ports/fleet-state.ts';
import { Declined } from '../../../../src/ports/queries.ts';
import type { QueuedReconcile } from '../../../../src/ports/queue.ts';
import type { RateLimitLevel } from '../../../../src/ports/telemetry.ts';
import { fleetViewOn } from '../../../../src/queries/fleet-view.ts';
import { targetsOn } from '../../../../src/queries/targets.ts';
import { rowOf } from '../../../store/fixtures.ts';
import { network } from '../../../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, south, there, where } from '../../../support/fleet-world.ts';
import { apiWorld, callerOf } from '../support/api-world.ts';

const viewerWithin = (bounds: object) =>
  callerOf('viewer', { grants: [{ role: 'viewer', estates: ['acme'], ...bounds }] });

const callers = {
  here: viewerWithin({ targets: ['here'] }),
  south: viewerWithin({ targets: ['there'] }),
  owner: viewerWithin({ owners: ['team-web'] }),
  elsewhere: callerOf('admin', { grants: [{ role: 'admin', estates: ['other'] }] }),
};

interface Sources {
  readonly reconciles?: readonly QueuedReconcile[];
  readonly truncated?: boolean;
  readonly levels?: readonly RateLimitLevel[];
  /** The queue does not answer. */
  readonly isAway?: boolean;
  /** This version cannot open the active specs. */
  readonly isUnopened?: boolean;
}

const cannotOpen = 'This version of Setpoint cannot open the active specs: a new field';

type Said = Readonly<Record<string, unknown>>;
// why: the frame has checked the answer by its schema
const said = (value: unknown): Said => (value ?? {}) as Said;
// why: the same
const listed = (value: unknown): readonly Said[] => (value ?? []) as readonly Said[];

const itemsOf = (list: unknown): readonly Said[] => listed(said(list)['items']);

function apiOf({ store, context, clock }: FleetWorld, sources: Sources = {}) {
  const { reconciles, truncated = false, levels, isAway = false, isUnopened = false } = sources;
  const list = async () => {
    if (isAway) throw new Error('Redis is unavailable');
    return { reconciles: reconciles ?? [], truncated };
  };
  const targets = isUnopened
    ? { list: () => Promise.reject(new Declined('conflict', cannotOpen)) }
    : targetsOn({ store, open: generationsOf(context).open });
  const fleet = fleetViewOn({
    ...{ store, targets },
    ...((reconciles || isAway) && { queue: { list } }),
    ...(levels && { rateLimits: async () => levels }),
  });
  const api = apiWorld({ routes: fleetRoutes({ fleet, estates: store.estates.list }), callers, clock });
  const ask = async (who: string, what: string): Promise<Said> => {
    const { status, body, text } = await api.ask(who, `GET ${what}`);
    assert.equal(status, 200, text);
    return said(body);
  };
  return {
    ...{ api, ask },
    scopes: async (who = 'viewer', query = '') => listed((await ask(who, `/v1/scopes${query}`))['items']),
  };
}

/** One reconcile of here; nobody has looked there. */
async function passed() {
  const world = fleetWorld();
  await world.accept([network({ internet: false }), there]);
  await world.reconcile();
  return world;
}

const queuedAt = Date.UTC(2025, 11, 31);
const job = (state: QueuedReconcile['state'], more: Partial<QueuedReconcile> = {}): QueuedReconcile => ({
  ...{ ...where, cloud: 'memory', state, criticality: 'normal', urgency: 'now', queuedAt, failures: 0 },
  ...more,
});
const since = new Date(queuedAt).toISOString();

describe('GET /v1/scopes', () => {
  it('shows that an idle scope waits for its next observation, at the latest', async () => {
    const world = await passed();
    await world.clock.advance(1000);
    const began = world.clock.now();
    const ground = { targets: ['here'], generation: 1, revision: 'r' };
    const counts = { reads: 1, writes: 0, settled: 0, failed: 0, withheld: 0, waitedMs: 0 };
    const [ended, nextAt] = [began + 100, began + 300_000];
    await world.store.reconciles.end(
      { ...where, id: '00000000-0000-4000-8000-000000000002', began, ground },
      { ended, outcome: 'done', nextAt, quiet: true, account: { counts, timeline: [], rest: {} } },
    );
    const [here, next] = await apiOf(world).scopes();
    assert.deepEqual([here?.['scope'], here?.['state'], here?.['targets']], [where.scope, 'idle', ['here']]);
    assert.deepEqual(here?.['waitsFor'], [{ type: 'interval', until: new Date(nextAt).toISOString() }]);
    assert.equal(said(here?.['lastReconcile'])['outcome'], 'done');
    assert.deepEqual([next?.['state'], next?.['waitsFor'], next?.['lastReconcile']], ['idle', [], undefined]);
  });

  it('an overdue scope waits for a worker, where the queue did not tell of it', async () => {
    const world = await passed();
    const at = () => world.clock.now();
    const ground = { targets: ['here'], generation: 1, revision: 'r' };
    const account = {
      ...{ timeline: [], rest: {} },
      counts: { reads: 1, writes: 0, settled: 0, failed: 0, withheld: 0, waitedMs: 0 },
    };
    await world.clock.advance(1000);
    await world.store.reconciles.end(
      { ...where, id: '00000000-0000-4000-8000-000000000002', began: at(), ground },
      { ended: at(), outcome: 'done', nextAt: at() + 1000, quiet: true, account },
    );
    const unknown = [{}, { isAway: true }, { reconciles: [], truncated: true }];
    const stateIn = async (sources: Sources) => (await apiOf(world, sources).scopes())[0];
    for (const sources of unknown) assert.equal((await stateIn(sources))?.['state'], 'idle');
    await world.clock.advance(1000);
    for (const sources of unknown) assert.deepEqual((await stateIn(sources))?.['waitsFor'], [{ type: 'worker' }]);
    assert.equal((await stateIn({ reconciles: [] }))?.['state'], 'idle');
  });

  const due = [
    {
      name: 'a reconcile in the queue: a free worker',
      reconciles: [job('waiting')],
      want: [{ type: 'worker', since }],
    },
    {
      name: 'one that failed: its next attempt',
      reconciles: [job('delayed', { failures: 3 })],
      want: [{ type: 'retry', failures: 3, since }],
    },
    { name: 'one of another estate: nothing', reconciles: [job('waiting', { estate: 'other' })], want: undefined },
  ];
  for (const { name, reconciles, want } of due)
    it(name, async () => {
      const [here] = await apiOf(await passed(), { reconciles }).scopes();
      assert.equal(here?.['state'], want === undefined ? 'idle' : 'waiting');
      if (want !== undefined) assert.deepEqual(here?.['waitsFor'], want);
    });
});

describe('GET /v1/scopes, with work that is due', () => {
  it('a request of a person waits for a worker; only who sees all of the estate reads the reason', async () => {
    const world = await passed();
    await world.store.fleet.requests.ask(where, 'eve: after the change');
    const { scopes } = apiOf(world);
    const [here] = await scopes();
    assert.deepEqual(here?.['waitsFor'], [{ type: 'worker', reason: 'eve: after the change' }]);
    const [seen] = await scopes('here');
    assert.deepEqual(seen?.['waitsFor'], [{ type: 'worker' }]);
  });

  it('a lease of another process keeps a due reconcile waiting, and is shown', async () => {
    const world = await passed();
    await world.store.fleet.requests.ask(where, 'eve: now');
    const leased = new Date(world.clock.now()).toISOString();
    await world.store.leases.acquire('acme', where.scope, 'apply@laptop');
    const [here] = await apiOf(world).scopes();
    const lease = { worker: 'apply@laptop', since: leased };
    assert.deepEqual([here?.['lease'], here?.['state']], [lease, 'waiting']);
    assert.deepEqual(here?.['waitsFor'], [{ type: 'lease', ...lease }]);
  });

  it('a running reconcile is running, whatever else is queued', async () => {
    const world = await passed();
    const taken = await world.store.leases.acquire('acme', where.scope, 'worker-1');
    assert.ok(taken.ok);
    const { holder, epoch } = taken.lease;
    const began = world.clock.now();
    const id = '00000000-0000-4000-8000-000000000001';
    const ground = { targets: ['here'], generation: 1, revision: 'r', lease: { holder, epoch } };
    await world.store.reconciles.begin({ ...where, id, began, ground });
    const { scopes, ask } = apiOf(world, { reconciles: [job('running'), job('waiting')] });
    const [here] = await scopes();
    const running = { reconcileId: id, startedAt: new Date(began).toISOString() };
    assert.deepEqual([here?.['state'], here?.['runningReconcile'], here?.['waitsFor']], ['running', running, []]);
    const [worker] = itemsOf((await ask('viewer', '/v1/fleet'))['workers']);
    assert.deepEqual(
      [worker?.['worker'], worker?.['state'], worker?.['scopes']],
      [
        'worker-1',
        'working',
        [{ scope: where.scope, since: new Date(began).toISOString(), runningReconcile: running }],
      ],
    );
  });
});

describe('GET /v1/scopes, with all that holds a scope', () => {
  it('a quarantine ends by itself, and its reason is for those who see all targets there', async () => {
    const world = await passed();
    await world.accept([network({ internet: false }), there, { ...there, metadata: { name: 'beside' }, spec: north }]);
    await world.store.fleet.quarantine.put(where, 'it threw', 2);
    const { scopes } = apiOf(world);
    const at = world.clock.now();
    const times = { since: new Date(at).toISOString(), until: new Date(at + quarantineMs).toISOString() };
    const next = `setpoint resume --quarantined ${where.scope} --reason "…"`;
    const [here] = await scopes();
    assert.deepEqual(here?.['waitsFor'], [{ type: 'quarantine', ...times, reason: 'it threw', next }]);
    assert.deepEqual(here?.['targets'], ['beside', 'here']);
    const [seen] = await scopes('here');
    assert.deepEqual([seen?.['waitsFor'], seen?.['targets']], [[{ type: 'quarantine', ...times, next }], ['here']]);
  });

  it('withheld changes and a pause hold a scope, each pause once', async () => {
    const world = await passed();
    const until = world.clock.now() + 60_000;
    await world.store.fleet.pauses.begin('acme', {
      ...{ what: 'healing', reason: 'freeze', person: 'eve', until },
      of: { by: 'estate' },
    });
    const rows = [rowOf('c', { place: { scope: where.scope, targets: ['here'] }, status: 'Blocked' })];
    await world.store.rows.keep(where, { at: world.clock.now(), rows, gaps: [] });
    const [here] = await apiOf(world).scopes();
    assert.equal(here?.['state'], 'held');
    const [pause, withheld] = listed(here?.['waitsFor']);
    assert.deepEqual(
      [pause?.['type'], pause?.['mode'], pause?.['subject'], pause?.['actor']],
      ['pause', 'healing', { type: 'estate' }, 'eve'],
    );
    assert.deepEqual(
      [withheld?.['type'], withheld?.['target'], withheld?.['count'], withheld?.['reason']],
      ['withheld', 'here', 1, 'as wanted'],
    );
  });

  it('withheld changes of one scope hide none of another, however many there are', async () => {
    const world = await passed();
    const blocked = (scope: string, target: string) => (n: number) =>
      rowOf(`r-${n}`, { place: { scope, targets: [target] }, status: 'Blocked' });
    const keep = (at: typeof where, rows: readonly Row[]) =>
      world.store.rows.keep(at, { at: world.clock.now(), rows, gaps: [] });
    await keep(south, [blocked(south.scope, 'there')(0)]);
    for (const [number, north, southern] of [
      [999, [{ type: 'withheld', count: 999 }], [{ type: 'withheld', count: 1 }]],
      [
        1200,
        [
          { type: 'withheld', count: 1000 },
          { type: 'withheld-total', count: 1200 },
        ],
        [{ type: 'withheld-total', count: 1 }],
      ],
    ] as const) {
      await keep(
        where,
        Array.from({ length: number }, (_, n) => blocked(where.scope, 'here')(n)),
      );
      const works = await apiOf(world).scopes();
      const waits = works.map(({ waitsFor }) => listed(waitsFor).map(({ type, count }) => ({ type, count })));
      assert.deepEqual(waits, [north, southern]);
      assert.deepEqual(
        works.map(({ state }) => state),
        ['held', 'held'],
      );
    }
  });

  it('a scope without withheld changes is idle, however many another has', async () => {
    const world = await passed();
    const place = { scope: where.scope, targets: ['here'] };
    const rows = Array.from({ length: 1200 }, (_, n) => rowOf(`r-${n}`, { place, status: 'Blocked' }));
    await world.store.rows.keep(where, { at: world.clock.now(), rows, gaps: [] });
    const [, next] = await apiOf(world).scopes();
    assert.deepEqual([next?.['state'], next?.['waitsFor']], ['idle', []]);
  });
});

describe('GET /v1/scopes, page by page and within bounds', () => {
  it('requests that wait for a rate limit are named, those of other estates are not', async () => {
    const key = `${where.scope}/Make/machines`;
    const at = queuedAt;
    const level = (estate: string) => ({ key, level: 0, waiting: [{ estate, units: 2, since: at }] });
    const waitsOf = async (estate: string) =>
      listed((await apiOf(await passed(), { levels: [level(estate)] }).scopes())[0]?.['waitsFor']);
    assert.deepEqual((await waitsOf('acme'))[0], { type: 'rate-limit', key, since });
    assert.deepEqual(
      (await waitsOf('other')).map(({ type }) => type),
      [],
    );
  });

  it('is filtered by state and given page by page', async () => {
    const world = await passed();
    await world.store.fleet.requests.ask(south, 'eve: now');
    const { scopes, ask } = apiOf(world);
    const names = async (query: string) => (await scopes('viewer', query)).map(({ scope }) => scope);
    assert.deepEqual(await names('?state=waiting'), [south.scope]);
    assert.deepEqual(await names('?state=idle,running'), [where.scope]);
    const first = await ask('viewer', '/v1/scopes?limit=1');
    assert.deepEqual([listed(first['items']).length, first['next']], [1, where.scope]);
    const second = await ask('viewer', `/v1/scopes?limit=1&after=${where.scope}`);
    assert.deepEqual([listed(second['items'])[0]?.['scope'], second['next']], [south.scope, undefined]);
  });

  it('has only scopes of which the caller sees a whole target', async () => {
    const { scopes, api } = apiOf(await passed());
    assert.deepEqual(
      (await scopes('south')).map(({ scope }) => scope),
      [south.scope],
    );
    assert.deepEqual(await scopes('owner'), []);
    assert.equal((await api.ask('elsewhere', 'GET /v1/scopes?estate=acme')).status, 404);
  });
});

const northOnly = { targets: ['here'] };
const north = { provider: 'memory', account: 'acme', region: 'north' };

describe('GET /v1/fleet', () => {
  it('counts the scopes by state, and shows a worker for an hour after its last reconcile', async () => {
    const world = await passed();
    const { ask } = apiOf(world);
    const fleet = await ask('viewer', '/v1/fleet');
    assert.deepEqual(fleet['scopes'], { running: 0, waiting: 0, held: 0, idle: 2 });
    const [worker] = itemsOf(fleet['workers']);
    assert.deepEqual([worker?.['worker'], worker?.['state'], worker?.['scopes']], ['worker-1', 'seen', []]);
    await world.clock.advance(3_601_000);
    assert.deepEqual(itemsOf((await ask('viewer', '/v1/fleet'))['workers']), []);
  });

  it('says that it cannot read a queue, and that it has no rate limits', async () => {
    for (const sources of [{}, { isAway: true }]) {
      const fleet = await apiOf(await passed(), sources).ask('viewer', '/v1/fleet');
      assert.deepEqual([said(fleet['queue'])['known'], said(fleet['rateLimits'])['known']], [false, false]);
    }
  });

  it('lists the queue in its order, without the reconciles of others', async () => {
    const reconciles = [
      job('running', { ...south, urgency: 'periodic' }),
      job('waiting', { estate: 'other', scope: 'memory/other/north' }),
      // why: two estates can have targets in one account
      job('waiting', { estate: 'other' }),
      job('delayed', { failures: 2 }),
    ];
    const { ask } = apiOf(await passed(), { reconciles, truncated: true });
    const queue = said((await ask('viewer', '/v1/fleet'))['queue']);
    const short = (items: unknown) => listed(items).map(({ scope, state, urgency }) => [scope, state, urgency]);
    assert.deepEqual([queue['known'], queue['truncated']], [true, true]);
    assert.deepEqual(short(queue['items']), [
      [south.scope, 'running', 'periodic'],
      [where.scope, 'delayed', 'requested'],
    ]);
    const seen = said((await ask('here', '/v1/fleet'))['queue']);
    assert.deepEqual(short(seen['items']), [[where.scope, 'delayed', 'requested']]);
  });

  it('lists the rate limits of the scopes that the caller sees, the emptiest first', async () => {
    const size = { units: 10, perSecond: 2 };
    const levels = [
      { key: `${where.scope}/Make`, level: 1, size },
      { key: `${where.scope}/Make/machines`, level: -0.5, size: { units: 5, windowMs: 60_000 }, slowedUntil: queuedAt },
      { key: `${south.scope}/Make`, level: 0.5 },
      { key: 'memory/other/north/Make', level: 0 },
    ];
    const { ask } = apiOf(await passed(), { levels });
    const limitsOf = async (who: string) => listed(said((await ask(who, '/v1/fleet'))['rateLimits'])['items']);
    assert.deepEqual(await limitsOf('here'), [
      { key: `${where.scope}/Make/machines`, remaining: -0.5, units: 5, windowSeconds: 60, slowedUntil: since },
      { key: `${where.scope}/Make`, remaining: 1, units: 10, perSecond: 2 },
    ]);
    assert.equal((await limitsOf('viewer')).length, 3);
  });

  it('has tasks, sources and the pin for those who see all of the estate', async () => {
    const world = await passed();
    const { store } = world;
    await store.sources.states.record('acme', { source: 'git@x:specs', head: 'abc', state: 'away', why: 'no route' });
    await store.sources.pins.pin('acme', 'abc', { person: 'eve', reason: 'an incident' });
    await store.leases.acquire('-', 'caretaker', 'worker-1');
    await store.leases.acquire('acme', 'specs', 'worker-2');
    const at = new Date(world.clock.now()).toISOString();
    const { ask } = apiOf(world);
    const fleet = await ask('viewer', '/v1/fleet');
    assert.deepEqual(fleet['tasks'], [
      { task: 'scheduler', worker: 'worker-1', since: at },
      { task: 'signer' },
      { task: 'sources', worker: 'worker-2', since: at },
    ]);
    assert.deepEqual(fleet['sources'], [
      { source: 'git@x:specs', state: 'unavailable', head: 'abc', since: at, reason: 'no route' },
    ]);
    assert.deepEqual(fleet['pin'], { revision: 'abc', actor: 'eve', reason: 'an incident', at });
    const seen = await ask('here', '/v1/fleet');
    assert.deepEqual([seen['tasks'], seen['sources'], seen['pin']], [undefined, undefined, undefined]);
    assert.deepEqual(itemsOf((await ask('owner', '/v1/fleet'))['workers']), []);
  });
});

describe('GET /v1/fleet, where active specs do not name the scopes', () => {
  it('shows the sources of an estate without an active generation', async () => {
    const world = fleetWorld();
    await world.store.sources.states.record('acme', { source: 'specs', state: 'broken', why: 'no document' });
    const { ask, api } = apiOf(world);
    await world.store.ledger.note('acme', { a: 1 });
    const fleet = await ask('viewer', '/v1/fleet');
    assert.deepEqual([fleet['scopes'], listed(fleet['sources']).length], [undefined, 1]);
    assert.match(String(fleet['note']), /no active generation yet/);
    assert.equal((await api.ask('viewer', 'GET /v1/scopes')).status, 409);
  });

  it('shows a fleet at work whose active specs this version cannot open, to those who see all of the estate', async () => {
    const world = await passed();
    await world.store.leases.acquire('acme', south.scope, 'worker-2');
    await world.store.leases.acquire('acme', 'specs', 'worker-3');
    const { ask, api } = apiOf(world, {
      ...{ isUnopened: true, reconciles: [job('waiting'), job('waiting', { estate: 'other' })] },
      levels: [
        { key: `${where.scope}/Make`, level: 0.5 },
        { key: 'memory/other/north/Make', level: 0 },
      ],
    });
    const fleet = await ask('viewer', '/v1/fleet');
    assert.deepEqual([fleet['scopes'], fleet['note']], [undefined, cannotOpen]);
    const names = (list: string, field: string) => itemsOf(fleet[list]).map((one) => one[field]);
    assert.deepEqual(names('workers', 'worker'), ['worker-1', 'worker-2']);
    assert.deepEqual(names('queue', 'scope'), [where.scope]);
    assert.deepEqual(names('rateLimits', 'key'), [`${where.scope}/Make`]);
    const seen = await ask('here', '/v1/fleet');
    const unknown = { known: false, note: cannotOpen, items: [] };
    assert.deepEqual([seen['workers'], seen['queue'], seen['rateLimits']], [unknown, unknown, unknown]);
    assert.deepEqual([seen['scopes'], seen['note'], seen['tasks']], [undefined, cannotOpen, undefined]);
    assert.equal((await api.ask('viewer', 'GET /v1/scopes')).status, 409);
  });

  it('shows work on scopes that no target names any more to those who see all of the estate', async () => {
    const world = await passed();
    await world.accept([network({ internet: false })]);
    await world.store.leases.acquire('acme', south.scope, 'worker-2');
    const { ask } = apiOf(world, { reconciles: [job('running', south)] });
    const fleet = await ask('viewer', '/v1/fleet');
    assert.deepEqual(
      itemsOf(fleet['workers']).map(({ worker }) => worker),
      ['worker-1', 'worker-2'],
    );
    assert.equal(itemsOf(fleet['queue']).length, 1);
  });
});

describe('a look at the fleet', () => {
  const looked: unknown[] = [];
  async function watched() {
    looked.length = 0;
    const { store, clock, context } = await passed();
    const targets = targetsOn({ store, open: generationsOf(context).open });
    const fleet = fleetViewOn({
      store,
      targets: {
        list: async (asked) => {
          looked.push(asked.seen);
          return targets.list(asked);
        },
      },
      queue: {
        list: async () => {
          looked.push('queue');
          return { reconciles: [], truncated: false };
        },
      },
    });
    return { fleet, clock, asked: (bounds: object) => ({ estate: 'acme', seen: [bounds], now: clock.now() }) };
  }

  it('is shared by all who ask within 2 s with the same bounds, and the queue by all', async () => {
    const { fleet, clock, asked } = await watched();
    const answers = await Promise.all([fleet.read(asked({})), fleet.scopes(asked({})), fleet.scopes(asked(northOnly))]);
    await clock.advance(1999);
    answers.push(await fleet.scopes(asked({})));
    assert.deepEqual(looked, [[{}], 'queue', [northOnly]]);
    assert.deepEqual(
      answers.slice(1).map((works) => Reflect.get(works, 'length')),
      [2, 1, 2],
    );
    await clock.advance(1);
    await fleet.scopes(asked({}));
    assert.deepEqual(looked.slice(3), [[{}], 'queue']);
  });

  it('is repeated at once where it failed', async () => {
    const { store, clock } = await passed();
    let failures = 1;
    const list = async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('PostgreSQL is unavailable');
      return [];
    };
    const fleet = fleetViewOn({ store, targets: { list } });
    const asked = { estate: 'acme', seen: [{}], now: clock.now() };
    await assert.rejects(fleet.scopes(asked), /unavailable/);
    assert.deepEqual(await fleet.scopes(asked), []);
  });
});
