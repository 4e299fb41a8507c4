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
  /** Something was let go. */
  went(now: number): void;
  slow(refusal: Pick<Refusal, 'sentAt' | 'retryAfterMs'>, now: number): Slowing;
}

/** Which refusal it is: the one that was heard before, another, or that of the very first that went after a slow-down. */
export type Slowing = 'same' | 'other' | 'again';

/** How much of its speed a lane dares: halved by a refusal, regained in even steps. */
export function paceFrom(): Pace {
  let factor = 1;
  let since = Number.NEGATIVE_INFINITY;
  let until = 0;
  let firstSince: number | undefined;
  const at = (now: number): number => Math.min(1, factor + Math.max(0, now - since) * recoveryPerMs);
  return {
    at,
    pausedUntil: () => until,
    slowed: (now) => {
      const slowedUntil = Math.max(until, since + (1 - factor) / recoveryPerMs);
      return slowedUntil > now ? { slowedUntil } : {};
    },
    went: (now) => {
      if (now > since) firstSince ??= now;
    },
    slow: ({ sentAt, retryAfterMs }, now) => {
      until = Math.max(until, now + retryAfterMs);
      if (sentAt <= since) return 'same';
      const again = firstSince !== undefined && sentAt <= firstSince && at(sentAt) < 1;
      factor = Math.max(slowest, at(now) / 2);
      since = now;
      firstSince = undefined;
      return again ? 'again' : 'other';
    },
  };
}
