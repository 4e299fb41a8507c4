import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inProcessLimiter } from '../../src/engine/limiter.ts';
import type { Need, RateLimit } from '../../src/ports/limiter.ts';
import { watchedLimiter } from '../../src/telemetry/telemetry.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const rateLimit = (action: string): RateLimit => ({
  key: `aws/1/eu-west-1/${action}`,
  budget: { shape: 'bucket', capacity: 1, perSecond: 1, source: 'a test' },
});
const [run, tag] = [rateLimit('RunInstances'), rateLimit('CreateTags')];
const need = (...rateLimits: readonly RateLimit[]): Need => ({
  costs: rateLimits.map((each) => ({ rateLimit: each, amount: 1 })),
  rank: 'writes',
  share: 'acme',
});
const { signal } = new AbortController();

/** A limiter on a clock of its own, and its reported telemetry. */
function watched() {
  const clock = virtualClock();
  const told: string[] = [];
  const limiter = watchedLimiter(
    inProcessLimiter({ clock }),
    {
      waited: (key, ms) => told.push(`${key} waited ${ms}`),
      throttled: (key) => told.push(`${key} throttled`),
    },
    clock.now,
  );
  return { clock, told, limiter };
}

describe('a limiter that is watched', () => {
  it('tells how long a request waited, on every rate limit that it needs', async () => {
    const { clock, told, limiter } = watched();
    await clock.run(async () => {
      await limiter.take(need(run), signal);
      assert.equal(await limiter.take(need(run, tag), signal), clock.now(), 'when it was let go');
    });
    assert.deepEqual(told, [`${run.key} waited 0`, `${run.key} waited 1000`, `${tag.key} waited 1000`]);
  });

  it('answers when it was, and reconciles on that the cloud refused', async () => {
    const { clock, told, limiter } = watched();
    const sentAt = await limiter.take(need(run), signal);
    assert.equal(sentAt, clock.now());
    limiter.slow(run.key, { sentAt, retryAfterMs: 20_000, amount: 1 });
    await clock.run(() => limiter.take(need(run), signal));
    assert.deepEqual(told, [`${run.key} waited 0`, `${run.key} throttled`, `${run.key} waited 20000`]);
  });

  it('passes on what the cloud says is left', async () => {
    const { clock, told, limiter } = watched();
    const wide: RateLimit = { ...run, budget: { ...run.budget, shape: 'bucket', capacity: 5, perSecond: 1 } };
    await limiter.take(need(wide), signal);
    limiter.learn(wide.key, 0);
    await clock.run(() => limiter.take(need(wide), signal));
    assert.deepEqual(told, [`${run.key} waited 0`, `${run.key} waited 1000`]);
  });

  it('tells nothing of a request that gave up', async () => {
    const { clock, told, limiter } = watched();
    const impatient = new AbortController();
    await limiter.take(need(run), signal);
    const waiting = limiter.take(need(run), impatient.signal);
    impatient.abort(new Error('enough'));
    await assert.rejects(waiting, /enough/);
    assert.deepEqual(told, [`${run.key} waited 0`]);
    assert.equal(clock.sleepers(), 0);
  });
});
