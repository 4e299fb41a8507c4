import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inProcessLimiter } from '../../src/engine/limiter.ts';
import type { Budget } from '../../src/ports/provider.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const budgets: Readonly<Record<'bucket' | 'window', Budget>> = {
  bucket: { shape: 'bucket', capacity: 10, perSecond: 1, source: 'a test' },
  window: { shape: 'window', calls: 10, windowMs: 60_000, source: 'a test' },
};

/** A limiter whose one lane has had so much taken from it. */
async function taken(budget: Budget, amount: number) {
  const clock = virtualClock();
  const limiter = inProcessLimiter({ clock });
  const costs = [{ lane: { key: 'a', budget }, amount }];
  await limiter.take({ costs, rank: 'writes', share: 'shop' }, new AbortController().signal);
  return { clock, limiter };
}

describe('what is shown of lanes', () => {
  const rows = [
    { name: 'a bucket: what is left of its capacity', budget: budgets.bucket, amount: 4, afterMs: 0, want: 0.6 },
    { name: 'a bucket: what it gained since', budget: budgets.bucket, amount: 4, afterMs: 2000, want: 0.8 },
    { name: 'a bucket: never more than full', budget: budgets.bucket, amount: 4, afterMs: 60_000, want: 1 },
    { name: 'a bucket in debt: below nothing', budget: budgets.bucket, amount: 15, afterMs: 0, want: -0.5 },
    { name: 'a window: what may still go', budget: budgets.window, amount: 4, afterMs: 59_999, want: 0.6 },
    { name: 'a window that has passed: all', budget: budgets.window, amount: 4, afterMs: 60_000, want: 1 },
  ];
  for (const { name, budget, amount, afterMs, want } of rows)
    it(name, async () => {
      const { clock, limiter } = await taken(budget, amount);
      await clock.advance(afterMs);
      assert.deepEqual(await limiter.lanes(), [{ key: 'a', level: want }]);
    });

  it('one that was refused: slowed until it may go at its whole speed', async () => {
    const { clock, limiter } = await taken(budgets.window, 4);
    const refused = clock.now();
    const slowedUntil = async () => (await limiter.lanes())[0]?.slowedUntil;
    limiter.slow('a', { sentAt: refused, retryAfterMs: 0, amount: 1 });
    assert.equal(await slowedUntil(), refused + 30_000);
    limiter.slow('a', { sentAt: refused, retryAfterMs: 45_000, amount: 1 });
    assert.equal(await slowedUntil(), refused + 45_000, 'the cloud asked for more');
    await clock.advance(45_000);
    assert.equal(await slowedUntil(), undefined);
  });

  it('only those that were taken from', async () => {
    const limiter = inProcessLimiter({ clock: virtualClock() });
    limiter.slow('never', { sentAt: 0, retryAfterMs: 0, amount: 1 });
    assert.deepEqual(await limiter.lanes(), []);
  });
});
