import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { network as networkOf } from '../support/engine-world/documents.ts';
import { type SmallWorld, smallWorld } from '../support/small-world.ts';

const network = networkOf({ internet: false });

describe('converge, what is too early', () => {
  const labelled = (tier: string) => ({ ...network, metadata: { name: 'core', labels: { tier } } });
  const busy = (world: SmallWorld, times: number): void =>
    world.cloud.faults.add({ on: 'TagObjects', times, fault: { do: 'refuse', code: 'ConcurrentChange' } });

  it('is waited for by patience, not by a count of passes', async () => {
    const world = smallWorld();
    await world.apply([labelled('a')]);
    busy(world, 30);
    const { outcome, passes } = await world.apply([labelled('b')]);
    assert.equal(outcome, 'done');
    assert.ok(passes.length > 6, `${passes.length}`);
  });

  for (const patienceMs of [0, 1])
    it(`and without patience twice: ${patienceMs} ms`, async () => {
      const world = smallWorld();
      await world.apply([labelled('a')]);
      busy(world, 1000);
      const { outcome, passes } = await world.apply([labelled('b')], { job: { patienceMs } });
      assert.deepEqual([outcome, passes.length], ['unfinished', 2]);
    });

  it('and has an end', async () => {
    const world = smallWorld();
    await world.apply([labelled('a')]);
    busy(world, 1000);
    const from = world.clock.now();
    const { outcome } = await world.apply([labelled('b')]);
    const tookMs = world.clock.now() - from;
    assert.equal(outcome, 'unfinished');
    assert.ok(tookMs >= 345_000 && tookMs < 400_000, `${tookMs}`);
  });
});
