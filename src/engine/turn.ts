import type { Rank } from '../ports/limiter.ts';

/** One who waits for a lane, or several in a row who ask the same in one name. */
export interface Turn {
  readonly rank: Rank;
  /** Since when the first of them waits and nobody of them was served, ms. */
  readonly since: number;
  /** Decides between those who came at the same moment; rising. */
  readonly number: number;
  /** What the first of them takes from this lane. */
  readonly first: number;
  /** What all of them take from it, as far as it is this lane that they wait for. Asked only where it matters. */
  readonly all: () => number;
  /** What their share has had of this lane lately. */
  readonly used: number;
}

/**
 * How much of a lane must be left to `other` when `own` takes from it.
 *
 *   other                                  | is left
 *   ---------------------------------------+-----------------------------------------------------
 *   unserved for 15 s, longer than own     | what its first one takes
 *   of a rank before own's                 | all it asks for
 *   same rank, its share has had less      | what it may catch up, at least what its first takes
 *   same rank, as much, and waits longer   | what its first one takes
 *   any other                              | nothing
 */
export function leftTo(other: Turn, own: Turn, now: number): number {
  const overdue = now - other.since >= patienceMs;
  if (overdue !== now - own.since >= patienceMs) return overdue ? other.first : 0;
  if (overdue) return isBefore(other, own) ? other.first : 0;
  const ranks = order[other.rank] - order[own.rank];
  if (ranks !== 0) return ranks < 0 ? other.all() : 0;
  const behind = own.used - other.used;
  if (Math.abs(behind) > rounding) return behind > 0 ? Math.min(other.all(), Math.max(other.first, behind)) : 0;
  return isBefore(other, own) ? other.first : 0;
}

const isBefore = (one: Turn, other: Turn): boolean =>
  one.since === other.since ? one.number < other.number : one.since < other.since;

/** Nobody is passed over for longer than this by those whose turn comes before. */
export const patienceMs = 15_000;

/** Lower ranks are served first. */
export const order: Readonly<Record<Rank, number>> = { frees: 0, writes: 1, reads: 2 };

/** What a share had fades, so that one that was quiet owes nothing and is owed little: by e in this time. */
export const fadeMs = 10_000;

/**
 * Orders amounts that fade alike, whenever they are compared: the logarithm of what each would have been at time 0. Rounded, so
 * that equal amounts of one moment are equal.
 */
export const standingOf = (amount: number, at: number): number =>
  amount < rounding ? Number.NEGATIVE_INFINITY : Math.round((Math.log(amount) + at / fadeMs) * 1e6);

export const faded = (amount: number, ms: number): number => amount * Math.exp(-Math.max(0, ms) / fadeMs);

/** What was used is a fraction that fades; less than this is nothing. */
export const rounding = 1e-6;
