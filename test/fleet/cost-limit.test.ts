import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countedCosts } from '../../src/estate/active-spec.ts';
import { heldByLimits } from '../../src/queries/status.ts';
import { machineIn, network } from '../support/engine-world/documents.ts';
import { approveAll, atOnce, type FleetWorld, fleetWorld, south, there, where } from '../support/fleet-world.ts';

const hour = 3_600_000;
const wide = { internet: false, targets: ['here', 'there'], subnets: [{ name: 'app', cidr: '10.20.0.0/18' }] };
const ground = [there, network(wide)];

const row = { provider: 'memory', source: 'https://prices.example/', read: '2026-01-01' };
const pricesOf = (small: number, currency = 'USD') => ({
  kind: 'Prices',
  metadata: { name: 'list' },
  spec: {
    currency,
    prices: [
      { ...row, size: 'small', perHour: small },
      { ...row, size: 'large', perHour: 2 * small },
      { ...row, diskType: 'ssd', perGbMonth: 0 },
    ],
  },
});
/** A small machine costs 730 a month, a large one twice as much. */
const prices = pricesOf(1);
const month = 730;
/** The limit is the price of so many small machines. */
const limitedTo = (machines: number, currency = 'USD') => ({
  limits: { creates: 1000, cost: { monthly: machines * month, currency } },
  ...atOnce,
});

const machine = machineIn({ image: 'img-1', size: 'small', disk: { size: 10, type: 'ssd' } });
const web = (replicas: number, spec: object = {}, labels: object = {}) =>
  machine('web', { replicas, ...spec }, { labels });
const db = (replicas: number, spec: object = {}) => machine('db', { replicas, targets: ['there'], ...spec });

const machinesIn = ({ cloud }: FleetWorld): number =>
  cloud.inspect.live().filter(({ type }) => type === 'instance').length;
const reconcileAll = async (world: FleetWorld, times = 2): Promise<void> => {
  for (let time = 0; time < times; time++) for (const at of [where, south]) await world.reconcile(undefined, at);
};
const whyOf = async (world: FleetWorld): Promise<string> => (await heldByLimits('acme', world.store))[0]?.why ?? '';
/** In small machines. */
const costOf = async ({ store }: FleetWorld): Promise<number> =>
  (await store.fleet.costs.list('acme')).reduce((sum, { cost }) => sum + (cost?.monthly ?? 0), 0) / month;
/** Somebody ends a machine. */
const endOne = ({ cloud }: FleetWorld): void => {
  const [one] = cloud.inspect.live().filter(({ type }) => type === 'instance');
  assert.ok(one);
  cloud.outside.do('TerminateInstances', { ids: [one.id] });
};

async function standing(documents: readonly object[], estate: object): Promise<FleetWorld> {
  const world = fleetWorld();
  await world.accept([...ground, prices, ...documents], estate);
  await reconcileAll(world);
  return world;
}

describe('a limit on the monthly cost of an estate', () => {
  it('holds a rollout above it, reports it, and goes on when the limit is raised', async () => {
    const world = await standing([web(1000)], limitedTo(10));
    assert.equal(machinesIn(world), 0);
    assert.match(await whyOf(world), /would cost 730000.00 USD a month, the limit is 7300.00/);
    await world.accept([...ground, prices, web(10)], limitedTo(10));
    await reconcileAll(world);
    assert.equal(machinesIn(world), 10);
    assert.equal(await costOf(world), 10);
    await world.accept([...ground, prices, web(11)], limitedTo(11));
    await reconcileAll(world);
    assert.equal(machinesIn(world), 10, 'a loosening counts from the next generation on');
    assert.match(await whyOf(world), /would cost 8030.00 USD a month, the limit is 7300.00/);
    await world.accept([...ground, prices, web(11, {}, { a: 'b' })], limitedTo(11));
    await reconcileAll(world);
    assert.equal(machinesIn(world), 11);
  });

  it('counts two scopes together, whichever comes first', async () => {
    const world = await standing([], limitedTo(5));
    await world.accept([...ground, prices, web(3), db(3)], limitedTo(5));
    await reconcileAll(world);
    assert.equal(machinesIn(world), 0);
    assert.match(await whyOf(world), /would cost 4380.00 USD a month, the limit is 3650.00/);
  });

  it('lets one of two scopes pass where they race', async () => {
    const world = fleetWorld();
    await world.accept([...ground, prices], limitedTo(5));
    await reconcileAll(world);
    await world.accept([...ground, prices, web(3), db(3)], limitedTo(5));
    const { list } = world.store.fleet.costs;
    // Each of both planned before the other one kept its cost.
    const before = await list('acme');
    const racing = { ...world.store.fleet.costs, list: async () => before.map((one) => ({ ...one, ...counted(one) })) };
    Object.assign(world.store.fleet, { costs: racing });
    for (const at of [where, south]) await world.reconcile(undefined, at);
    const inScope = (scope: string) =>
      world.cloud.inspect.live().filter(({ mark }) => mark?.address?.startsWith(`${scope}/instance/`)).length;
    assert.deepEqual(
      [where, south].map(({ scope }) => inScope(scope)),
      [3, 2],
      'the intents within the limit',
    );
  });

  it('lets free changes pass, and savings make room', async () => {
    const world = await standing([web(5), db(5)], limitedTo(10));
    assert.equal(machinesIn(world), 10);
    await world.accept([...ground, prices, web(5, {}, { tier: 'web' }), db(6)], limitedTo(10));
    await reconcileAll(world);
    assert.equal(machinesIn(world), 10);
    const labelled = world.cloud.inspect
      .live()
      .filter(({ type, record }) => type === 'instance' && record.tags['tier'] === 'web');
    assert.equal(labelled.length, 5);
    await world.accept([...ground, prices, web(4, {}, { tier: 'web' }), db(6)], limitedTo(10));
    await reconcileAll(world, 3);
    assert.equal(machinesIn(world), 10);
    assert.equal(await costOf(world), 10);
  });

  it('holds a resize up and a power on, and lets a resize down and a power off pass', async () => {
    const limits = {
      limits: { replaces: 50, share: '100%', cost: { monthly: 5 * month, currency: 'USD' } },
      ...atOnce,
    };
    const world = await standing([web(2), db(1, { power: 'stopped' })], limits);
    const settle = async (...documents: readonly object[]) => {
      await world.accept([...ground, prices, ...documents], limits);
      await reconcileAll(world, 4);
      return await costOf(world);
    };
    assert.equal(await settle(web(2, { size: 'large' }), db(1, { power: 'stopped' })), 4);
    assert.equal(await settle(web(2, { size: 'large' }), db(1, { size: 'large' })), 4, await whyOf(world));
    assert.equal(await settle(web(2, { size: 'small' }), db(1, { size: 'large' })), 4, await whyOf(world));
  });
});

describe('the costs that a reconcile reads and keeps', () => {
  it('counts a scope once for all limits, and reads no costs where nothing raises them', async () => {
    const world = await standing([web(1)], limitedTo(5));
    const { inventory, fleet } = world.store;
    const calls: ('look' | 'list')[] = [];
    const latest: typeof inventory.latest = (...at) => {
      calls.push('look');
      return inventory.latest(...at);
    };
    const list: typeof fleet.costs.list = (name) => {
      calls.push('list');
      return fleet.costs.list(name);
    };
    Object.assign(world.store, {
      inventory: { ...inventory, latest },
      fleet: { ...fleet, costs: { ...fleet.costs, list } },
    });
    await world.accept([...ground, prices, web(3)], limitedTo(5));
    await world.reconcile();
    assert.equal(machinesIn(world), 3);
    assert.equal(calls.filter((call) => call === 'look').length, 1);
    calls.length = 0;
    await world.accept([...ground, prices, web(3, {}, { a: 'b' })], limitedTo(5));
    await world.reconcile();
    assert.deepEqual(calls, []);
  });

  it('knows what is still to be rolled out also while a former generation heals', async () => {
    const limits = {
      limits: { replaces: 50, share: '100%', cost: { monthly: 2 * month, currency: 'USD' } },
      ...atOnce,
    };
    const world = await standing([web(2)], limits);
    const { costs } = world.store.fleet;
    const increases: (number | undefined)[] = [];
    const keep: typeof costs.keep = (at, cost) => {
      increases.push(cost.plannedIncrease);
      return costs.keep(at, cost);
    };
    Object.assign(world.store.fleet, { costs: { ...costs, keep } });
    await world.accept([...ground, prices, web(2, { size: 'large' })], limits);
    await world.reconcile();
    assert.deepEqual([...new Set(increases)], [2 * month, undefined]);
    const [kept] = await costs.list('acme');
    assert.equal(kept?.cost?.plannedIncrease, 2 * month);
  });
});

describe('a scope that leaves the specs', () => {
  const alone = [network({ ...wide, targets: ['here'] }), prices];

  it('keeps its cost as long as a machine of ours stands there', async () => {
    const world = await standing([web(2), db(3)], limitedTo(5));
    await world.accept([...alone, web(3)], limitedTo(5));
    await world.reconcile();
    assert.equal(machinesIn(world), 5);
    assert.match(await whyOf(world), /would cost 4380.00 USD/);
  });

  it('costs nothing where none stood', async () => {
    const world = await standing([web(2)], limitedTo(3));
    const lease = await world.store.leases.acquire('acme', south.scope, 'somebody');
    assert.ok(lease.ok);
    const cost = { generation: 1, currency: 'USD', monthly: 3 * month, plannedIncrease: 0, unpriced: [] };
    await world.store.fleet.costs.keep({ ...south, lease: lease.lease }, cost);
    await world.accept([...alone, web(3)], limitedTo(3));
    await world.reconcile();
    assert.equal(machinesIn(world), 3);
  });
});

describe('prices and a limit on the cost', () => {
  it('a lower price in the same commit passes nothing', async () => {
    const world = await standing([web(5)], limitedTo(5));
    await world.accept([...ground, pricesOf(0.1), web(6)], limitedTo(5));
    await reconcileAll(world);
    assert.equal(machinesIn(world), 5);
    assert.match(await whyOf(world), /would cost 4380.00 USD/);
    await world.accept([...ground, pricesOf(0.1), web(6, {}, { a: 'b' })], limitedTo(5));
    await reconcileAll(world);
    assert.equal(machinesIn(world), 6);
  });

  it('a generation that changes the currency raises nothing', async () => {
    const world = await standing([web(5)], limitedTo(5));
    await world.accept([...ground, pricesOf(0.1, 'EUR'), web(6)], limitedTo(500, 'EUR'));
    await reconcileAll(world);
    assert.equal(machinesIn(world), 5);
    assert.match(
      await whyOf(world),
      /[Tt]he cost limit was in USD before this commit \(limits.cost\), the prices are in EUR/,
    );
  });

  it('a generation that drops the limit and changes the currency of the prices raises nothing either', async () => {
    const world = await standing([web(5)], limitedTo(500, 'USD'));
    await world.accept([...ground, pricesOf(0.001, 'EUR'), web(6)], { limits: { creates: 1000 }, ...atOnce });
    await reconcileAll(world);
    assert.equal(machinesIn(world), 5);
    assert.match(
      await whyOf(world),
      /[Tt]he cost limit was in USD before this commit \(limits.cost\), the prices are in EUR/,
    );
  });

  it('after a change of the currency, all scopes are counted anew before anything is raised', async () => {
    const world = await standing([web(2), db(3)], limitedTo(5));
    const inEuros = limitedTo(5000, 'EUR');
    await world.accept([...ground, pricesOf(1000, 'EUR'), web(2), db(3)], inEuros);
    await world.reconcile();
    await world.accept([...ground, pricesOf(1000, 'EUR'), web(3), db(3)], inEuros);
    await world.reconcile();
    assert.equal(machinesIn(world), 5, 'the other scope costs 3000, not 3');
    const costs = await world.store.fleet.costs.list('acme');
    assert.deepEqual(
      costs.map(({ cost }) => [cost?.generation, cost?.currency]),
      [
        [3, 'EUR'],
        [3, 'EUR'],
      ],
      'the reconcile of one scope counts the others',
    );
    await reconcileAll(world);
    assert.equal(machinesIn(world), 5);
    assert.match(await whyOf(world), /would cost 4380000.00 EUR a month, the limit is 3650000.00/);
  });

  it('a cost in another currency is none of a scope of the specs, which is counted again', async () => {
    const world = await standing([web(2), db(3)], limitedTo(5));
    const named = { name: 'acme', compiled: { scopes: [{ scope: where.scope }] } };
    const inDollars = await countedCosts(named, world.store, { currency: 'USD' });
    const inEuros = await countedCosts(named, world.store, { currency: 'EUR' });
    assert.deepEqual(inDollars.uncounted, []);
    assert.deepEqual(inEuros.uncounted, [where.scope]);
  });

  it('a machine without a price is held, and it says so', async () => {
    const world = await standing([web(1, { size: 'huge' })], limitedTo(1_000_000));
    assert.equal(machinesIn(world), 0);
    assert.match(await whyOf(world), /No price for memory north huge: add it to prices.yaml/);
  });
});

describe('a limit on the cost, with', () => {
  it('healing: a machine that somebody ended comes back, also while a rollout is held', async () => {
    const world = await standing([web(5)], limitedTo(5));
    await world.accept([...ground, prices, web(5), db(3)], limitedTo(5));
    await reconcileAll(world);
    endOne(world);
    await world.clock.advance(1_000_000);
    await reconcileAll(world);
    assert.equal(machinesIn(world), 5);
    assert.match(await whyOf(world), /would cost 5840.00 USD/);
  });

  it('healing: none comes back above a limit that was lowered', async () => {
    const world = await standing([web(5)], limitedTo(5));
    await world.accept([...ground, prices, web(5)], limitedTo(3));
    await reconcileAll(world);
    endOne(world);
    await world.clock.advance(1_000_000);
    await reconcileAll(world);
    assert.equal(machinesIn(world), 4);
    assert.match(await whyOf(world), /would cost 3650.00 USD a month, the limit is 2190.00/);
  });

  it('waves: later waves count with the first', async () => {
    const waves = { rollout: { canary: 1 } };
    const world = await standing([web(6, waves)], limitedTo(5));
    assert.equal(machinesIn(world), 0);
    assert.match(await whyOf(world), /would cost 4380.00 USD/);
  });

  it('an approval: workers launch the covered machines once, and count them', async () => {
    const world = await standing([web(6)], limitedTo(5));
    assert.equal(machinesIn(world), 0);
    await approveAll(world);
    await reconcileAll(world);
    assert.equal(machinesIn(world), 6);
    assert.equal(await costOf(world), 6);
    endOne(world);
    await world.clock.advance(1_000_000);
    await reconcileAll(world);
    assert.equal(machinesIn(world), 5, 'an approval is spent by what it let pass');
  });

  it('a window: machines that wait for it are not launched, and are no planned increase', async () => {
    const closed = { windows: [{ name: 'never-now', days: ['mon'], from: '00:00', to: '00:01', timeZone: 'UTC' }] };
    const world = await standing([web(3)], { ...limitedTo(5), ...closed });
    assert.equal(machinesIn(world), 0);
    assert.equal(await whyOf(world), '');
    assert.equal(world.said().at(-2), 'withheld: window 7');
    assert.deepEqual(
      (await world.store.fleet.costs.list('acme')).map(({ cost }) => [cost?.monthly, cost?.plannedIncrease]),
      [
        [0, 0],
        [0, 0],
      ],
    );
  });

  it('grace: a machine in its grace costs until it is gone', async () => {
    const slow = { limits: { cost: { monthly: 5 * month, currency: 'USD' } }, deletionGracePeriod: { instance: '1h' } };
    const removable = { deletionPolicy: 'delete' };
    const world = await standing([web(5, removable)], slow);
    assert.equal(machinesIn(world), 5);
    await world.accept([...ground, prices, db(5)], slow);
    await reconcileAll(world);
    assert.equal(machinesIn(world), 5);
    assert.match(await whyOf(world), /would cost 7300.00 USD/);
    await world.clock.advance(hour + 600_000);
    await reconcileAll(world, 3);
    assert.equal(machinesIn(world), 5);
    assert.equal(await costOf(world), 5);
    assert.equal(await whyOf(world), '');
  });
});

/** A scope as it is counted before anything is launched. */
const counted = ({ cost }: { readonly cost?: object }) =>
  cost === undefined ? {} : { cost: { ...cost, generation: 2, monthly: 0, plannedIncrease: 0 } };
