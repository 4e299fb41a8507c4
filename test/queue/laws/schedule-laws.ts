import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../support/until.ts';
import type { Laws } from '../support/harness.ts';
import { at, names, quiet, shop, working } from '../support/shop.ts';

const every = (scope: string, everyMs: number) => ({ ...at(scope), everyMs });

export const scheduleLaws: Laws = {
  'each scheduled pass comes once in every interval': async ({ open }) => {
    const queue = await open();
    const seen = shop({ atOnce: 4, by: async () => 'done' });
    await queue.schedule([every('a', 500), every('b', 500)]);
    await working(queue, seen, async () => {
      await pause(2_600);
      for (const scope of ['a', 'b']) {
        const times = names(seen.begun).filter((name) => name === scope).length;
        assert.ok(times >= 4 && times <= 6, `${scope} came ${times} times in 2.6 s`);
      }
    });
  },

  'the periodic passes are exactly those of the last schedule': async ({ open }) => {
    const queue = await open();
    const seen = shop({ atOnce: 4, by: async () => 'done' });
    await queue.schedule([every('a', 200), every('b', 200), every('c', 200)]);
    await working(queue, seen, async () => {
      await until('all came', () => new Set(seen.begun).size === 3);
      await queue.schedule([every('b', 200), every('c', 60_000), every('d', 200)]);
      await quiet();
      seen.begun.length = 0;
      await until('both came', () => new Set(seen.begun).size === 2);
      await pause(600);
      assert.deepEqual(new Set(names(seen.begun)), new Set(['b', 'd']));
    });
  },

  'scheduling the same again, by many at once, moves no pass away': async ({ open }) => {
    const queues = [await open(), await open(), await open()];
    const [queue] = queues;
    const seen = shop({ atOnce: 4, by: async () => 'done' });
    const passes = [every('a', 400), every('b', 400)];
    if (!queue) return;
    await working(queue, seen, async () => {
      for (let times = 0; times < 20; times++) {
        await Promise.all(queues.map((each) => each.schedule(passes)));
        await pause(100);
      }
      const times = names(seen.begun).filter((name) => name === 'a').length;
      assert.ok(times >= 3 && times <= 6, `came ${times} times in 2 s`);
    });
  },

  'scopes come at moments of their own': async ({ open }) => {
    const queue = await open();
    const moments: number[] = [];
    const seen = shop({
      atOnce: 50,
      by: async () => {
        moments.push(Date.now() % 2_000);
        return 'done';
      },
    });
    await queue.schedule(Array.from({ length: 40 }, (_, index) => every(`s${index}`, 2_000)));
    await working(queue, seen, () => until('all came', () => new Set(seen.begun).size === 40));
    const quarters = [0, 1, 2, 3].map((quarter) => moments.filter((at) => Math.floor(at / 500) === quarter).length);
    assert.ok(Math.max(...quarters) <= 25, `in the quarters of an interval: ${quarters.join(', ')}`);
  },
};
