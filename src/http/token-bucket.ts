import type { Clock } from '../ports/clock-and-log.ts';
import { webhookRateLimit } from './limits.ts';

/** The budget of each hook. Only genuine deliveries spend it, so that nobody else can use it up. */
interface TokenBuckets {
  spend(hook: string, bytes: number): SpendResult;
}

/** `retryAfterSeconds`: absent: go on. `remaining`: pieces. `resetSeconds`: until the whole burst is available again. */
interface SpendResult {
  readonly retryAfterSeconds?: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

type Limits = Readonly<Record<keyof typeof webhookRateLimit, number>>;

interface Bucket {
  readonly level: number;
  readonly at: number;
}

/** Beyond this the bucket that was used longest ago is dropped. */
const mostBuckets = 10_000;

export function tokenBuckets(clock: Clock, limits: Limits = webhookRateLimit): TokenBuckets {
  const { perSecond, burst, pieceBytes } = limits;
  const buckets = new Map<string, Bucket>();
  return {
    spend: (hook, bytes) => {
      const now = clock.now();
      const { level, at } = buckets.get(hook) ?? { level: burst, at: now };
      buckets.delete(hook);
      const full = Math.min(burst, level + ((now - at) / 1000) * perSecond);
      const pieces = Math.max(1, Math.ceil(bytes / pieceBytes));
      const left = full - pieces;
      const rest = left < 0 ? full : left;
      buckets.set(hook, { level: rest, at: now });
      if (buckets.size > mostBuckets) buckets.delete(buckets.keys().next().value ?? '');
      return {
        remaining: Math.floor(rest),
        resetSeconds: Math.ceil((burst - rest) / perSecond),
        ...(left < 0 ? { retryAfterSeconds: Math.ceil(-left / perSecond) } : {}),
      };
    },
  };
}
