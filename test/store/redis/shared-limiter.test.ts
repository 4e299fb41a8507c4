import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Limiter, Need } from '../../../src/ports/limiter.ts';
import { redisMissing } from '../../support/redis.ts';
import { steadily } from '../../support/steadily.ts';
import { until } from '../../support/until.ts';
import { bucket, clock, cost, counted, fixed, fleet, mostSince, need, never, slow, together } from './fleet.ts';

describe('the budgets of a fleet', { skip: redisMissing() }, () => {
  const at = fleet();

  it('is one for all workers: a full bucket, and then what it gains', async () => {
    const [one, two] = [await at.worker(), await at.worker()];
    const key = at.lane();
    const from = performance.now();
    const count = counted([one, two], need([cost(key, bucket)]));
    await until('more than was there', () => count.so() >= 28);
    const [got, most] = [count.stop(), mostSince(from, 20)];
    assert.ok(got <= most, `${got} where ${most} is the most`);
  });

  it('is one for all workers: never more than a window gives in any span of its length', async () => {
    const [one, two] = [await at.worker(), await at.worker()];
    const what = need([cost(at.lane(), fixed)]);
    const asked = Array.from({ length: 45 }, (_, i) => (i % 3 === 0 ? one : two).take(what, never));
    const times = (await Promise.all(asked)).toSorted((a, b) => a - b);
    const spans = times.slice(20).map((time, i) => time - (times[i] ?? 0));
    assert.ok(Math.min(...spans) >= 1500, `${Math.min(...spans)}`);
  });

  it('takes from all lanes of a request or from none', async () => {
    const one = await at.worker();
    const [a, b] = [at.lane(), at.lane()];
    const both = need([cost(a, slow), cost(b, slow, 15)]);
    await one.take(both, never);
    const stop = new AbortController();
    const late = one.take(both, stop.signal).then(
      () => 'let go',
      () => 'called off',
    );
    await together(one, 17, need([cost(a, slow)]));
    const [rateLimit] = (await one.rateLimits()).filter(({ key }) => key === a);
    assert.ok(rateLimit && Math.abs(rateLimit.level * 20 - 2) < 0.5, `${rateLimit?.level}`);
    const shown = await one.rateLimits();
    const waiting = shown
      .filter(({ key }) => [a, b].includes(key))
      .map((each) => each.waiting?.map(({ units }) => units));
    assert.deepEqual(waiting, [[1], [15]], 'the request that waits is shown at both');
    assert.deepEqual([rateLimit.size?.units, rateLimit.size?.perSecond !== undefined], [20, true]);
    stop.abort();
    assert.equal(await late, 'called off');
    assert.deepEqual((await one.rateLimits()).find(({ key }) => key === a)?.waiting, []);
  });
});

describe('who goes first in a fleet', { skip: redisMissing() }, () => {
  const at = fleet();

  it('serves what frees quota first, and shares in turn', () =>
    steadily(async () => {
      const [one, two] = [await at.worker(), await at.worker()];
      const key = at.lane();
      await one.take(need([cost(key, bucket, 20)]), never);
      const order: string[] = [];
      const ask = (limiter: Limiter, name: string, more: Partial<Need>): Promise<unknown> =>
        limiter.take(need([cost(key, bucket)], more), never).then(() => order.push(name));
      const many = Array.from({ length: 8 }, () => ask(one, 'many', { share: 'blog' }));
      await pause(20);
      const few = Array.from({ length: 4 }, () => ask(two, 'few', { share: 'tools' }));
      const frees = Array.from({ length: 3 }, () => ask(two, 'free', { rank: 'frees' }));
      await Promise.all([...many, ...few, ...frees]);
      const freed = order.lastIndexOf('free');
      assert.ok(freed <= 4, order.join());
      assert.ok(order.slice(0, 11).filter((name) => name === 'few').length >= 3, order.join());
    }));

  it('an abort ends the wait with its reason, and the place goes to the next', { timeout: 300_000 }, async () => {
    const [one, two] = [await at.worker(), await at.worker()];
    const key = at.lane();
    await one.take(need([cost(key, bucket, 20)]), never);
    const stop = new AbortController();
    const left = assert.rejects(one.take(need([cost(key, bucket, 20)], { rank: 'frees' }), stop.signal), /shutdown/);
    await pause(50);
    const next = two.take(need([cost(key, bucket)]), never);
    stop.abort(new Error('shutdown'));
    await left;
    await next;
  });
});

describe('what a fleet hears of its lanes', { skip: redisMissing() }, () => {
  const at = fleet();

  it('slows once for all workers that were refused together, and keeps Retry-After', async () => {
    const slowed: string[] = [];
    const events = { slowed: (key: string) => void slowed.push(key) };
    const [one, two] = [await at.worker({ events }), await at.worker({ events })];
    const key = at.lane();
    const [a, b] = [await one.take(need([cost(key, bucket)]), never), await two.take(need([cost(key, bucket)]), never)];
    for (const [limiter, sentAt] of [
      [one, a],
      [two, b],
      [one, a],
      [two, b],
    ] as const)
      limiter.slow(key, { sentAt, retryAfterMs: 600, amount: 1 });
    await until('it is slowed', () => slowed.length > 0);
    await pause(100);
    assert.deepEqual(slowed, [key]);
    const [rateLimit] = (await two.rateLimits()).filter((each) => each.key === key);
    assert.ok(
      rateLimit && rateLimit.level < 1 && (rateLimit.slowedUntil ?? 0) > Date.now() + 20_000,
      JSON.stringify(rateLimit),
    );
    const later = await one.take(need([cost(key, bucket)]), never);
    assert.ok(later - Math.max(a, b) >= 600, `${later - Math.max(a, b)} ms`);
    one.slow(key, { sentAt: later, retryAfterMs: 0, amount: 1 });
    await until('it is slowed again', () => slowed.length > 1);
    assert.deepEqual(slowed, [key, key]);
  });

  it('believes the cloud that less is left, and never that more is', async () => {
    const one = await at.worker();
    const key = at.lane();
    await one.take(need([cost(key, bucket)]), never);
    const from = performance.now();
    one.learn(key, 500);
    one.learn(key, 3);
    // why: a request on the same connection comes after that.
    const count = counted([one], need([cost(key, bucket)]));
    await until('what is left goes', () => count.so() >= 5);
    const [got, most] = [count.stop(), mostSince(from, 3)];
    assert.ok(got <= most, `${got} where ${most} is the most`);
  });

  it('a worker that stops without a word holds up nobody for long', { timeout: 300_000 }, async () => {
    const [one, two] = [await at.worker(), await at.worker()];
    const key = at.lane();
    await one.take(need([cost(key, bucket, 20)]), never);
    let stopped = false;
    const sleep: typeof clock.sleep = (ms, signal) => (stopped ? new Promise(() => {}) : clock.sleep(ms, signal));
    const dead = await at.worker({ clock: { ...clock, sleep } });
    stopped = true;
    void dead.take(need([cost(key, bucket)], { rank: 'frees' }), never);
    await pause(50);
    await two.take(need([cost(key, bucket)]), never);
  });
});
