import type { Clock } from '../../ports/clock.ts';
import { rateLimits } from '../limits.ts';

/** How much each hook may still bring. Spent by what is genuine only, so that nobody else can use it up. */
export interface Allowance {
  /** Undefined: go on. Else in how many seconds to come again. */
  spend(hook: string, bytes: number): number | undefined;
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
      buckets.set(hook, { level: left < 0 ? full : left, at: now });
      if (buckets.size > mostBuckets) buckets.delete(buckets.keys().next().value ?? '');
      return left < 0 ? Math.ceil(-left / perSecond) : undefined;
    },
  };
}
