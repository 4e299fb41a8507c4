import assert from 'node:assert/strict';
import { until } from '../../support/until.ts';
import type { Laws } from '../support/harness.ts';
import { at, names, quiet, shop, working } from '../support/shop.ts';

/** A pause is anything up to its ceiling: of so long a one it never ends while a test looks. */
const day = 86_400_000;

export const requestLaws: Laws = {
  'requests before a pass begins are one pass': async ({ open }) => {
    const queue = await open();
    for (const urgency of ['periodic', 'now', 'periodic', 'now'] as const) await queue.request(at('a'), urgency);
    const seen = shop({ by: async () => 'done' });
    await working(queue, seen, async () => {
      await until('the pass began', () => seen.begun.length > 0);
      await quiet();
      assert.deepEqual(names(seen.begun), ['a']);
    });
  },

  'requests during a pass are one more pass after it, never beside it': async ({ open }) => {
    const queue = await open();
    const seen = shop({ atOnce: 4 });
    await working(queue, seen, async () => {
      await queue.request(at('a'), 'now');
      await until('the first began', () => seen.begun.length === 1);
      for (let times = 0; times < 3; times++) await queue.request(at('a'), 'now');
      await quiet();
      assert.equal(seen.begun.length, 1);
      seen.end('aws/1/a');
      await until('the second began', () => seen.begun.length === 2);
      seen.end('aws/1/a');
      await quiet();
      assert.deepEqual(names(seen.begun), ['a', 'a']);
      assert.equal(seen.most(), 1);
    });
  },

  'a periodic request during a pass is that pass': async ({ open }) => {
    const queue = await open();
    const seen = shop();
    await working(queue, seen, async () => {
      await queue.request(at('a'), 'periodic');
      await until('it began', () => seen.begun.length === 1);
      await queue.request(at('a'), 'periodic');
      seen.end('aws/1/a');
      await quiet();
      assert.deepEqual(names(seen.begun), ['a']);
    });
  },

  'a place is an estate and a scope: two estates in one scope are two passes': async ({ open }) => {
    const queue = await open();
    await queue.request(at('a', 'one'), 'now');
    await queue.request(at('a', 'two'), 'now');
    const seen = shop({ by: async () => 'done' });
    await working(queue, seen, () => until('both began', () => seen.begun.length === 2));
  },

  'a scope of a cloud without a line is refused, by name': async ({ open }) => {
    const queue = await open();
    await assert.rejects(
      async () => queue.request({ estate: 'shop', scope: 'gcp/p/eu' }, 'now'),
      /no queue for the scope gcp\/p\/eu: this process knows aws/,
    );
  },

  'counts tell what waits, runs and is to be tried again': async ({ open }) => {
    const queue = await open({ tries: { backoffMs: day, backoffCapMs: day } });
    const seen = shop();
    const counted = async () =>
      Object.fromEntries((await queue.counts()).map(({ cloud, state, count }) => [`${cloud} ${state}`, count]));
    const none = { 'aws waiting': 0, 'aws running': 0, 'aws delayed': 0, 'aws failed': 0 };
    assert.deepEqual(await counted(), none);
    await working(queue, seen, async (crew) => {
      for (const scope of ['a', 'b', 'c']) await queue.request(at(scope), scope === 'c' ? 'periodic' : 'now');
      await until('one runs', () => seen.begun.length === 1);
      assert.deepEqual(crew.busy(), [at('a')]);
      assert.deepEqual(await counted(), { ...none, 'aws waiting': 2, 'aws running': 1 });
      seen.end('aws/1/a', new Error('once'));
      await until('the next runs', () => seen.begun.length === 2);
      assert.deepEqual(await counted(), { ...none, 'aws waiting': 1, 'aws running': 1, 'aws delayed': 1 });
    });
  },
};
