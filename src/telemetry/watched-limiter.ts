import type { Limiter } from '../ports/limiter.ts';
import type { RateLimitWatch } from '../ports/telemetry.ts';

/** The same limiter; how long each request waits, and each refusal, is told. */
export const watchedLimiter = (
  limiter: Limiter,
  budgets: RateLimitWatch,
  monotonic: () => number = () => performance.now(),
): Limiter => ({
  take: async (need, signal) => {
    const began = monotonic();
    const at = await limiter.take(need, signal);
    for (const { rateLimit } of need.costs) budgets.waited(rateLimit.key, monotonic() - began);
    return at;
  },
  slow: (rateLimitKey, refusal) => {
    budgets.throttled(rateLimitKey);
    limiter.slow(rateLimitKey, refusal);
  },
  learn: (rateLimitKey, remaining) => limiter.learn(rateLimitKey, remaining),
});
