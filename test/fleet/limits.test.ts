import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { charterOf } from '../../src/fleet/charter.ts';
import { elsewhere } from '../../src/fleet/elsewhere.ts';
import { generationsOf } from '../../src/fleet/generations.ts';
import { network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const there = {
  kind: 'Target',
  metadata: { name: 'there' },
  spec: { provider: 'memory', account: 'acme', region: 'south' },
};
const south = { ...where, scope: 'memory/acme/south' };
const ground = [there, network({ internet: false, targets: ['here', 'there'] })];
const rules = Array.from({ length: 3 }, (_, n) => rule(`r${n}`, { ports: [1000 + n] }));
const limitedTo = (deletes: number) => ({ limits: { deletes, replaces: 5 } });
const atOf = { north: where, south };

const passOf = (world: FleetWorld, at: keyof typeof atOf) => world.pass(undefined, atOf[at]);

/** Three rules stand in each of two scopes, and a newer generation names none of them. */
async function removing(deletes: number): Promise<FleetWorld> {
  const world = fleetWorld();
  await world.accept([...ground, ...rules], limitedTo(deletes));
  for (const at of ['north', 'south'] as const) assert.equal((await passOf(world, at)).outcome, 'done');
  await world.accept(ground, limitedTo(deletes));
  return world;
}

describe('limits of an estate with two scopes, each with a worker of its own', () => {
  it('hold both back where each alone would be within them', async () => {
    const world = await removing(4);
    for (const at of ['north', 'south', 'north', 'south'] as const)
      assert.deepEqual((await passOf(world, at)).writes, [], at);
    assert.match(world.said().at(-1) ?? '', /withheld: limit 3/);
  });

  it('let both go on where they are within them together', async () => {
    const world = await removing(6);
    assert.notDeepEqual((await passOf(world, 'north')).writes, []);
    assert.notDeepEqual((await passOf(world, 'south')).writes, []);
    assert.deepEqual((await world.store.generations.spent('acme', 2)).generation, { deletes: 6, replaces: 0 });
  });

  it('do not wait for a scope that nobody ever looked at', async () => {
    const world = fleetWorld();
    await world.accept([...ground, ...rules], limitedTo(4));
    assert.equal((await passOf(world, 'north')).outcome, 'done');
    await world.accept(ground, limitedTo(4));
    assert.notDeepEqual((await passOf(world, 'north')).writes, []);
  });
});

describe('what is still to be destroyed elsewhere', () => {
  const told = async (world: FleetWorld) => {
    const generations = generationsOf(world.yard);
    const generation = await world.store.generations.current('acme');
    assert.ok(generation);
    const estate = await generations.open('acme', generation);
    const [scope] = estate.compiled.scopes;
    assert.ok(scope);
    const by = { generation, estate, scope };
    const charter = await charterOf(south, by, { store: world.store, generations });
    return elsewhere(south, by, charter, world.store);
  };

  it('is what the other scopes were seen to hold too much', async () => {
    assert.deepEqual(await told(await removing(9)), { deletes: 3, replaces: 0 });
  });

  it('is not what was removed after the last look', async () => {
    const world = await removing(9);
    const [look] = await world.store.inventory.latest('acme', where.scope);
    assert.ok(look);
    await passOf(world, 'north');
    await world.store.inventory.record('acme', { ...look, at: world.clock.now() + 1 });
    assert.deepEqual(await told(world), { deletes: 0, replaces: 0 });
  });

  it('is not what is under way: that has its place in the count', async () => {
    const world = await removing(9);
    await begun(world);
    assert.deepEqual(await told(world), { deletes: 2, replaces: 0 });
  });

  it('is not what a mode or a pause holds there', async () => {
    const world = await removing(9);
    await world.store.fleet.pauses.begin('acme', {
      what: 'all',
      of: { by: 'target', name: 'here' },
      reason: 'a freeze',
      person: 'ada',
      until: world.clock.now() + 3_600_000,
    });
    assert.deepEqual(await told(world), { deletes: 0, replaces: 0 });
  });
});

/** One of the removals in the north is intended, and its worker dies. */
async function begun({ store }: FleetWorld): Promise<void> {
  const acquired = await store.leases.acquire('acme', where.scope, 'worker-2');
  assert.ok(acquired.ok);
  const { lease } = acquired;
  const { applied } = await store.inventory.knowledge('acme', where.scope);
  const address =
    [...applied].find(([, { documents }]) => documents?.some((one) => one.endsWith('/core.r0')))?.[0] ?? '';
  const authority = { revision: 'r', generation: 2, plan: 'unattended', approver: 'setpoint' };
  const pass = { ...where, reconcileId: '1', authority, lease: { holder: lease.holder, epoch: lease.epoch } };
  const subject = { kind: 'firewall-rule', address } as const;
  await store.ledger.intend(pass, [
    { verb: 'delete', subject, details: {}, counts: { as: 'delete', by: 'generation', document: address } },
  ]);
  await lease.release();
}
