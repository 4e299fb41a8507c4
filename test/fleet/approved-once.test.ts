import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialect } from '../../providers/memory/dialect.ts';
import type { Action } from '../../src/core/action.ts';
import { actionDigest } from '../../src/core/digest.ts';
import { plan } from '../../src/core/plan/plan.ts';
import { openEstate } from '../../src/estate/load.ts';
import { sha256 } from '../../src/estate/sha256.ts';
import type { Approval } from '../../src/ports/fleet-state.ts';
import { machineIn, network } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const machine = machineIn({ image: 'img-1', size: 'small' });
const ground = network({ internet: false });
const web = (spec: object = {}, tier = 'a') => machine('web', { replicas: 2, ...spec }, { labels: { tier } });
const by = { person: 'ada', reason: 'looked at' };
/** Longer than a cloud may hide a written resource. */
const laterMs = 700_000;

const machines = ({ cloud }: FleetWorld) => cloud.inspect.live().filter(({ type }) => type === 'instance');
const endAll = ({ cloud }: FleetWorld, from: readonly { readonly id: string }[]): void =>
  void cloud.outside.do('TerminateInstances', { ids: from.map(({ id }) => id) });

async function reconcile(world: FleetWorld): Promise<readonly string[]> {
  await world.clock.advance(laterMs);
  const { writes } = await world.reconcile();
  return writes;
}

/** The actions of a person's plan now. */
async function shown({ store, context }: FleetWorld): Promise<readonly Action[]> {
  const current = await store.generations.current(where.estate);
  const [observation] = await store.inventory.latest(where.estate);
  const kept = await store.fleet.specSnapshots.read(where.estate, current?.revision ?? '');
  assert.ok(current && observation && kept);
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

async function approve(world: FleetWorld): Promise<Approval> {
  const generation = (await world.store.generations.current(where.estate))?.number ?? 0;
  const actions = await shown(world);
  assert.ok(actions.length > 0, 'something waits');
  return world.store.fleet.approvals.give({
    ...where,
    generation,
    digest: 'shown',
    actions: actions.map((action) => actionDigest(action, sha256)),
    destroys: actions.filter(({ verb }) => verb === 'replace' || verb === 'delete').length,
    by,
    until: world.clock.now() + 86_400_000,
  });
}

/** In mode `plan`, all of it approved once, and standing. */
async function approvedOnce(): Promise<FleetWorld> {
  const world = fleetWorld();
  await world.accept([ground, web()], { mode: 'plan' });
  await world.reconcile();
  await approve(world);
  assert.ok((await reconcile(world)).includes('RunInstances'));
  assert.equal(machines(world).length, 2);
  // A machine that a person ends before it is 15 minutes old would be a failed birth.
  await world.clock.advance(1_000_000);
  await world.reconcile();
  return world;
}

const pauseAll = ({ store, clock }: FleetWorld) =>
  store.fleet.pauses.begin(where.estate, {
    what: 'all',
    of: { by: 'estate' },
    ...by,
    until: clock.now() + 86_400_000,
  });
const resume = ({ store }: FleetWorld) =>
  store.fleet.pauses.end(where.estate, { what: 'all', of: { by: 'estate' } }, by);

/** Says something just before this request is served for the nth time. */
function before(action: string, say: (world: FleetWorld) => unknown, world: FleetWorld): void {
  const { cloud } = world;
  const { serve } = cloud;
  let said = false;
  Object.assign(cloud, {
    serve: async (...[caller, asked, input]: Parameters<typeof serve>) => {
      if (asked === action && !said) {
        said = true;
        await say(world);
      }
      return serve(caller, asked, input);
    },
  });
}

describe('an approval lets something be done once', () => {
  it('launches nothing again that a person ended on purpose, however often and however long it is in force', async () => {
    const world = await approvedOnce();
    for (let i = 0; i < 3; i++) {
      endAll(world, machines(world));
      assert.deepEqual(await reconcile(world), []);
      assert.equal(machines(world).length, 0);
    }
    await approve(world);
    assert.ok((await reconcile(world)).includes('RunInstances'), 'another approval does');
  });

  it('launches nothing in the place of another incarnation, where it was never used', async () => {
    const world = await approvedOnce();
    endAll(world, machines(world).slice(0, 1));
    await reconcile(world);
    const unused = await approve(world);
    await approve(world);
    await reconcile(world);
    assert.equal(machines(world).length, 2);
    await world.store.fleet.approvals.withdraw(where.estate, unused.seq + 1, by);
    endAll(world, machines(world));
    assert.deepEqual(await reconcile(world), []);
  });

  it('changes nothing back that was changed again after it', async () => {
    const world = await approvedOnce();
    const driftAll = () => {
      const ids = machines(world).map(({ id }) => id);
      world.cloud.outside.do('TagObjects', { ids, tags: { tier: 'by hand' } });
    };
    driftAll();
    assert.deepEqual(await reconcile(world), []);
    await approve(world);
    assert.deepEqual(await reconcile(world), ['TagObjects']);
    driftAll();
    assert.deepEqual(await reconcile(world), []);
  });
});

describe('the reservation of an approval', () => {
  it('is given back where nothing was sent: a pause came first', async () => {
    const world = fleetWorld();
    await world.accept([ground, web()], { mode: 'plan' });
    await world.reconcile();
    await approve(world);
    // why: the launch is intended while its subnet is made, and sent after it
    before('CreateSubnet', pauseAll, world);
    await reconcile(world);
    assert.equal(machines(world).length, 0);
    await resume(world);
    assert.ok((await reconcile(world)).includes('RunInstances'));
    assert.equal(machines(world).length, 2);
    endAll(world, machines(world));
    assert.deepEqual(await reconcile(world), []);
  });

  it('is reserved for a retry: what was refused goes again, and once', async () => {
    const world = fleetWorld();
    await world.accept([ground, web()], { mode: 'plan' });
    await world.reconcile();
    await approve(world);
    world.cloud.faults.add({ on: 'RunInstances', fault: { do: 'refuse', code: 'Denied' } });
    await reconcile(world);
    assert.equal(machines(world).length, 0);
    world.cloud.faults.clear();
    assert.ok((await reconcile(world)).includes('RunInstances'));
    endAll(world, machines(world));
    assert.deepEqual(await reconcile(world), []);
  });

  it('lets both halves of a replacement pass, the second one in another reconcile, and then nothing more', async () => {
    const world = await approvedOnce();
    await world.accept([ground, web({ replicas: 2, image: 'img-2' })], { mode: 'plan' });
    assert.deepEqual(await reconcile(world), []);
    await approve(world);
    world.cloud.faults.add({ on: 'RunInstances', fault: { do: 'refuse', code: 'Denied' } });
    const half = await reconcile(world);
    assert.ok(half.includes('RunInstances'));
    world.cloud.faults.clear();
    await reconcile(world);
    assert.deepEqual(
      machines(world).map(({ record }) => Reflect.get(Object(Reflect.get(record, 'hardware')), 'image')),
      ['img-2', 'img-2'],
    );
    endAll(world, machines(world));
    assert.deepEqual(await reconcile(world), []);
  });

  it('lets nothing pass that has not been sent when it is withdrawn', async () => {
    const world = fleetWorld();
    await world.accept([ground, web()], { mode: 'plan' });
    await world.reconcile();
    const given = await approve(world);
    before('CreateSubnet', () => world.store.fleet.approvals.withdraw(where.estate, given.seq, by), world);
    const writes = await reconcile(world);
    assert.deepEqual(writes.slice(writes.indexOf('CreateSubnet') + 1), []);
    assert.deepEqual(await world.store.fleet.approvals.active(where), []);
    assert.deepEqual(await reconcile(world), []);
  });
});
