import type { Clock } from './clock.ts';

/** What one call takes: `tokens` from the bucket named `lane`, which holds `capacity` and refills by `refill` a second. */
export interface Charge {
  readonly lane: string;
  readonly capacity: number;
  readonly refill: number;
  readonly tokens: number;
}

export interface Budgets {
  /** Takes every charge or none. Answers the lane that ran dry, or undefined when all was taken. */
  take(charges: readonly Charge[]): string | undefined;
  enabled(on: boolean): void;
  /** Fills every bucket to the brim. */
  fill(): void;
  /** Tokens now in the buckets used so far. */
  levels(): Readonly<Record<string, number>>;
}

interface Bucket {
  level: number;
  at: number;
  readonly charge: Charge;
}

/** Token buckets, full at first, refilled continuously on the sandbox's clock. */
export function makeBudgets(clock: Clock, startEnabled = true): Budgets {
  const buckets = new Map<string, Bucket>();
  let on = startEnabled;

  const bucketOf = (charge: Charge): Bucket => {
    const now = clock.now();
    const bucket = buckets.get(charge.lane) ?? { level: charge.capacity, at: now, charge };
    bucket.level = Math.min(charge.capacity, bucket.level + ((now - bucket.at) / 1000) * charge.refill);
    bucket.at = now;
    buckets.set(charge.lane, bucket);
    return bucket;
  };

  return {
    take: (charges) => {
      if (!on) return undefined;
      const drawn = charges.map((charge) => ({ charge, bucket: bucketOf(charge) }));
      const dry = drawn.find(({ charge, bucket }) => bucket.level + 1e-9 < charge.tokens);
      if (dry) return dry.charge.lane;
      for (const { charge, bucket } of drawn) bucket.level -= charge.tokens;
      return undefined;
    },
    enabled: (next) => {
      on = next;
    },
    fill: () => buckets.clear(),
    levels: () => Object.fromEntries([...buckets].map(([lane, { charge }]) => [lane, bucketOf(charge).level])),
  };
}
