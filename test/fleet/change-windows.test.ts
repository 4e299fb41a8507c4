import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { noCount } from '../../src/core/limits.ts';
import type { PauseDraft } from '../../src/core/pause.ts';
import { generationsOf } from '../../src/fleet/generations.ts';
import { guardOf, type ReconcileConstraints } from '../../src/fleet/reconcile-constraints.ts';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { approveAll, atOnce, type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const machine = machineIn({ image: 'img-1', size: 'small' });
const ground = [network({ internet: false }), rule('https'), machine('web', {}, { labels: { tier: 'a' } })];
const more = [...ground, rule('http', { ports: [80] })];

const dayMs = 86_400_000;
/** A local time in UTC, so many ms from now. */
const localTime = ({ clock }: FleetWorld, inMs: number): string =>
  new Date(clock.now() + inMs).toISOString().slice(0, 16);
const freeze = (world: FleetWorld, fields: object = {}) => ({
  freezes: [
    { name: 'sale', from: localTime(world, -dayMs), to: localTime(world, dayMs), reason: 'the sale', ...fields },
  ],
});
/** Open only on the day before yesterday's weekday. */
const shut = ({ clock }: FleetWorld) => ({
  windows: [
    {
      name: 'weekly',
      days: [['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][new Date(clock.now() - 2 * dayMs).getUTCDay()]],
      from: '00:00',
      to: '24:00',
    },
  ],
});

const standing = async (estate: object = {}): Promise<FleetWorld> => {
  const world = fleetWorld();
  await world.accept(ground, estate);
  assert.equal((await world.reconcile()).outcome, 'done');
  return world;
};
const reason = (world: FleetWorld): string => world.said().at(-1) ?? '';
const machineOf = ({ cloud }: FleetWorld) => cloud.inspect.live().find(({ type }) => type === 'instance');
const rowsOf = async ({ store }: FleetWorld) =>
  (await store.rows.page({ seen: [{}], filter: {}, sort: { by: 'address', descending: false }, limit: 100 })).rows;
/** A rule that nobody wrote, for anyone, in the group of the machine. */
const openByHand = async (world: FleetWorld): Promise<void> => {
  const group =
    (await rowsOf(world)).find(({ called }) => called.address?.endsWith('/group/core.web'))?.called.id ?? '';
  const rules = [{ protocol: 'tcp', from: 22, to: 22, peer: '0.0.0.0/0', description: 'by hand' }];
  world.cloud.outside.do('AuthorizeRules', { group, direction: 'ingress', rules });
};

describe('a worker outside a window, or within a freeze', () => {
  for (const [name, calendar, code] of [
    ['a window', shut, 'window'],
    ['a freeze', freeze, 'freeze'],
  ] as const)
    it(`rolls nothing out: ${name}`, async () => {
      const world = await standing();
      await world.accept(more, calendar(world));
      assert.deepEqual((await world.reconcile()).writes, []);
      assert.match(reason(world), new RegExp(`^withheld: ${code} 1$`));
      const [row] = (await rowsOf(world)).filter(({ state }) => state.code === code);
      assert.equal(row?.state.status, 'Pending');
    });

  it('goes on once it is over, by itself', async () => {
    const world = await standing();
    await world.accept(more, freeze(world));
    assert.deepEqual((await world.reconcile()).writes, []);
    await world.clock.run(() => world.clock.sleep(dayMs));
    assert.deepEqual((await world.reconcile()).writes, ['AuthorizeRules']);
  });

  it('heals drift that only narrows traffic, and no other', async () => {
    const world = fleetWorld();
    await world.accept(ground, freeze(world, { from: localTime(world, dayMs), to: localTime(world, 2 * dayMs) }));
    assert.equal((await world.reconcile()).outcome, 'done');
    await world.clock.run(() => world.clock.sleep(dayMs));
    world.cloud.outside.do('TagObjects', { ids: [machineOf(world)?.id ?? ''], tags: { tier: 'by hand' } });
    await openByHand(world);
    assert.deepEqual((await world.reconcile()).writes, ['RevokeRules']);
    assert.equal(machineOf(world)?.record.tags['tier'], 'by hand');
  });
});

describe('a window or freeze beside another rule', () => {
  it('a pause of all holds what a freeze lets pass', async () => {
    const world = await standing();
    await world.accept(more, freeze(world));
    await openByHand(world);
    const until = world.clock.now() + dayMs;
    const everything = { what: 'all', of: { by: 'estate' } } as const;
    await world.store.fleet.pauses.begin(where.estate, { ...everything, reason: 'x', person: 'ada', until });
    assert.deepEqual((await world.reconcile()).writes, []);
    await world.store.fleet.pauses.end(where.estate, everything, { person: 'ada', reason: 'x' });
    assert.deepEqual((await world.reconcile()).writes, ['RevokeRules']);
  });

  it('an approval opens no window, and counts once it opens', async () => {
    const world = await standing();
    await world.accept(more, {
      mode: 'plan',
      ...freeze(world, { to: localTime(world, 3_600_000) }),
    });
    await world.reconcile();
    await approveAll(world);
    assert.deepEqual((await world.reconcile()).writes, []);
    assert.match(reason(world), /freeze 1/);
    await world.clock.run(() => world.clock.sleep(3_600_000));
    assert.deepEqual((await world.reconcile()).writes, ['AuthorizeRules']);
  });

  it('a protected object stays protected when a freeze is over', async () => {
    const kept = [network({ internet: false }), machine('web', { protect: true, deletionPolicy: 'delete' })];
    const world = fleetWorld();
    await world.accept(kept);
    assert.equal((await world.reconcile()).outcome, 'done');
    await world.accept([network({ internet: false })], freeze(world));
    await world.reconcile();
    await world.clock.run(() => world.clock.sleep(dayMs));
    assert.deepEqual((await world.reconcile()).writes, []);
    assert.match(reason(world), /protect 1/);
  });
});

describe('an incident', () => {
  const during = async (held: Partial<PauseDraft>): Promise<FleetWorld> => {
    const world = await standing();
    await world.accept(more);
    await openByHand(world);
    world.cloud.outside.do('TagObjects', { ids: [machineOf(world)?.id ?? ''], tags: { tier: 'by hand' } });
    const draft = { what: 'all', of: { by: 'estate' }, reason: 'x', person: 'ada', incident: 'outage' } as const;
    const until = world.clock.now() + dayMs;
    await world.store.fleet.pauses.begin(where.estate, { ...draft, letsNarrow: true, until, ...held });
    return world;
  };
  const rows: readonly (readonly [name: string, held: Partial<PauseDraft>, writes: readonly string[]])[] = [
    ['holds everything but healing that narrows traffic', {}, ['RevokeRules']],
    ['holds that too where its person says so', { letsNarrow: false }, []],
    ['of rollouts lets all healing go on', { what: 'rollout' }, ['RevokeRules', 'TagObjects']],
    ['of healing lets rollouts go on', { what: 'healing' }, ['AuthorizeRules', 'RevokeRules']],
  ];
  for (const [name, held, writes] of rows)
    it(name, async () => assert.deepEqual((await (await during(held)).reconcile()).writes.toSorted(), writes));
});

describe('no commit lifts its own freeze', () => {
  const without = ground.slice(0, 2);
  const deletable = [network({ internet: false }), rule('https'), machine('web', { deletionPolicy: 'delete' })];
  const frozen = async (documents: readonly object[], calendar: (world: FleetWorld) => object): Promise<FleetWorld> => {
    const world = fleetWorld();
    await world.accept(documents, atOnce);
    assert.equal((await world.reconcile()).outcome, 'done');
    await world.accept(documents, { ...atOnce, ...calendar(world) });
    return world;
  };

  for (const [name, calendar, code] of [
    ['freeze', freeze, 'freeze'],
    ['window', shut, 'window'],
  ] as const)
    it(`a commit that removes a ${name} deletes nothing by it; the next one does`, async () => {
      const world = await frozen(deletable, calendar);
      await world.accept(without, atOnce);
      assert.deepEqual((await world.reconcile()).writes, []);
      assert.match(reason(world), new RegExp(`${code} 1`));
      await world.accept(without, { ...atOnce, limits: { deletes: 6 } });
      assert.deepEqual((await world.reconcile()).writes, ['TerminateInstances']);
    });

  it('a commit that gives a document another owner is held by the freeze of the former owner', async () => {
    const owned = (owner: string, tier: string) => [
      network({ internet: false }),
      machine('web', {}, { owner, labels: { tier } }),
    ];
    const ofOwner = (world: FleetWorld) => freeze(world, { owners: ['team-web'] });
    const world = await frozen(owned('team-web', 'a'), ofOwner);
    await world.accept(owned('team-db', 'b'), ofOwner(world));
    assert.deepEqual((await world.reconcile()).writes, []);
    await world.accept(owned('team-db', 'c'), ofOwner(world));
    assert.deepEqual((await world.reconcile()).writes, ['TagObjects']);
  });
});

test('a guard is drawn up again when its time is over, once for all who ask', async () => {
  let drawn = 0;
  const constraints = (guardUntil?: number): ReconcileConstraints => ({
    bounds: { limits: { deletes: 1, replaces: 1 }, owned: 0, spent: { generation: noCount, healing: noCount } },
    holds: [],
    estateHolds: [],
    choices: {},
    approved: () => false,
    consentsOf: () => [],
    stopped: [],
    withdrawn: new Set(),
    authority: { plan: 'x', approver: 'x' },
    guardEpoch: 1,
    ...(guardUntil === undefined ? {} : { guardUntil }),
    counting: { epoch: 1 },
    generation: 1,
    again: async () => constraints(++drawn * 10),
  });
  const world = await standing();
  const current = await world.store.generations.current(where.estate);
  assert.ok(current);
  const estate = await generationsOf(world.context).open(where.estate, current);
  const [scope] = estate.compiled.scopes;
  assert.ok(scope);
  const guard = guardOf({ generation: current, estate, scope }, constraints(5));
  assert.equal(guard.until, 5);
  const untils = async (at: number, epoch = 1) =>
    (await Promise.all([1, 2].map(() => guard.judge([], { epoch, at })))).map(({ until }) => until);
  assert.deepEqual(await untils(5), [10, 10]);
  assert.deepEqual(await untils(9), [10, 10]);
  assert.deepEqual(await untils(10), [20, 20]);
  assert.deepEqual(await untils(10, 2), [30, 30]);
});
