import type { Clock } from './clock.ts';

/** The cost of one call: `tokens` from the budget named `rateLimit`. */
export type Charge = BucketCharge | WindowCharge;

/** A token bucket: full at first, holds `capacity` and refills continuously by `refill` a second. */
export interface BucketCharge {
  readonly kind: 'bucket';
  readonly rateLimit: string;
  readonly capacity: number;
  readonly refill: number;
  readonly tokens: number;
}

/**
 * A fixed window: `capacity` tokens in each `windowMs`, all back at once when the next window begins. Windows are
 * synchronised to the clock: those of a minute begin at its full minutes.
 */
export interface WindowCharge {
  readonly kind: 'window';
  readonly rateLimit: string;
  readonly capacity: number;
  readonly windowMs: number;
  readonly tokens: number;
}

export interface Budgets {
  /** Takes every charge or none. Answers the rate limit that ran dry, or undefined when all was taken. */
  take(charges: readonly Charge[]): string | undefined;
  enabled(on: boolean): void;
  /** Fills every budget to the brim. */
  fill(): void;
  /** Tokens now in the budgets used so far. */
  levels(): Readonly<Record<string, number>>;
  /** Tokens now in the budget that this charge would draw on. */
  level(charge: Charge): number;
  /** Milliseconds until all of these could be taken, if nobody else takes any. */
  wait(charges: readonly Charge[]): number;
}

interface Level {
  tokens: number;
  at: number;
  readonly charge: Charge;
}

/** Budgets on the sandbox's clock. */
export function makeBudgets(clock: Clock, startEnabled = true): Budgets {
  const levels = new Map<string, Level>();
  let on = startEnabled;

  const levelOf = (charge: Charge): Level => {
    const now = clock.now();
    const level = levels.get(charge.rateLimit) ?? { tokens: charge.capacity, at: now, charge };
    level.tokens = Math.min(charge.capacity, level.tokens + gained(charge, level.at, now));
    level.at = now;
    levels.set(charge.rateLimit, level);
    return level;
  };

  const waitFor = (charge: Charge): number => {
    const { tokens, at } = levelOf(charge);
    if (tokens + 1e-9 >= charge.tokens) return 0;
    return charge.kind === 'bucket'
      ? ((charge.tokens - tokens) / charge.refill) * 1000
      : charge.windowMs - (at % charge.windowMs);
  };

  return {
    take: (charges) => {
      if (!on) return undefined;
      const drawn = charges.map((charge) => ({ charge, level: levelOf(charge) }));
      const dry = drawn.find(({ charge, level }) => level.tokens + 1e-9 < charge.tokens);
      if (dry) return dry.charge.rateLimit;
      for (const { charge, level } of drawn) level.tokens -= charge.tokens;
      return undefined;
    },
    enabled: (next) => {
      on = next;
    },
    fill: () => levels.clear(),
    levels: () => Object.fromEntries([...levels].map(([rateLimit, { charge }]) => [rateLimit, levelOf(charge).tokens])),
    level: (charge) => levelOf(charge).tokens,
    wait: (charges) => Math.max(0, ...charges.map(waitFor)),
  };
}

function gained(charge: Charge, from: number, now: number): number {
  switch (charge.kind) {
    case 'bucket':
      return ((now - from) / 1000) * charge.refill;
    case 'window':
      return Math.floor(now / charge.windowMs) > Math.floor(from / charge.windowMs) ? charge.capacity : 0;
  }
}
