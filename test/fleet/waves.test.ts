import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { machineIn, network } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const machine = machineIn({ image: 'img-1', size: 'small' });
// why: as text, since an object with a `then` may be taken for a promise
const waves: unknown = JSON.parse('{ "canary": 1, "then": ["rest"] }');
const tier = (name: string) => [
  network({ internet: false }),
  machine('web', { replicas: 4, minReady: 0, rollout: waves }, { labels: { tier: name } }),
];
const tiers = ({ cloud }: FleetWorld): readonly unknown[] =>
  cloud.inspect
    .live()
    .filter(({ type }) => type === 'instance')
    .map(({ record }) => record.tags['tier'])
    .sort();

const labelled = async (name: string): Promise<FleetWorld> => {
  const world = fleetWorld();
  await world.accept(tier(name));
  for (let passes = 0; (await world.pass()).outcome !== 'done'; passes += 1) assert.ok(passes < 10);
  return world;
};

const stopped = ({ store }: FleetWorld) => store.fleet.rollouts.stopped(where);
const resume = ({ store }: FleetWorld) =>
  store.fleet.rollouts.resume(where, { person: 'ada', reason: 'it was the network' });

describe('a rollout in waves', () => {
  it('goes on by itself, one wave after the other', async () => {
    const world = await labelled('a');
    const generation = await world.accept(tier('b'));
    const { outcome, writes } = await world.pass();
    assert.deepEqual([outcome, tiers(world)], ['done', ['b', 'b', 'b', 'b']]);
    assert.equal(writes.filter((action) => action === 'TagObjects').length, 2, 'the canary, then the rest');
    assert.equal(await world.store.fleet.rollouts.standing(where), generation);
  });

  it('stops at the first failure, heals to what stood before, and goes on when a person says so', async () => {
    const world = await labelled('a');
    await world.accept(tier('b'));
    world.cloud.faults.add({ on: 'TagObjects', nth: 1, fault: { do: 'refuse', code: 'Denied' } });
    assert.equal((await world.pass()).outcome, 'partly');
    const [stop] = await stopped(world);
    assert.match(stop?.why ?? '', /update instance web-0 failed/);
    assert.deepEqual([(await world.pass()).writes, tiers(world)], [[], ['a', 'a', 'a', 'a']]);
    await resume(world);
    assert.deepEqual([(await world.pass()).outcome, tiers(world)], ['done', ['b', 'b', 'b', 'b']]);
  });

  it('stays stopped through a commit that asks for the same, and begins anew with one that asks for something else', async () => {
    const world = await labelled('a');
    await world.accept(tier('b'));
    world.cloud.faults.add({ on: 'TagObjects', nth: 1, fault: { do: 'refuse', code: 'Denied' } });
    await world.pass();
    await world.accept([...tier('b'), machine('other')]);
    assert.equal((await world.pass()).outcome, 'partly');
    assert.deepEqual(
      tiers(world).filter((one) => one === 'b'),
      [],
    );
    await world.accept([...tier('c'), machine('other')]);
    assert.equal((await world.pass()).outcome, 'done');
    assert.equal(tiers(world).filter((one) => one === 'c').length, 4);
  });
});
