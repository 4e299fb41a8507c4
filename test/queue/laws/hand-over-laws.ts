import assert from 'node:assert/strict';
import { until } from '../../support/until.ts';
import type { Laws } from '../support/harness.ts';
import { at, names, quiet, shop, working } from '../support/shop.ts';

/** So that nothing here comes by a lock that ran out. */
const slow = { lockMs: 60_000, stalledMs: 30_000 };

export const handOverLaws: Laws = {
  'a crew that stops tells its passes to end, and another takes them over at once': async ({ open }) => {
    const [one, two] = [await open({ pace: slow }), await open({ pace: slow })];
    const [first, second] = [shop({ atOnce: 2 }), shop({ atOnce: 2, by: async () => 'done' })];
    const crew = await one.work(first.shift);
    for (const scope of ['a', 'b']) await one.request(at(scope), 'now');
    await until('both began', () => first.begun.length === 2);
    await working(two, second, async () => {
      await quiet();
      await crew.stop();
      assert.equal(first.aborted.length, 2);
      assert.deepEqual(crew.busy(), []);
      await until('both were taken over', () => second.begun.length === 2, 3_000);
    });
    assert.deepEqual(new Set(names(second.begun)), new Set(['a', 'b']));
    assert.ok((await two.counts()).every(({ count }) => count === 0));
  },

  'a stopped crew takes no more': async ({ open }) => {
    const queue = await open();
    const seen = shop({ by: async () => 'done' });
    const crew = await queue.work(seen.shift);
    await crew.stop();
    await queue.request(at('a'), 'now');
    await quiet();
    assert.deepEqual(seen.begun, []);
  },

  'stopping is no failure of a pass': async ({ open }) => {
    const queue = await open();
    await queue.request(at('a'), 'now');
    for (let times = 1; times <= 5; times++) {
      const seen = shop();
      await working(queue, seen, () => until(`it began for the ${times}. time`, () => seen.begun.length === 1));
      assert.deepEqual(seen.poisoned, []);
    }
  },

  'a pass that ends while its crew stops is done': async ({ open }) => {
    const queue = await open();
    const seen = shop({
      by: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('done'))),
    });
    await queue.request(at('a'), 'now');
    await working(queue, seen, () => until('it began', () => seen.begun.length === 1));
    assert.ok((await queue.counts()).every(({ count }) => count === 0));
  },

  'a pass that does not listen loses its job: the crew stops in time, and another goes on': async ({ open }) => {
    const queue = await open({ pace: { ...slow, graceMs: 300 } });
    const deaf = shop({ deaf: true });
    await queue.request(at('a'), 'now');
    const from = performance.now();
    await working(queue, deaf, () => until('it began', () => deaf.begun.length === 1));
    assert.ok(performance.now() - from < 4_000);
    const seen = shop({ by: async () => 'done' });
    await working(queue, seen, () => until('it was taken over', () => seen.begun.length === 1, 3_000));
  },
};
