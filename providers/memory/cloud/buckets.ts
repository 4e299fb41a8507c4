import type { Cost } from '../../../src/ports/provider.ts';

/** The budgets that the cloud enforces: token buckets, full at first, refilled by the clock. */
export interface Buckets {
  /** Takes all costs, or none and answers the rate limit that ran dry. */
  take(costs: readonly Cost[]): string | undefined;
  /** Tokens left in each rate limit used so far. */
  levels(): Readonly<Record<string, number>>;
}

export function makeBuckets(now: () => number): Buckets {
  const rateLimits = new Map<string, { level: number; at: number }>();
  const fill = ({ rateLimit: { key, budget } }: Cost): { level: number; at: number } => {
    if (budget.shape !== 'bucket') throw new Error(`${key}: this cloud knows buckets only`);
    const rateLimit = rateLimits.get(key) ?? { level: budget.capacity, at: now() };
    rateLimit.level = Math.min(budget.capacity, rateLimit.level + ((now() - rateLimit.at) / 1000) * budget.perSecond);
    rateLimit.at = now();
    rateLimits.set(key, rateLimit);
    return rateLimit;
  };
  return {
    take: (costs) => {
      const dry = costs.find((cost) => fill(cost).level + 1e-6 < cost.amount);
      if (dry) return dry.rateLimit.key;
      for (const cost of costs) fill(cost).level -= cost.amount;
      return undefined;
    },
    levels: () => Object.fromEntries([...rateLimits].map(([key, { level }]) => [key, level])),
  };
}
