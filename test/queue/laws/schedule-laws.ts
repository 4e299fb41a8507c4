import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Queue, Where } from '../../../src/ports/queue.ts';
import { until } from '../../support/until.ts';
import type { Laws } from '../support/harness.ts';
import { lookInto } from '../support/look-into.ts';
import { at, names, type Shop, shop, working } from '../support/shop.ts';

const every = (scope: string, everyMs: number) => ({ ...at(scope), everyMs });
const day = 86_400_000;

const timesOf = ({ begun }: Shop, scope: string): number => names(begun).filter((name) => name === scope).length;

/** The most that may have come since `from`: one in each interval, of which it saw the first and the last in part. */
const mostSince = (from: number, everyMs: number): number => (performance.now() - from) / everyMs + 2;

export const scheduleLaws: Laws = {
  'each scheduled pass comes once in every interval': async ({ open }) => {
    const queue = await open();
    const moments: { readonly scope: string; readonly at: number }[] = [];
    const by = async ({ scope }: Where) => {
      moments.push({ scope, at: performance.now() });
      return 'done' as const;
    };
    const seen = shop({ atOnce: 4, by });
    const [from, everyMs] = [performance.now(), 500];
    await queue.schedule([every('a', everyMs), every('b', everyMs)]);
    await working(queue, seen, async () => {
      for (const scope of ['a', 'b']) {
        await until(`${scope} came five times`, () => timesOf(seen, scope) >= 5);
        await until(`${scope} came in two intervals in a row`, () => {
          const own = moments.filter((moment) => moment.scope === at(scope).scope);
          return own.slice(1).some((moment, i) => moment.at - (own[i]?.at ?? 0) < 1.5 * everyMs);
        });
        const [times, most] = [timesOf(seen, scope), mostSince(from, everyMs)];
        assert.ok(times <= most, `${scope} came ${times} times where ${most} is the most`);
      }
    });
  },

  'the periodic passes are exactly those of the last schedule': async ({ open }) => {
    const queue = await open();
    const seen = shop({ atOnce: 4, by: async () => 'done' });
    await queue.schedule([every('a', 200), every('b', 200), every('c', 200)]);
    await working(queue, seen, async () => {
      await until('all came', () => new Set(seen.begun).size === 3);
      // why: each comes at a moment of its own within its interval, which a minute has too often.
      await queue.schedule([every('b', 200), every('c', day), every('d', 200)]);
      await until('what waited from before has come', () => timesOf(seen, 'd') >= 2);
      seen.begun.length = 0;
      await until('both came', () => new Set(seen.begun).size === 2);
      await pause(600);
      assert.deepEqual(new Set(names(seen.begun)), new Set(['b', 'd']));
    });
  },

  'scheduling the same again, by many at once, moves no pass away': async ({ open }) => {
    const queues: readonly [Queue, ...Queue[]] = [await open(), await open(), await open()];
    const seen = shop({ atOnce: 4, by: async () => 'done' });
    const [from, everyMs] = [performance.now(), 400];
    await working(queues[0], seen, async () => {
      await until('it came four times', async () => {
        await Promise.all(queues.map((each) => each.schedule([every('a', everyMs), every('b', everyMs)])));
        await pause(100);
        return timesOf(seen, 'a') >= 4;
      });
      const [times, most] = [timesOf(seen, 'a'), mostSince(from, everyMs)];
      assert.ok(times <= most, `came ${times} times where ${most} is the most`);
    });
  },

  'scopes come at moments of their own': async ({ open, backend, name }) => {
    const queue = await open();
    const seen = shop({ atOnce: 50, by: async () => 'done' });
    await queue.schedule(Array.from({ length: 40 }, (_, index) => every(`s${index}`, 2_000)));
    const planned = await lookInto(backend, `${name}-due`, (due) => due.getJobSchedulers(0, -1, true));
    const moments = planned.map(({ next = 0 }) => next % 2_000);
    const quarters = [0, 1, 2, 3].map((quarter) => moments.filter((at) => Math.floor(at / 500) === quarter).length);
    assert.equal(moments.length, 40);
    assert.ok(Math.max(...quarters) <= 25, `in the quarters of an interval: ${quarters.join(', ')}`);
    await working(queue, seen, () => until('all came', () => new Set(seen.begun).size === 40));
  },
};
