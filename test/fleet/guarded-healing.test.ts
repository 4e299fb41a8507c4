import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PauseSubject } from '../../src/core/pause.ts';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const machine = machineIn({ image: 'img-1', size: 'small' });
const ground = [network({ internet: false }), rule('https')];
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
  await world.accept([...ground, web('a')]);
  assert.equal((await world.pass()).outcome, 'done');
  driftBy(world, 'by hand');
  return world;
}

describe('healing to a former generation, by what the newest one forbids', () => {
  it('changes nothing that the newest generation only reads', async () => {
    const world = await drifted();
    await world.accept([...ground, web('b')], { mode: 'observe' });
    const { writes } = await world.pass();
    assert.deepEqual([writes, tierOf(world)], [[], 'by hand']);
  });

  it('changes nothing that the newest generation leaves to a person', async () => {
    const world = await drifted();
    await world.accept([...ground, web('b')], { mode: 'plan' });
    const { writes } = await world.pass();
    assert.deepEqual([writes, tierOf(world)], [[], 'by hand']);
  });

  it('leaves alone what an owner has paused, though the newest generation gave it to somebody else', async () => {
    const world = await drifted();
    await world.accept([...ground, web('b', 'team-other')]);
    await hold('rollout', world);
    await hold('healing', world, { by: 'owner', name: 'team-web' });
    const { writes } = await world.pass();
    assert.deepEqual([writes, tierOf(world)], [[], 'by hand']);
  });
});
