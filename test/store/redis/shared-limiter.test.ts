import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Limiter, Need } from '../../../src/ports/limiter.ts';
import { redisMissing } from '../../support/redis.ts';
import { bucket, clock, cost, counted, fixed, fleet, need, never } from './fleet.ts';

describe('the budgets of a fleet', { skip: redisMissing() }, () => {
  const at = fleet();

  it('is one for all workers: a full bucket, and then what it gains', async () => {
    const [one, two] = [await at.worker(), await at.worker()];
    const key = at.lane();
    const from = performance.now();
    const count = counted([one, two], need([cost(key, bucket)]));
    await pause(1000);
    const got = count.stop();
    const most = 20 + (10 * (performance.now() - from)) / 1000;
    assert.ok(got > 22 && got <= most + 1, `${got} where ${most} is the most`);
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
    const [one] = [await at.worker()];
    const [a, b] = [at.lane(), at.lane()];
    const both = need([cost(a, bucket), cost(b, bucket, 15)]);
    await one.take(both, never);
    const late = one.take(both, never);
    await pause(100);
    const alone = await Promise.all(Array.from({ length: 15 }, () => one.take(need([cost(a, bucket)]), never)));
    assert.ok((await late) - Math.max(...alone) > 500);
  });
});

describe('who goes first in a fleet', { skip: redisMissing() }, () => {
  const at = fleet();

  it('serves what frees quota first, and shares in turn', async () => {
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
  });

  it('an abort ends the wait with its reason, and the place goes to the next', async () => {
    const [one, two] = [await at.worker(), await at.worker()];
    const key = at.lane();
    await one.take(need([cost(key, bucket, 20)]), never);
    const stop = new AbortController();
    const left = assert.rejects(one.take(need([cost(key, bucket, 20)], { rank: 'frees' }), stop.signal), /shutdown/);
    await pause(50);
    const next = two.take(need([cost(key, bucket)]), never);
    stop.abort(new Error('shutdown'));
    await left;
    const from = Date.now();
    await next;
    assert.ok(Date.now() - from < 5000, 'nobody waits for who is gone');
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
    await pause(100);
    assert.deepEqual(slowed, [key]);
    const [lane] = (await two.lanes()).filter((each) => each.key === key);
    assert.ok(lane && lane.level < 1 && (lane.slowedUntil ?? 0) > Date.now() + 20_000, JSON.stringify(lane));
    const from = Date.now();
    const later = await one.take(need([cost(key, bucket)]), never);
    assert.ok(Date.now() - from >= 450);
    one.slow(key, { sentAt: later, retryAfterMs: 0, amount: 1 });
    await pause(100);
    assert.deepEqual(slowed, [key, key]);
  });

  it('believes the cloud that less is left, and never that more is', async () => {
    const one = await at.worker();
    const key = at.lane();
    await one.take(need([cost(key, bucket)]), never);
    one.learn(key, 500);
    one.learn(key, 3);
    await pause(50);
    const from = performance.now();
    const count = counted([one], need([cost(key, bucket)]));
    await pause(300);
    const got = count.stop();
    const most = 3 + (10 * (performance.now() - from + 100)) / 1000;
    assert.ok(got >= 3 && got <= most + 1, `${got} where ${most} is the most`);
  });

  it('a worker that stops without a word holds up nobody for long', async () => {
    const [one, two] = [await at.worker(), await at.worker()];
    const key = at.lane();
    await one.take(need([cost(key, bucket, 20)]), never);
    let stopped = false;
    const sleep: typeof clock.sleep = (ms, signal) => (stopped ? new Promise(() => {}) : clock.sleep(ms, signal));
    const dead = await at.worker({ clock: { ...clock, sleep } });
    stopped = true;
    void dead.take(need([cost(key, bucket)], { rank: 'frees' }), never);
    await pause(50);
    const from = Date.now();
    await two.take(need([cost(key, bucket)]), never);
    assert.ok(Date.now() - from < 5000);
  });
});
