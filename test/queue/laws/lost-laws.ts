import assert from 'node:assert/strict';
import { JobLost } from '../../../src/queue/worker-pool.ts';
import { until } from '../../support/until.ts';
import { calmPace, type Laws, quickPace } from '../support/harness.ts';
import { at, names, quiet, shop, working } from '../support/shop.ts';
import { worker } from '../support/worker.ts';

export const lostLaws: Laws = {
  'a pass that takes longer than its lock lasts keeps it': async ({ open }) => {
    const queue = await open({ pace: quickPace });
    const seen = shop();
    await working(queue, seen, async () => {
      await queue.request(at('a'), 'now');
      await until('it began', () => seen.begun.length === 1);
      await quiet(quickPace.lockMs + 1_000);
      assert.deepEqual([seen.begun.length, seen.aborted], [1, []]);
    });
  },

  'a pass whose lock is taken away is told to end': async ({ open, name, stealLocks }) => {
    const queue = await open({ pace: { lockMs: 24_000, stalledMs: 300_000 } });
    const seen = shop();
    await working(queue, seen, async () => {
      await queue.request(at('a'), 'now');
      await until('it began', () => seen.begun.length === 1);
      await stealLocks(`${name}-aws`);
      // why: its next renewal is within 8 s, and its lock would not have run out for 16 s at least.
      await until('it was told', () => seen.aborted.length > 0, 15_500);
      assert.ok(seen.aborted.every((reason) => reason instanceof JobLost));
    });
  },

  'the job of a worker that is killed is taken over': async (bench) => {
    const queue = await bench.open({ pace: quickPace });
    const first = await worker(bench, quickPace);
    await queue.request(at('a'), 'periodic');
    await first.begins();
    const seen = shop();
    await working(queue, seen, async () => {
      await quiet();
      assert.deepEqual(seen.begun, []);
      await first.kill();
      // why: BullMQ's own pace, which is not ours, would take 30 s at least.
      await until('it is taken over', () => seen.begun.length === 1, 28_000);
      seen.end('aws/1/a');
    });
    assert.deepEqual(names(seen.begun), ['a']);
  },

  'a job that takes its workers with it is poison, and others go on': async (bench) => {
    const queue = await bench.open();
    await queue.request(at('a'), 'now');
    for (let kills = 0; kills < 2; kills++) {
      const victim = await worker(bench, calmPace);
      await victim.begins();
      await victim.kill();
      // why: else its lock would have to be so short that it may run out before the kill.
      await bench.stealLocks(`${bench.name}-aws`);
    }
    const seen = shop({ by: async () => 'done' });
    await working(queue, seen, async () => {
      await until('it is told', () => seen.poisoned.length === 1);
      assert.equal(seen.poisoned[0]?.why, 'more than 1 workers died or stood still while they ran this reconcile');
      await queue.request(at('b'), 'periodic');
      await until('the other began', () => seen.begun.length > 0);
    });
    assert.deepEqual(names(seen.begun), ['b']);
  },

  'connections that are cut come back, and so do passes': async ({ open, cut }) => {
    const queue = await open({ pace: quickPace });
    const seen = shop({ by: async () => 'done' });
    await working(queue, seen, async () => {
      for (let times = 1; times <= 3; times++) {
        await cut();
        await until('a request is taken', () =>
          queue.request(at(`a${times}`), 'now').then(
            () => true,
            () => false,
          ),
        );
        await until(`pass ${times} came`, () => new Set(seen.begun).size === times);
      }
    });
  },
};
