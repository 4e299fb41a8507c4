import assert from 'node:assert/strict';
import { until } from '../../support/until.ts';
import { calmPace, type Laws } from '../support/harness.ts';
import { at, shop, working } from '../support/shop.ts';
import { worker } from '../support/worker.ts';

const day = 86_400_000;

export const listLaws: Laws = {
  'the list has what runs, what waits in its order, and what is to be tried again': async ({ open }) => {
    const queue = await open({ tries: { backoffMs: day, backoffCapMs: day } });
    const seen = shop();
    const listed = async (most = 10) => {
      const { reconciles, truncated } = await queue.list(most);
      const of = (one: (typeof reconciles)[number]) => `${one.cloud} ${one.state} ${one.scope.slice(6)}`;
      return { texts: reconciles.map(of), reconciles, truncated };
    };
    const began = Date.now();
    assert.deepEqual(await listed(), { texts: [], reconciles: [], truncated: false });
    await working(queue, seen, async () => {
      await queue.request(at('a'), 'now');
      await until('one runs', () => seen.begun.length === 1);
      await queue.request(at('b'), 'periodic');
      await queue.request({ ...at('c'), criticality: 'high' }, 'now');
      const { texts, reconciles } = await listed();
      assert.deepEqual(texts, ['aws running a', 'aws waiting c', 'aws waiting b']);
      const [, first, second] = reconciles;
      assert.ok(first && first.queuedAt >= began && first.queuedAt <= Date.now());
      assert.deepEqual([first.estate, first.criticality, first.urgency, first.failures], ['shop', 'high', 'now', 0]);
      assert.deepEqual([second?.criticality, second?.urgency], ['normal', 'periodic']);
      assert.deepEqual(await listed(1), {
        ...(await listed(1)),
        texts: ['aws running a', 'aws waiting c'],
        truncated: true,
      });
      seen.end('aws/1/a', new Error('once'));
      await until('the next runs', () => seen.begun.length === 2);
      const later = await listed();
      assert.deepEqual(later.texts, ['aws running c', 'aws waiting b', 'aws delayed a']);
      assert.equal(later.reconciles.at(-1)?.failures, 1);
    });
  },

  'the list has the order in which workers take what waits, also what a lost worker ran': async (bench) => {
    const queue = await bench.open();
    const lost = await worker(bench, calmPace);
    await queue.request(at('lost'), 'periodic');
    await lost.begins();
    await lost.kill();
    await bench.stealLocks(`${bench.name}-aws`);
    await queue.request(at('first'), 'now');
    const seen = shop();
    await working(queue, seen, async () => {
      await until('one runs', () => seen.begun.length === 1);
      await queue.request(at('p'), 'periodic');
      await queue.request({ ...at('c'), criticality: 'critical' }, 'periodic');
      await queue.request(at('n'), 'now');
      const waiting = async () => (await queue.list(10)).reconciles.filter(({ state }) => state === 'waiting');
      await until('the lost one waits', async () => (await waiting()).length === 4);
      const order = (await waiting()).map(({ scope }) => scope);
      for (const [at, scope] of ['aws/1/first', ...order].entries()) {
        await until(`${scope} runs`, () => seen.begun.length === at + 1);
        assert.deepEqual(seen.begun, ['aws/1/first', ...order].slice(0, at + 1));
        seen.end(scope);
      }
    });
  },

  'the list has the highest place that a request gave, and none of what went ahead after a long time': async ({
    open,
  }) => {
    const queue = await open({ pace: { patienceMs: 0 } });
    const seen = shop();
    await queue.request(at('raised'), 'periodic');
    await queue.request({ ...at('raised'), criticality: 'critical' }, 'now');
    await queue.request({ ...at('late'), criticality: 'low' }, 'periodic');
    const placeOf = async (scope: string) => {
      const { reconciles } = await queue.list(10);
      const { criticality, urgency } = reconciles.find((one) => one.scope === at(scope).scope) ?? {};
      return [criticality, urgency];
    };
    assert.deepEqual(await placeOf('raised'), ['critical', 'now']);
    assert.deepEqual(await placeOf('late'), ['low', 'periodic']);
    for (const scope of ['b', 'c', 'd']) await queue.request(at(scope), 'now');
    await working(queue, seen, async () => {
      for (const [count, scope] of ['raised', 'b', 'c', 'd'].entries()) {
        await until(`${scope} runs`, () => seen.begun.length === count + 1);
        if (scope !== 'd') seen.end(at(scope).scope);
      }
      await until('it went ahead', async () => (await placeOf('late'))[1] === undefined);
      assert.deepEqual(await placeOf('late'), ['low', undefined]);
    });
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
