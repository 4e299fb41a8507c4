import type { Clock } from '../../ports/clock-and-log.ts';
import { rateLimits } from '../limits.ts';

/** How much each hook may still bring. Spent by what is genuine only, so that nobody else can use it up. */
export interface Allowance {
  spend(hook: string, bytes: number): Spent;
}

/** `afterSeconds`: when to come again; absent: go on. `left`: pieces. `fullInSeconds`: until all of the burst is there again. */
export interface Spent {
  readonly afterSeconds?: number;
  readonly left: number;
  readonly fullInSeconds: number;
}

type Limits = Readonly<Record<keyof typeof rateLimits, number>>;

interface Bucket {
  readonly level: number;
  readonly at: number;
}

/** Whoever was heard longest ago begins anew. */
const mostBuckets = 10_000;

export function allowances(clock: Clock, limits: Limits = rateLimits): Allowance {
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
        left: Math.floor(rest),
        fullInSeconds: Math.ceil((burst - rest) / perSecond),
        ...(left < 0 ? { afterSeconds: Math.ceil(-left / perSecond) } : {}),
      };
    },
  };
}
