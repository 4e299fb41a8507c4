import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generationsOf } from '../../../../src/fleet/generations.ts';
import type { Caller } from '../../../../src/http/api/route.ts';
import { targetsRoutes } from '../../../../src/http/api/routes/targets.ts';
import type { RateLimitLevel } from '../../../../src/ports/telemetry.ts';
import { targetsOn } from '../../../../src/queries/targets.ts';
import { addressOf, reconcileOf, rowOf, settlementOf } from '../../../store/fixtures.ts';
import { machineIn, network } from '../../../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../../../support/fleet-world.ts';
import { apiWorld, callerOf } from '../support/api-world.ts';

const callers = {
  there: callerOf('viewer', { grants: [{ role: 'viewer', estates: ['acme'], targets: ['there'] }] }),
  owner: callerOf('viewer', { grants: [{ role: 'viewer', estates: ['acme'], owners: ['team-web'] }] }),
  mover: callerOf('operator', { grants: [{ role: 'operator', estates: ['acme'], owners: ['team-web'] }] }),
  elsewhere: callerOf('admin', { grants: [{ role: 'admin', estates: ['other'] }] }),
};

const second = {
  kind: 'Target',
  metadata: { name: 'there' },
  spec: { provider: 'memory', account: 'acme', region: 'south', mode: 'observe' },
};

const rateLimits: readonly RateLimitLevel[] = [
  { key: `${where.scope}/Make`, level: 0.25, slowedUntil: Date.UTC(2026, 0, 1) },
  { key: 'memory/acme/south/Make', level: 1 },
];

/** One reconcile of here; nobody has looked there. */
async function passed() {
  const world = fleetWorld();
  await world.accept([network({ internet: false }), second]);
  await world.reconcile();
  const at = world.clock.now();
  const rows = [
    rowOf('a', { place: { scope: where.scope, targets: ['here'] }, whose: { owner: 'team-web' } }),
    rowOf('b', { place: { scope: where.scope, targets: ['here'] }, status: 'Drifted' }),
    rowOf('c', { place: { scope: where.scope, targets: ['here'] }, status: 'Blocked' }),
  ];
  await world.store.rows.keep(where, { at, rows, gaps: [] });
  return world;
}

function apiOf(
  { store, context, clock }: FleetWorld,
  used: { rateLimits?: () => Promise<readonly RateLimitLevel[]> } = {},
  known: Readonly<Record<string, Caller>> = callers,
) {
  const targets = targetsOn({ store, open: generationsOf(context).open });
  return apiWorld({ routes: targetsRoutes({ targets, estates: store.estates.list, ...used }), callers: known, clock });
}

type Said = Readonly<Record<string, unknown>>;

// why: the frame has checked the answer by its schema
const said = (body: unknown): Said => body as Said;
// why: the same
const itemsOf = (body: unknown): readonly Said[] => (body as { items: readonly Said[] }).items;

describe('GET /v1/targets', () => {
  it('shows the age and the result of each observation, and its reconciles', async () => {
    const world = await passed();
    await world.clock.advance(30_000);
    const { status, body } = await apiOf(world).ask('viewer', 'GET /v1/targets');
    assert.equal(status, 200, JSON.stringify(body));
    const [here, there] = itemsOf(body);
    assert.deepEqual(
      [here?.['name'], here?.['scope'], here?.['mode'], here?.['counts']],
      ['here', where.scope, 'enforce', { InSync: 1, Drifted: 1, Blocked: 1 }],
    );
    const { ageSeconds, complete } = said(here?.['observed']);
    assert.deepEqual([ageSeconds, complete], [30, true]);
    assert.deepEqual(said(here?.['lastReconcile'])['outcome'], 'done');
    const next = `setpoint explain ${addressOf('c')}`;
    assert.deepEqual(here?.['held'], {
      withheldChanges: [
        { code: 'held', failed: false, count: 1, resources: [{ address: addressOf('c'), reason: 'as wanted', next }] },
      ],
      inGrace: [],
      pauses: [],
      stoppedRollouts: [],
      halfReplaced: [],
    });
    assert.deepEqual(
      [there?.['name'], there?.['mode'], there?.['observed'], there?.['lastReconcile']],
      ['there', 'observe', { complete: false, gaps: [] }, undefined],
    );
    assert.equal(said(said(body)['observed'])['complete'], false);
  });

  it('says what holds one still', async () => {
    const world = await passed();
    const until = world.clock.now() + 60_000;
    const pause = { what: 'all', reason: 'freeze', person: 'eve', until } as const;
    await world.store.fleet.pauses.begin('acme', { ...pause, of: { by: 'target', name: 'here' } });
    await world.store.fleet.pauses.begin('acme', { ...pause, of: { by: 'target', name: 'there' } });
    await world.store.fleet.quarantine.put(where, 'it threw', 1);
    const { body } = await apiOf(world).ask('viewer', 'GET /v1/targets/here');
    const since = new Date(world.clock.now()).toISOString();
    const { withheldChanges: _, ...held } = said(said(body)['held']);
    assert.deepEqual(held, {
      inGrace: [],
      pauses: [
        { mode: 'all', subject: 'target', actor: 'eve', reason: 'freeze', since, until: new Date(until).toISOString() },
      ],
      quarantine: { reason: 'it threw', since, generation: 1 },
      stoppedRollouts: [],
      halfReplaced: [],
    });
  });

  it('says that it counts only some of the withheld changes, where the limit of 1,000 cuts them', async () => {
    const world = await passed();
    const place = { scope: where.scope, targets: ['here'] };
    for (const [number, truncated] of [
      [999, undefined],
      [1000, undefined],
      [1001, true],
    ] as const) {
      const rows = Array.from({ length: number }, (_, n) => rowOf(`r-${n}`, { place, status: 'Blocked' }));
      await world.store.rows.keep(where, { at: world.clock.now(), rows, gaps: [] });
      const { body } = await apiOf(world).ask('viewer', 'GET /v1/targets/here');
      const held = said(said(body)['held']);
      assert.equal(held['truncated'], truncated, `${number} rows`);
      // why: the frame has checked the answer by its schema
      const [group] = held['withheldChanges'] as readonly Said[];
      assert.equal(group?.['count'], Math.min(number, 1000));
    }
  });

  it('says when a reconcile is due: at once where somebody waits for one', async () => {
    const world = await passed();
    await world.store.fleet.requests.ask(where, 'ann');
    const { body } = await apiOf(world).ask('viewer', 'GET /v1/targets/here');
    assert.equal(said(body)['nextReconcileAt'], new Date(world.clock.now()).toISOString());
  });

  it('shows the remaining budgets, or that they are unknown', async () => {
    const world = await passed();
    const knowing = await apiOf(world, { rateLimits: async () => rateLimits }).ask('viewer', 'GET /v1/targets/here');
    assert.deepEqual(said(knowing.body)['rateLimits'], {
      known: true,
      items: [{ key: `${where.scope}/Make`, remaining: 0.25, slowedUntil: '2026-01-01T00:00:00.000Z' }],
    });
    const without = await apiOf(world).ask('viewer', 'GET /v1/targets/here');
    const { known, note } = said(said(without.body)['rateLimits']);
    assert.equal(known, false);
    assert.match(String(note), /ask a worker/);
  });
});

describe('callers who see a target', () => {
  it('sees no other, and of a part of its owners the counts alone', async () => {
    const world = await passed();
    const api = apiOf(world);
    const names = async (who: string) =>
      itemsOf((await api.ask(who, 'GET /v1/targets')).body).map(({ name, counts, lastReconcile }) => [
        name,
        counts,
        lastReconcile !== undefined,
      ]);
    assert.deepEqual(await names('there'), [['there', {}, false]]);
    assert.deepEqual(await names('owner'), [
      ['here', { InSync: 1 }, false],
      ['there', {}, false],
    ]);
    const foreign = await api.ask('there', 'GET /v1/targets/here');
    const missing = await api.ask('there', 'GET /v1/targets/nowhere');
    const hidden = await api.ask('elsewhere', 'GET /v1/targets/here?estate=acme');
    assert.deepEqual([foreign.status, foreign.text, hidden.text], [404, missing.text, missing.text]);
  });
});

describe('a target that shares its place', () => {
  const lab = {
    kind: 'Target',
    metadata: { name: 'lab' },
    spec: { provider: 'memory', account: 'acme', region: 'north' },
  };
  const shared = {
    one: callerOf('viewer', { id: 'one', grants: [{ role: 'viewer', estates: ['acme'], targets: ['here'] }] }),
    both: callerOf('viewer', { id: 'both', grants: [{ role: 'viewer', estates: ['acme'], targets: ['here', 'lab'] }] }),
  };
  const documents = [
    lab,
    network({ targets: ['lab'], internet: false }),
    network({ internet: false }, { name: 'mine' }),
  ];

  it('tells why no reconcile looks, and of rollouts in others, to who sees all of them', async () => {
    const world = fleetWorld();
    await world.accept(documents);
    await world.store.fleet.requests.ask(where, 'eve: look');
    await world.reconcile();
    const { quarantine, rollouts } = world.store.fleet;
    await quarantine.put(where, 'it threw', 1);
    for (const name of ['core', 'mine'])
      await rollouts.stop(where, { document: `${where.scope}/network/${name}`, generation: 1, why: 'it failed' });
    const heldBy = async (who: string) => {
      const { body, text } = await apiOf(world, {}, shared).ask(who, 'GET /v1/targets/here');
      assert.equal(/\beve\b/.test(text), who === 'viewer', text);
      const { quarantine: held, stoppedRollouts } = said(said(body)['held']);
      const { targets } = said(said(body)['lastReconcile']);
      // why: as above
      return [said(held)['reason'], (stoppedRollouts as readonly Said[]).length, targets];
    };
    assert.deepEqual(await heldBy('one'), [undefined, 1, ['here']]);
    assert.deepEqual(await heldBy('both'), ['it threw', 2, ['here', 'lab']]);
    assert.deepEqual(await heldBy('viewer'), ['it threw', 2, ['here', 'lab']]);
  });

  it('lists the withheld changes of each', async () => {
    const world = fleetWorld();
    await world.accept(documents);
    const rows = ['here', 'lab'].map((target) =>
      rowOf(target, { place: { scope: where.scope, targets: [target] }, status: 'Blocked' }),
    );
    await world.store.rows.keep(where, { at: world.clock.now(), rows, gaps: [] });
    for (const target of ['here', 'lab']) {
      const { body } = await apiOf(world, {}, shared).ask('both', `GET /v1/targets/${target}`);
      // why: as above
      const groups = said(said(body)['held'])['withheldChanges'] as readonly (Said & { resources: readonly Said[] })[];
      assert.deepEqual(
        groups.map(({ count, resources }) => [count, resources.map(({ address }) => address)]),
        [[1, [addressOf(target)]]],
      );
    }
  });
});

const machine = machineIn({ image: 'img-1', size: 'small' });
const at = (name: string) => `${where.scope}/instance/${name}`;
const paused = 'paused for the estate by ada until 2026-01-01 18:00 UTC: incident';

/** Two of here and one of the lab, which shares its place; one more that no document asks for any more. */
async function halfReplaced() {
  const world = fleetWorld();
  await world.accept([
    { kind: 'Target', metadata: { name: 'lab' }, spec: { provider: 'memory', account: 'acme', region: 'north' } },
    network({ internet: false }),
    network({ targets: ['lab'], internet: false }, { name: 'lab' }),
    machine('web', { replicas: 2 }),
    machine('test', { targets: ['lab'], network: 'lab' }),
  ]);
  const { store, clock } = world;
  const acquired = await store.leases.acquire('acme', where.scope, 'worker-1');
  assert.ok(acquired.ok);
  const { lease } = acquired;
  const reconcile = { ...reconcileOf('acme', lease), ...where };
  const names = ['web-0', 'web-1', 'test-0', 'old-0'];
  for (const name of names) {
    const subject = { kind: 'instance', address: at(name) } as const;
    const launch = { verb: 'create', subject, details: { successorOf: `${name}-before` } } as const;
    const terms = { deletionPolicy: 'delete', protect: false, storeOnly: false } as const;
    const claims = [
      { do: 'claim', subject: { ...subject, id: `${name}-before` }, terms },
      {
        do: 'claim',
        subject: { ...subject, id: `${name}-after` },
        terms: { ...terms, successorOf: `${name}-before` },
      },
    ] as const;
    const [intended] = await store.ledger.intend(reconcile, [launch]);
    if (name === 'web-1') {
      const other = { verb: 'adopt', subject: { ...subject, id: `${name}-before` }, details: {} } as const;
      const [adopted] = await store.ledger.intend(reconcile, [other]);
      await store.ledger.settle(reconcile, [settlementOf(adopted, { effects: [claims[0]] })]);
    } else await store.ledger.settle(reconcile, [settlementOf(intended, { effects: [...claims] })]);
  }
  const held = rowOf('web-0', {
    place: { scope: where.scope, kind: 'instance', targets: ['here'] },
    called: { address: at('web-0') },
    status: 'Blocked',
    reason: paused,
  });
  await store.rows.keep(where, { at: clock.now(), rows: [held], gaps: [] });
  return world;
}

describe('a machine half replaced', () => {
  const shared = {
    here: callerOf('viewer', { grants: [{ role: 'viewer', estates: ['acme'], targets: ['here'] }] }),
    both: callerOf('viewer', { id: 'both', grants: [{ role: 'viewer', estates: ['acme'], targets: ['here', 'lab'] }] }),
  };

  const listed = async (world: FleetWorld, who: string, name: string) => {
    const { body, text } = await apiOf(world, {}, shared).ask(who, `GET /v1/targets/${name}`);
    const { halfReplaced: all } = said(said(body)['held'] ?? assert.fail(text));
    // why: the frame has checked the answer by its schema
    return all as readonly Said[];
  };
  const pairOf = (name: string, since: number) => ({
    address: at(name),
    predecessor: `${name}-before`,
    since: new Date(since).toISOString(),
  });

  it('is read once, also where a deletion in its grace is of the same scope', async () => {
    const world = await halfReplaced();
    const toGo = rowOf('web-0', {
      place: { scope: where.scope, kind: 'instance', targets: ['here'] },
      called: { address: at('web-0') },
      status: 'Blocked',
      next: { verb: 'delete', cause: 'rollout' },
    });
    await world.store.rows.keep(where, { at: world.clock.now() + 1, rows: [toGo], gaps: [] });
    const { inventory } = world.store;
    const read: string[] = [];
    const knowledge: typeof inventory.knowledge = (estate, scope) => {
      read.push(scope);
      return inventory.knowledge(estate, scope);
    };
    Object.assign(world.store, { inventory: { ...inventory, knowledge } });
    assert.equal((await listed(world, 'here', 'here')).length, 2);
    assert.deepEqual(read, [where.scope]);
  });

  it('is told of with both machines, since when, the next step, and what holds it', async () => {
    const world = await halfReplaced();
    const now = world.clock.now();
    assert.deepEqual(await listed(world, 'here', 'here'), [
      { ...pairOf('web-0', now), successor: 'web-0-after', waitsFor: 'the deletion of web-0-before', reason: paused },
      { ...pairOf('web-1', now), waitsFor: 'the launch of its successor' },
    ]);
  });

  it('is told of at its own target, and at each of its place where no document names it any more', async () => {
    const world = await halfReplaced();
    const names = async (who: string, name: string) =>
      (await listed(world, who, name)).map(({ address }) => String(address).replace(at(''), ''));
    assert.deepEqual(await names('both', 'lab'), ['test-0']);
    assert.deepEqual(await names('both', 'here'), ['web-0', 'web-1']);
    assert.deepEqual(await names('viewer', 'lab'), ['old-0', 'test-0']);
    assert.deepEqual(await names('viewer', 'here'), ['old-0', 'web-0', 'web-1']);
  });
});

describe('POST /v1/targets/{name}/reconcile', () => {
  const ask = (world: FleetWorld, who: string, name = 'here', body: object = { reason: 'try' }) =>
    apiOf(world).ask(who, `POST /v1/targets/${name}/reconcile`, { body });

  it('asks for a reconcile, in the name of who asked', async () => {
    const world = await passed();
    const { status, body } = await ask(world, 'operator');
    const reason = 'operator of acme: try';
    assert.deepEqual([status, body], [202, { estate: 'acme', target: 'here', scope: where.scope, reason }]);
    assert.equal((await world.store.fleet.requests.pendingState(where)).reason, reason);
  });

  const refused = [
    ['viewer', 'here', 403],
    ['approver', 'here', 403],
    ['mover', 'here', 403],
    ['operator', 'nowhere', 404],
    ['there', 'here', 403],
    ['elsewhere', 'here', 404],
  ] as const;
  for (const [who, name, status] of refused)
    it(`${who} at ${name}: ${status}, and nothing is asked for`, async () => {
      const world = await passed();
      const answer = await ask(world, who, name, { reason: 'try', estate: 'acme' });
      assert.equal(answer.status, status, answer.text);
      assert.equal((await world.store.fleet.requests.pendingState(where)).request, 0);
    });

  const reasons = {
    blank: ' ',
    'of two lines': 'a\nb',
    'that moves a cursor': '\u001b[2J',
    'with a NUL': 'a\0',
    'with half a surrogate pair': 'a\ud800',
    'too long for the pass that says it': 'a'.repeat(301),
  };
  for (const [name, reason] of Object.entries(reasons))
    it(`takes no reason: ${name}`, async () => {
      const world = await passed();
      assert.equal((await ask(world, 'operator', 'here', { reason })).status, 400);
      assert.equal((await world.store.fleet.requests.pendingState(where)).request, 0);
    });
});
