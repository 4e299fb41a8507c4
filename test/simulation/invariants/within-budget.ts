import { type PublishedBudget, publishedBudgets } from '../published-budgets.ts';
import type { AskedTrace } from '../trace.ts';
import type { Invariant } from './invariant.ts';

/**
 * All processes together never ask for more than the cloud's published budgets allow. Judged when requests are let go: what
 * a process does that is stopped on the way is not the limiter's.
 */
export const withinBudget: Invariant = {
  number: 8,
  name: 'within budget',
  broken: ({ runs }) => {
    const asked = runs.flatMap((run) => run.asked).toSorted((a, b) => a.at - b.at);
    return publishedBudgets.flatMap((budget) => overspent(asked, budget));
  },
};

/** A bucket, full at first, that is refilled at an even rate up to its brim. */
function overspent(asked: readonly AskedTrace[], { action, counts, capacity, perSecond }: PublishedBudget) {
  let left = capacity;
  let last = Number.NEGATIVE_INFINITY;
  return asked.flatMap((one) => {
    if (one.action !== action) return [];
    left = Math.min(capacity, left + ((one.at - last) / 1000) * perSecond);
    last = one.at;
    left -= counts === 'calls' ? 1 : one.machines;
    // why: a thousandth is rounding; an amount over the whole bucket is let go when it is full
    if (left > -1e-3 || (counts === 'machines' && one.machines > capacity)) return [];
    return [`${action} at ${one.at}: ${(-left).toFixed(2)} ${counts} over what its budget of ${capacity} has left`];
  });
}
