import assert from 'node:assert/strict';
import type { Where } from '../../../src/ports/queue.ts';
import { until } from '../../support/until.ts';
import type { Laws } from '../support/harness.ts';
import { lookInto } from '../support/look-into.ts';
import { at, names, shop, working } from '../support/shop.ts';

export const orderLaws: Laws = {
  'urgent passes go ahead of periodic ones, each in the order in which they came': async ({ open }) => {
    const queue = await open();
    for (const [scope, urgency] of [
      ['p', 'periodic'],
      ['q', 'periodic'],
      ['a', 'now'],
      ['b', 'now'],
    ] as const)
      await queue.request(at(scope), urgency);
    const seen = shop({ by: async () => 'done' });
    await working(queue, seen, () => until('all began', () => seen.begun.length === 4));
    assert.deepEqual(names(seen.begun), ['a', 'b', 'p', 'q']);
  },

  'a periodic pass that waits is urgent once somebody asks, and an urgent one asked for again keeps its place': async ({
    open,
  }) => {
    const queue = await open();
    for (const [scope, urgency] of [
      ['p', 'periodic'],
      ['q', 'periodic'],
      ['a', 'now'],
      ['q', 'now'],
      ['b', 'now'],
      ['a', 'now'],
    ] as const)
      await queue.request(at(scope), urgency);
    const seen = shop({ by: async () => 'done' });
    await working(queue, seen, () => until('all began', () => seen.begun.length === 4));
    assert.deepEqual(names(seen.begun), ['a', 'q', 'b', 'p']);
  },

  'an urgent wish during a pass stays urgent, whatever periodic ones come after it': async ({ open }) => {
    const queue = await open();
    const seen = shop();
    await working(queue, seen, async () => {
      await queue.request(at('a'), 'now');
      await until('it began', () => seen.begun.length === 1);
      await queue.request(at('p'), 'periodic');
      await queue.request(at('a'), 'now');
      await queue.request(at('a'), 'periodic');
      seen.end('aws/1/a');
      await until('the next began', () => seen.begun.length === 2);
    });
    assert.deepEqual(names(seen.begun), ['a', 'a']);
  },

  'a pass that has more to do goes behind all that wait': async ({ open }) => {
    const queue = await open();
    const seen = shop();
    await working(queue, seen, async () => {
      await queue.request(at('a'), 'now');
      await until('it began', () => seen.begun.length === 1);
      await queue.request(at('p'), 'periodic');
      await queue.request(at('b'), 'now');
      seen.end('aws/1/a', 'again');
      for (const [done, scope] of ['b', 'p', 'a'].entries()) {
        await until(`${scope} began`, () => seen.begun.length === done + 2);
        seen.end(`aws/1/${scope}`);
      }
    });
    assert.deepEqual(names(seen.begun), ['a', 'b', 'p', 'a']);
  },

  'every fourth urgent pass lets the periodic one go ahead that has waited longest': async ({
    open,
    backend,
    name,
  }) => {
    const queue = await open({ pace: { patienceMs: 0 } });
    for (const scope of ['p', 'q']) await queue.request(at(scope), 'periodic');
    for (let urgent = 0; urgent < 12; urgent++) await queue.request(at(`u${urgent}`), 'now');
    const isNext = (where: Where) =>
      lookInto(backend, `${name}-aws`, async (line) => {
        const [next] = await line.getJobs(['prioritized'], 0, 0, true);
        return next?.data.scope === where.scope;
      });
    let urgent = 0;
    const seen = shop({
      by: async ({ scope }) => {
        if (!/u\d+/.test(scope)) return 'done';
        urgent += 1;
        // why: p counts too, as it is urgent by then.
        const waits = { 4: 'p', 7: 'q' }[urgent];
        // why: it is sent ahead beside the pass, which may end before it gets there.
        if (waits) await until(`${waits} is ahead`, () => isNext(at(waits)));
        return 'done';
      },
    });
    await working(queue, seen, () => until('all began', () => seen.begun.length === 14));
    assert.deepEqual(
      names(seen.begun).map((scope) => scope.replace(/u\d+/, 'u')),
      [...'uuuupuuuquuuuu'],
    );
  },

  'a periodic pass that has not waited long stays behind': async ({ open }) => {
    const queue = await open({ pace: { patienceMs: 60_000 } });
    await queue.request(at('p'), 'periodic');
    for (let urgent = 0; urgent < 6; urgent++) await queue.request(at(`u${urgent}`), 'now');
    const seen = shop({ by: () => new Promise((resolve) => setTimeout(() => resolve('done'), 30)) });
    await working(queue, seen, () => until('all began', () => seen.begun.length === 7));
    assert.equal(names(seen.begun)[6], 'p');
  },
};
