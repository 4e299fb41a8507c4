import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { machineIn, network } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const hour = 3_600_000;
const machine = machineIn({ image: 'img-1', size: 'small' });
const net = network({ internet: false });
const web = (spec: object = {}) => machine('web', { beforeDelete: 'stop', deletionPolicy: 'delete', ...spec });

const machines = ({ cloud }: FleetWorld) =>
  cloud.inspect
    .live()
    .filter(({ type }) => type === 'instance')
    .map(({ id, record }) => {
      const { sent } = JSON.parse(JSON.stringify(record)).power;
      return [id, sent === 'run' ? 'running' : 'stopped'] as const;
    });
const powers = (world: FleetWorld) => machines(world).map(([, power]) => power);
const tombstones = async ({ store }: FleetWorld) =>
  [...((await store.inventory.knowledge(where.estate, where.scope)).tombstones ?? [])].map(([, one]) => one);
const stateOf = async ({ store }: FleetWorld) => {
  const page = { seen: [{}], filter: {}, sort: { by: 'address', descending: false }, limit: 100 } as const;
  return (await store.rows.page(page)).rows.find(({ key }) => key.includes('instance'))?.state;
};
const later = (world: FleetWorld, ms: number) => world.clock.run(() => world.clock.sleep(ms));

async function settled(documents: readonly object[], estate: object = {}): Promise<FleetWorld> {
  const world = fleetWorld();
  await world.accept(documents, estate);
  assert.equal((await world.reconcile()).outcome, 'done');
  // why: a machine that boots is not stopped
  await later(world, 600_000);
  return world;
}

/** As many reconciles as a worker makes of one commit. */
async function reconciled(world: FleetWorld): Promise<readonly string[]> {
  const writes: string[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    writes.push(...(await world.reconcile()).writes);
    await later(world, 120_000);
  }
  return writes;
}

describe('beforeDelete: stop', () => {
  it('stops a removed machine for its grace, and deletes it at its end', async () => {
    const world = await settled([net, web()]);
    await world.accept([net]);
    const begun = world.clock.now();
    assert.deepEqual(await reconciled(world), ['StopInstances']);
    assert.deepEqual(powers(world), ['stopped']);
    const [tombstone] = await tombstones(world);
    assert.ok(tombstone && tombstone.since - begun < 60_000);
    await later(world, hour);
    assert.deepEqual((await reconciled(world)).includes('TerminateInstances'), true);
    assert.deepEqual(machines(world), []);
  });

  it('starts the same machine again, where the document is back in time', async () => {
    const world = await settled([net, web()]);
    const before = machines(world);
    await world.accept([net]);
    await reconciled(world);
    await world.accept([net, web()]);
    assert.deepEqual(await reconciled(world), ['StartInstances']);
    assert.deepEqual(machines(world), before);
  });

  it('stops replicas that are scaled down, and counts against no limit twice', async () => {
    const limits = { limits: { deletes: 1, replaces: 0 } };
    const world = await settled([net, web({ replicas: 2 })], limits);
    await world.accept([net, web({ replicas: 1 })], limits);
    await reconciled(world);
    assert.deepEqual(powers(world).toSorted(), ['running', 'stopped']);
    assert.equal((await world.store.generations.spent(where.estate, 2)).generation.deletes, 1);
    await later(world, hour);
    await reconciled(world);
    assert.equal(machines(world).length, 1);
  });

  it('leaves a machine alone that a colleague started in its grace', async () => {
    const world = await settled([net, web()]);
    await world.accept([net]);
    await reconciled(world);
    assert.match((await stateOf(world))?.reason ?? '', /Until then it is held stopped,/);
    world.cloud.outside.do('StartInstances', { ids: machines(world).map(([id]) => id) });
    await later(world, 10 * 60_000);
    assert.deepEqual(await reconciled(world), []);
    assert.deepEqual(powers(world), ['running']);
    assert.match((await stateOf(world))?.reason ?? '', /Until then it runs untouched,/);
  });

  it('waits until the machine has booted, and for a pause of its document', async () => {
    const world = fleetWorld();
    await world.accept([net, web()]);
    await world.reconcile();
    await world.accept([net]);
    await world.reconcile();
    assert.deepEqual(powers(world), ['running']);
    const held = { what: 'all', of: { by: 'address', name: `${where.scope}/instance/web` } } as const;
    const by = { person: 'ada', reason: 'x' };
    await world.store.fleet.pauses.begin(where.estate, { ...held, ...by, until: world.clock.now() + 20 * hour });
    await later(world, 600_000);
    assert.deepEqual(await reconciled(world), []);
    assert.match((await stateOf(world))?.reason ?? '', /Until then Setpoint stops it, .* Held besides: paused/);
    await world.store.fleet.pauses.end(where.estate, held, by);
    assert.deepEqual(await reconciled(world), ['StopInstances']);
  });

  it('counts for a document that states it later, without a call', async () => {
    const world = await settled([net, web({ beforeDelete: undefined })]);
    await world.accept([net, web()]);
    assert.deepEqual(await reconciled(world), []);
    await world.accept([net]);
    assert.deepEqual(await reconciled(world), ['StopInstances']);
  });
});

it('beforeDelete: a stop that the cloud refuses is tried less and less often, shown, and delays no deletion', async () => {
  const world = await settled([net, web()]);
  await world.accept([net]);
  world.cloud.faults.add({ on: 'StopInstances', fault: { do: 'refuse', code: 'Denied' }, times: 1e6 });
  const tries: number[] = [];
  let shown: unknown;
  for (let minute = 0; minute < 55; minute += 1) {
    const { writes } = await world.reconcile();
    if (writes.includes('StopInstances')) {
      tries.push(minute);
      shown = (await stateOf(world))?.status;
    }
    await later(world, 60_000);
  }
  assert.ok(tries.length >= 4 && tries.length <= 8, `tried in the minutes ${tries}`);
  assert.equal(shown, 'Failed');
  const [kept] = await world.store.fleet.backoffs.list(where);
  assert.ok(kept && kept.failures >= 4 && kept.waits);
  await later(world, 6 * 60_000);
  assert.ok(world.clock.now() < (kept?.until ?? 0), 'the stop would wait');
  assert.ok((await world.reconcile()).writes.includes('TerminateInstances'));
});
