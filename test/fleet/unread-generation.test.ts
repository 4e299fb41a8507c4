import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generationsOf } from '../../src/fleet/generations.ts';
import { passHandler } from '../../src/fleet/scope-reconcile.ts';
import type { WorkerContext } from '../../src/fleet/worker-context.ts';
import { machineIn, network } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const machine = machineIn({ image: 'img-1', size: 'small' });
// why: as text, since an object with a `then` may be taken for a promise
const waves: unknown = JSON.parse('{ "canary": 1, "then": ["rest"] }');
const labelled = (tier: string) => [
  network({ internet: false }),
  machine('web', { replicas: 2, rollout: waves }, { labels: { tier } }),
];

/** Trees were not kept from the beginning, and a version may refuse what one before it took. */
function forgetting(world: FleetWorld, forgotten: string): WorkerContext {
  const { fleet } = world.store;
  const trees = {
    ...fleet.trees,
    read: async (estate: string, revision: string) => {
      const kept = await fleet.trees.read(estate, revision);
      return kept?.specs.some(({ text }) => text.includes(forgotten)) ? undefined : kept;
    },
  };
  return { ...world.yard, store: { ...world.store, fleet: { ...fleet, trees } } };
}

const passIn = ({ clock }: FleetWorld, yard: WorkerContext) =>
  clock.run(() => passHandler(yard, generationsOf(yard))(where, new AbortController().signal));

async function converged(world: FleetWorld): Promise<void> {
  while ((await world.pass()).ended !== 'done');
}

describe('a former generation that cannot be opened any more', () => {
  it('is not healed to, and is no reason for a pass to fail', async () => {
    const world = fleetWorld();
    await world.accept(labelled('a'));
    await converged(world);
    await world.accept(labelled('b'), { mode: 'plan' });
    assert.equal(await passIn(world, forgetting(world, '"tier":"a"')), 'done');
  });

  it('leaves a rollout stopped that stopped there', async () => {
    const world = fleetWorld();
    await world.accept(labelled('a'));
    await converged(world);
    await world.accept(labelled('b'));
    world.cloud.faults.add({ on: 'TagObjects', nth: 1, fault: { do: 'refuse', code: 'Denied' } });
    await world.pass();
    await world.accept([...labelled('c')]);
    assert.equal(await passIn(world, forgetting(world, '"tier":"b"')), 'done');
    const tiers = world.cloud.inspect
      .live()
      .flatMap(({ type, record }) => (type === 'instance' ? [record.tags['tier']] : []));
    assert.deepEqual(tiers, ['a', 'a']);
  });
});
