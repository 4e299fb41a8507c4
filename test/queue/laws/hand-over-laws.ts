import assert from 'node:assert/strict';
import type { Queue } from '../../../src/ports/queue.ts';
import { until } from '../../support/until.ts';
import type { Laws } from '../support/harness.ts';
import { at, names, quiet, shop, working } from '../support/shop.ts';

/** So that nothing here comes by a lock that ran out, however long a test waits. */
const slow = { lockMs: 600_000, stalledMs: 300_000 };

/** A crew that has stopped may still be writing down what its passes came to. */
const nothingLeft = (queue: Queue): Promise<void> =>
  until('nothing is left', async () => (await queue.counts()).every(({ count }) => count === 0));

export const handOverLaws: Laws = {
  'a crew that stops tells its passes to end, and another takes them over before their locks end': async ({ open }) => {
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
      await until('both were taken over', () => second.begun.length === 2);
    });
    assert.deepEqual(new Set(names(second.begun)), new Set(['a', 'b']));
    await nothingLeft(two);
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
    await nothingLeft(queue);
  },

  'a pass that does not listen loses its job: the crew stops, and another goes on': async ({ open }) => {
    const queue = await open({ pace: { ...slow, graceMs: 1_000 } });
    const deaf = shop({ deaf: true });
    await queue.request(at('a'), 'now');
    // why: such a pass never ends, so a crew that waited for it would not return from this.
    await working(queue, deaf, () => until('it began', () => deaf.begun.length === 1));
    const seen = shop({ by: async () => 'done' });
    await working(queue, seen, () => until('it was taken over', () => seen.begun.length === 1));
  },
};
