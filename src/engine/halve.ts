import type { Outcome } from './outcome.ts';

/** Outcomes of those that were sent, by their places; `full`: not one more fits. */
export interface Halved {
  readonly outcomes: ReadonlyMap<number, Outcome>;
  readonly full: boolean;
}

/**
 * As many as fit of what does not fit all together, by halving: so many sendings as the number has binary digits. From the
 * end, so that none begins with an item that a refused one began with, whose token the cloud may remember. Ends early where
 * a sending is refused for anything else.
 */
export async function halve<T>(
  items: readonly T[],
  send: (some: readonly T[]) => Promise<readonly Outcome[]>,
): Promise<Halved> {
  const outcomes = new Map<number, Outcome>();
  let left = items.length;
  let tooMany = items.length;
  while (tooMany > 1) {
    const size = Math.floor(tooMany / 2);
    const from = left - size;
    const came = await send(items.slice(from, left));
    for (const [i, outcome] of came.entries()) outcomes.set(from + i, outcome);
    if (came.every(({ as }) => as === 'done')) {
      left = from;
      tooMany -= size;
    } else if (came.every(isOverQuota)) tooMany = size;
    else return { outcomes, full: false };
  }
  return { outcomes, full: true };
}

export const isOverQuota = (outcome: Outcome): outcome is Extract<Outcome, { readonly as: 'failed' }> =>
  outcome.as === 'failed' && outcome.failure.quota === true;
