import type { DriftEntry } from './entries.ts';

/** An entry on the screen. `placed`: as it was when it got its place, which it keeps while the reader is in the list. */
export interface Shown {
  readonly entry: DriftEntry;
  readonly placed: DriftEntry;
  /** Since when it no longer differs, ms since the epoch; absent: it differs. */
  readonly healedAt?: number;
}

interface ShownList {
  readonly rows: readonly Shown[];
  /** New differences that wait, as the reader is in the list. */
  readonly waiting: number;
}

export const nothingShown: ShownList = { rows: [], waiting: 0 };

/** Healed rows say so for so long. */
export const healedMs = 8_000;

interface Moment {
  readonly now: number;
  /** The pointer or the keys are in the list: no row may move under them. */
  readonly isHeld: boolean;
}

/**
 * The rows after a new answer:
 *
 *   row               | the reader is elsewhere      | the reader is in the list
 *   ------------------+------------------------------+---------------------------
 *   differs still     | as it is now, at its place   | as it is now, where it was
 *   differs no more   | says so for `healedMs`       | says so until `settled`
 *   is new            | shows                        | waits
 */
export function following({ rows }: ShownList, fresh: readonly DriftEntry[], { now, isHeld }: Moment): ShownList {
  const byKey = new Map(fresh.map((entry) => [entry.key, entry]));
  const kept = rows.flatMap(({ entry, placed, healedAt }): readonly Shown[] => {
    const found = byKey.get(entry.key);
    if (found !== undefined) return [{ entry: found, placed: isHeld ? placed : found }];
    return [{ entry, placed, healedAt: healedAt ?? now }];
  });
  const known = new Set(rows.map(({ entry }) => entry.key));
  const more = fresh.filter(({ key }) => !known.has(key));
  if (isHeld) return { rows: kept, waiting: more.length };
  return settled({ rows: [...kept, ...more.map((entry) => ({ entry, placed: entry }))], waiting: 0 }, now - healedMs);
}

/** Without the rows that had healed by then, but the one that the reader is at. */
export function settled({ rows, waiting }: ShownList, healedBefore: number, at?: string): ShownList {
  const left = rows.filter(({ entry, healedAt = Number.POSITIVE_INFINITY }) => {
    return healedAt > healedBefore || entry.key === at;
  });
  return left.length === rows.length ? { rows, waiting } : { rows: left, waiting };
}
