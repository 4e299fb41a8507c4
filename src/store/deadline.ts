import type { Clock } from '../ports/clock.ts';

/** How long a lease still holds, as far as we can tell by ourselves. */
export interface Deadline {
  remainingMs(): number;
  /** Counts from `since`, a moment taken before the database was asked. */
  extend(since: Moment): void;
  /** Over at once, for good. */
  end(): void;
}

export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export const momentBy = (clock: Clock): Moment => ({ monotonic: performance.now(), wall: clock.now() });

/**
 * The sooner of two clocks: the monotonic one, which nobody can set, and the wall clock, which goes on while a machine
 * sleeps. Each can only end a lease too early.
 */
export function deadline(clock: Clock, ttlMs: number, start: Moment): Deadline {
  let since = start;
  let over = false;
  return {
    remainingMs: () => {
      const { monotonic, wall } = momentBy(clock);
      return over ? 0 : ttlMs - Math.max(monotonic - since.monotonic, wall - since.wall);
    },
    extend: (moment) => {
      since = moment;
    },
    end: () => {
      over = true;
    },
  };
}
