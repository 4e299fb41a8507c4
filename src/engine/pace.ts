import type { Refusal } from '../ports/limiter.ts';

/** Half a minute from the half speed back to the whole one; 58 s from the slowest. */
export const recoveryPerMs = 0.5 / 30_000;
export const slowest = 1 / 32;

/** Times are ms since the epoch. */
export interface Pace {
  /** The part of the whole speed, up to 1. */
  at(now: number): number;
  pausedUntil(): number;
  /** Until it may go at its whole speed again; absent where it may. */
  slowed(now: number): { readonly slowedUntil?: number };
  /** Whether this is another refusal than the last. */
  slow(refusal: Refusal, now: number): boolean;
}

/** How much of its speed a lane dares: halved by a refusal, regained in even steps. */
export function paceFrom(): Pace {
  let factor = 1;
  let since = Number.NEGATIVE_INFINITY;
  let until = 0;
  const at = (now: number): number => Math.min(1, factor + Math.max(0, now - since) * recoveryPerMs);
  return {
    at,
    pausedUntil: () => until,
    slowed: (now) => {
      const slowedUntil = Math.max(until, since + (1 - factor) / recoveryPerMs);
      return slowedUntil > now ? { slowedUntil } : {};
    },
    slow: ({ sentAt, retryAfterMs }, now) => {
      until = Math.max(until, now + retryAfterMs);
      if (sentAt <= since) return false;
      factor = Math.max(slowest, at(now) / 2);
      since = now;
      return true;
    },
  };
}
