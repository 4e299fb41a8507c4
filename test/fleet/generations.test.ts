import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PauseSubject } from '../../src/core/pause.ts';
import { generationsOf } from '../../src/fleet/generations.ts';
import { reconcileHandler } from '../../src/fleet/scope-reconcile.ts';
import type { WorkerContext } from '../../src/fleet/worker-context.ts';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

describe('the generation that stands', () => {
  it('is none of which a change failed', async () => {
    const { accept, cloud, reconcile, store } = fleetWorld();
    cloud.faults.add({ on: 'CreateNetwork', nth: 1, fault: { do: 'refuse', code: 'Denied' } });
    const number = await accept([network({ internet: false })]);
    assert.equal((await reconcile()).outcome, 'partly');
    assert.equal(await store.fleet.rollouts.standing(where), 0);
    assert.equal((await reconcile()).outcome, 'done');
    assert.equal(await store.fleet.rollouts.standing(where), number);
  });

  it('is none of which a part could not be seen', async () => {
    const { accept, cloud, reconcile, store } = fleetWorld();
    const number = await accept([network({ internet: false }), rule('https')]);
    cloud.faults.add({ on: 'ListRules', fault: { do: 'refuse', code: 'Denied' } });
    await reconcile();
    assert.equal(await store.fleet.rollouts.standing(where), 0);
    cloud.faults.clear();
    await reconcile();
    assert.equal(await store.fleet.rollouts.standing(where), number);
  });
});

const machine = machineIn({ image: 'img-1', size: 'small' });
const healingGround = [network({ internet: false }), rule('https')];
const web = (tier: string, owner = 'team-web') => machine('web', {}, { owner, labels: { tier } });

const machines = ({ cloud }: FleetWorld) => cloud.inspect.live().filter(({ type }) => type === 'instance');
const tierOf = (world: FleetWorld): unknown => machines(world)[0]?.record.tags['tier'];
const driftBy = (world: FleetWorld, tier: string): void => {
  world.cloud.outside.do('TagObjects', { ids: [machines(world)[0]?.id ?? ''], tags: { tier } });
};

const hold = (what: 'healing' | 'rollout', world: FleetWorld, of: PauseSubject = { by: 'estate' }) =>
  world.store.fleet.pauses.begin(where.estate, {
    what,
    of,
    reason: 'a freeze',
    person: 'ada',
    until: world.clock.now() + 3_600_000,
  });

/** The first generation stands, and then its machine drifts. */
async function drifted(): Promise<FleetWorld> {
  const world = fleetWorld();
  await world.accept([...healingGround, web('a')]);
  assert.equal((await world.reconcile()).outcome, 'done');
  driftBy(world, 'by hand');
  return world;
}

describe('healing to a former generation, by what the newest one forbids', () => {
  it('changes nothing that the newest generation only reads', async () => {
    const world = await drifted();
    await world.accept([...healingGround, web('b')], { mode: 'observe' });
    const { writes } = await world.reconcile();
    assert.deepEqual([writes, tierOf(world)], [[], 'by hand']);
  });

  it('changes nothing that the newest generation leaves to a person', async () => {
    const world = await drifted();
    await world.accept([...healingGround, web('b')], { mode: 'plan' });
    const { writes } = await world.reconcile();
    assert.deepEqual([writes, tierOf(world)], [[], 'by hand']);
  });

  it('leaves alone what an owner has paused, though the newest generation gave it to somebody else', async () => {
    const world = await drifted();
    await world.accept([...healingGround, web('b', 'team-other')]);
    await hold('rollout', world);
    await hold('healing', world, { by: 'owner', name: 'team-web' });
    const { writes } = await world.reconcile();
    assert.deepEqual([writes, tierOf(world)], [[], 'by hand']);
  });
});

// why: as text, since an object with a `then` may be taken for a promise
const waves: unknown = JSON.parse('{ "canary": 1, "then": ["rest"] }');
const labelled = (tier: string) => [
  network({ internet: false }),
  machine('web', { replicas: 2, rollout: waves }, { labels: { tier } }),
];

/** Early versions kept no spec snapshots, and a version may refuse specs of an earlier one. */
function forgetting(world: FleetWorld, forgotten: string): WorkerContext {
  const { fleet } = world.store;
  const specSnapshots = {
    ...fleet.specSnapshots,
    read: async (estate: string, revision: string) => {
      const kept = await fleet.specSnapshots.read(estate, revision);
      return kept?.specs.some(({ text }) => text.includes(forgotten)) ? undefined : kept;
    },
  };
  return { ...world.context, store: { ...world.store, fleet: { ...fleet, specSnapshots } } };
}

const reconcileIn = ({ clock }: FleetWorld, context: WorkerContext) =>
  clock.run(() => reconcileHandler(context, generationsOf(context))(where, new AbortController().signal));

async function converged(world: FleetWorld): Promise<void> {
  while ((await world.reconcile()).ended !== 'done');
}

describe('a former generation that cannot be opened any more', () => {
  it('is not healed to, and is no reason for a reconcile to fail', async () => {
    const world = fleetWorld();
    await world.accept(labelled('a'));
    await converged(world);
    await world.accept(labelled('b'), { mode: 'plan' });
    assert.equal(await reconcileIn(world, forgetting(world, '"tier":"a"')), 'done');
  });

  it('leaves a rollout stopped that stopped there', async () => {
    const world = fleetWorld();
    await world.accept(labelled('a'));
    await converged(world);
    await world.accept(labelled('b'));
    world.cloud.faults.add({ on: 'TagObjects', nth: 1, fault: { do: 'refuse', code: 'Denied' } });
    await world.reconcile();
    await world.accept([...labelled('c')]);
    assert.equal(await reconcileIn(world, forgetting(world, '"tier":"b"')), 'done');
    const tiers = world.cloud.inspect
      .live()
      .flatMap(({ type, record }) => (type === 'instance' ? [record.tags['tier']] : []));
    assert.deepEqual(tiers, ['a', 'a']);
  });
});

const looseningGround = network({ internet: false });
const another = { internet: false, cidr: '10.30.0.0/16', subnets: [] };
const other = network(another, { name: 'other' });

describe('a commit that goes from plan to enforce', () => {
  it('does not carry itself out: that counts from the next one on', async () => {
    const world = fleetWorld();
    await world.accept([looseningGround], { mode: 'plan' });
    assert.deepEqual((await world.reconcile()).writes, []);
    await world.accept([looseningGround, rule('https')], { mode: 'enforce' });
    const loosened = await world.reconcile();
    assert.ok(!loosened.writes.includes('CreateNetwork'), loosened.writes.join(', '));
    await world.accept([looseningGround, rule('https'), rule('ssh', { ports: [22] })], { mode: 'enforce' });
    assert.equal((await world.reconcile()).outcome, 'done');
  });

  it('does not remove what it no longer names', async () => {
    const world = fleetWorld();
    await world.accept([looseningGround, rule('https')]);
    assert.equal((await world.reconcile()).outcome, 'done');
    await world.accept([looseningGround, rule('https')], { mode: 'plan' });
    await world.reconcile();
    await world.accept([looseningGround], { mode: 'enforce' });
    assert.deepEqual((await world.reconcile()).writes, []);
  });

  it('does not carry out what is new in it either', async () => {
    const world = fleetWorld();
    await world.accept([looseningGround], { mode: 'plan' });
    await world.reconcile();
    await world.accept([looseningGround, other], { mode: 'enforce' });
    assert.deepEqual((await world.reconcile()).writes, []);
    await world.accept([looseningGround, other, rule('ssh')], { mode: 'enforce' });
    assert.ok((await world.reconcile()).writes.includes('CreateNetwork'));
  });

  it('does not carry out what is new in it where all was only read', async () => {
    const world = fleetWorld();
    await world.accept([looseningGround], { mode: 'observe' });
    await world.reconcile();
    await world.accept([looseningGround, other], { mode: 'enforce' });
    assert.deepEqual((await world.reconcile()).writes, []);
    assert.match(world.said().at(-1) ?? '', /mode/);
  });

  it('does not remove what the one before had removed while it was for a person', async () => {
    const world = fleetWorld();
    await world.accept([looseningGround, rule('https')]);
    assert.equal((await world.reconcile()).outcome, 'done');
    await world.accept([looseningGround], { mode: 'plan' });
    assert.deepEqual((await world.reconcile()).writes, []);
    await world.accept([looseningGround, other], { mode: 'enforce' });
    assert.deepEqual((await world.reconcile()).writes, []);
  });
});

describe('a document that is new', () => {
  it('goes out at once by its own mode where nothing above it says one, before or now', async () => {
    const world = fleetWorld();
    const unset = { mode: undefined };
    await world.accept([looseningGround], unset);
    await world.reconcile();
    await world.accept([looseningGround, network({ ...another, mode: 'enforce' }, { name: 'other' })], unset);
    assert.ok((await world.reconcile()).writes.includes('CreateNetwork'));
  });
});
