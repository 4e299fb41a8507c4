import type { Cost } from '../ports/actuator.ts';
import type { Need, Rank } from '../ports/limiter.ts';

/** One who waits in a row. `came`: since when, ms. */
export interface Waiter {
  readonly costs: readonly Cost[];
  readonly came: number;
}

/** Those who ask the same lanes in one name, in order of arrival; an empty row is no row. */
export interface Row<W extends Waiter> {
  readonly rank: Rank;
  readonly share: string;
  readonly waiters: Set<W>;
  /** What all of them take, lane by lane in the order of their costs. */
  readonly totals: number[];
  /** When one of them was let go last. */
  served: number;
}

export const rowKey = ({ rank, share, costs }: Need): string =>
  JSON.stringify([rank, share, ...costs.map(({ lane }) => lane.key)]);

export const emptyRow = <W extends Waiter>({ rank, share, costs }: Need): Row<W> => ({
  rank,
  share,
  waiters: new Set(),
  totals: costs.map(() => 0),
  served: Number.NEGATIVE_INFINITY,
});

export function join<W extends Waiter>(row: Row<W>, waiter: W): void {
  row.waiters.add(waiter);
  count(row, waiter, 1);
}

/** Whoever has left already stays away. */
export function leave<W extends Waiter>(row: Row<W>, waiter: W): void {
  if (row.waiters.delete(waiter)) count(row, waiter, -1);
}

function count({ totals }: { readonly totals: number[] }, { costs }: Waiter, sign: 1 | -1): void {
  costs.forEach(({ amount }, i) => {
    totals[i] = (totals[i] ?? 0) + sign * amount;
  });
}

export function firstOf<W extends Waiter>({ waiters }: Row<W>): W {
  for (const waiter of waiters) return waiter;
  throw new Error('an empty row was asked who is first');
}
