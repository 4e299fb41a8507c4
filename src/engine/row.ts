import type { Cost } from '../ports/actuator.ts';
import type { Need, Rank } from '../ports/limiter.ts';

/** One who waits in a row. `go`: it was let go at this time. */
export interface Waiter {
  readonly costs: readonly Cost[];
  readonly came: number;
  go(at: number): void;
}

/** Those who ask the same lanes in one name, in order of arrival; an empty row is no row. */
export interface Row {
  readonly rank: Rank;
  readonly share: string;
  readonly waiters: Set<Waiter>;
  /** What all of them take, lane by lane in the order of their costs. */
  readonly totals: number[];
  /** When one of them was let go last. */
  served: number;
}

export const rowKey = ({ rank, share, costs }: Need): string =>
  JSON.stringify([rank, share, ...costs.map(({ lane }) => lane.key)]);

export const emptyRow = ({ rank, share, costs }: Need): Row => ({
  rank,
  share,
  waiters: new Set(),
  totals: costs.map(() => 0),
  served: Number.NEGATIVE_INFINITY,
});

/** Answers how to leave it again. */
export function join(row: Row, waiter: Waiter): () => void {
  row.waiters.add(waiter);
  count(row, waiter, 1);
  return () => {
    if (row.waiters.delete(waiter)) count(row, waiter, -1);
  };
}

function count({ totals }: Row, { costs }: Waiter, sign: 1 | -1): void {
  for (const [i, { amount }] of costs.entries()) totals[i] = (totals[i] ?? 0) + sign * amount;
}

export function firstOf({ waiters }: Row): Waiter {
  for (const waiter of waiters) return waiter;
  throw new Error('an empty row was asked who is first');
}
