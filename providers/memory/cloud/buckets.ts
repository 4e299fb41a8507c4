import type { Cost } from '../../../src/ports/provider.ts';

/** The budgets that the cloud enforces: token buckets, full at first, refilled by the clock. */
export interface Buckets {
  /** Takes all costs, or none and answers the lane that ran dry. */
  take(costs: readonly Cost[]): string | undefined;
  /** Tokens left in each lane used so far. */
  levels(): Readonly<Record<string, number>>;
}

export function makeBuckets(now: () => number): Buckets {
  const lanes = new Map<string, { level: number; at: number }>();
  const fill = ({ lane: { key, budget } }: Cost): { level: number; at: number } => {
    if (budget.shape !== 'bucket') throw new Error(`${key}: this cloud knows buckets only`);
    const lane = lanes.get(key) ?? { level: budget.capacity, at: now() };
    lane.level = Math.min(budget.capacity, lane.level + ((now() - lane.at) / 1000) * budget.perSecond);
    lane.at = now();
    lanes.set(key, lane);
    return lane;
  };
  return {
    take: (costs) => {
      const dry = costs.find((cost) => fill(cost).level + 1e-6 < cost.amount);
      if (dry) return dry.lane.key;
      for (const cost of costs) fill(cost).level -= cost.amount;
      return undefined;
    },
    levels: () => Object.fromEntries([...lanes].map(([key, { level }]) => [key, level])),
  };
}
