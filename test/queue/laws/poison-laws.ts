import assert from 'node:assert/strict';
import { until } from '../../support/until.ts';
import type { Laws } from '../support/harness.ts';
import { at, names, quiet, shop, working } from '../support/shop.ts';

export const poisonLaws: Laws = {
  'a pass that fails is tried again, until it ends': async ({ open }) => {
    const queue = await open();
    let failures = 2;
    const seen = shop({
      by: async () => {
        if (failures-- > 0) throw new Error('not yet');
        return 'done';
      },
    });
    await working(queue, seen, async () => {
      await queue.request(at('a'), 'now');
      await until('it was tried thrice', () => seen.begun.length === 3);
      await quiet();
      assert.equal(seen.begun.length, 3);
      assert.deepEqual(seen.poisoned, []);
    });
  },

  'a pass that fails too often in a row is poison: told, gone, and others go on': async ({ open }) => {
    const queue = await open();
    const seen = shop({
      by: async ({ scope }) => {
        if (scope === 'aws/1/bad') throw new Error('the spec is odd');
        return 'done';
      },
    });
    await working(queue, seen, async () => {
      await queue.request(at('bad'), 'now');
      await queue.request(at('good'), 'periodic');
      await until('it is told', () => seen.poisoned.length > 0);
      assert.deepEqual(seen.poisoned, [
        { scope: 'aws/1/bad', why: 'the pass failed 3 times in a row, at last with: the spec is odd' },
      ]);
      await until('nothing is left', async () => (await queue.counts()).every(({ count }) => count === 0));
      assert.deepEqual(
        names(seen.begun).filter((name) => name === 'good'),
        ['good'],
      );
      const before = seen.begun.length;
      await queue.request(at('bad'), 'now');
      await until('it is tried again once it is asked for', () => seen.begun.length > before);
    });
  },

  'a pass that has more to do begins its count of failures anew': async ({ open }) => {
    const queue = await open();
    const turns = ['fail', 'fail', 'again', 'fail', 'fail', 'done'];
    const seen = shop({
      by: async () => {
        const turn = turns.shift();
        if (turn === 'fail') throw new Error('not yet');
        return turn === 'again' ? 'again' : 'done';
      },
    });
    await working(queue, seen, async () => {
      await queue.request(at('a'), 'now');
      await until('it is done', () => turns.length === 0);
      await quiet();
      assert.deepEqual(seen.poisoned, []);
    });
  },

  'poison that nobody could be told of is told later, by whoever works then': async ({ open }) => {
    const queue = await open();
    const broken = shop({
      by: async () => {
        throw new Error('odd');
      },
    });
    const shift = { ...broken.shift, poisoned: () => Promise.reject(new Error('the store is away')) };
    await working(queue, { ...broken, shift }, async () => {
      await queue.request(at('a'), 'now');
      await until('it has failed for good', async () =>
        (await queue.counts()).some(({ state, count }) => state === 'failed' && count === 1),
      );
    });
    const seen = shop({ by: async () => 'done' });
    await working(queue, seen, () => until('it is told', () => seen.poisoned.length === 1));
  },
};
