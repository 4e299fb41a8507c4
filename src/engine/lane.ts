import type { Budget } from '../ports/actuator.ts';
import type { Refusal } from '../ports/limiter.ts';
import type { LaneLevel } from '../ports/telemetry.ts';
import { faded } from './turn.ts';

/** What is left of one budget. Times are ms since the epoch and never go back. */
export interface LaneState {
  /** When `amount` may be spent if nobody else spends: `now` or later. An amount over the whole budget waits for a full one. */
  readyAt(amount: number, now: number): number;
  /** Takes it for this share; goes into debt where it is more than there is. */
  spend(amount: number, share: string, now: number): void;
  /** What the share has had lately. */
  used(share: string, now: number): number;
  /** Half the speed, unless it is the refusal that was heard before, and nothing before Retry-After is over. Whether it slowed. */
  slow(refusal: Refusal, now: number): boolean;
  /** There is no more left than this, of all that the cloud counts. */
  learn(remaining: number, now: number): void;
  level(now: number): Omit<LaneLevel, 'key'>;
}

export interface LaneOptions {
  /** The fraction of the budget left to other users of the account, in [0,1); default 0. */
  readonly reserve?: number;
  /** By how much one request may reach the cloud later after its grant than another, ms; default 0. */
  readonly lateMs?: number;
  /** As if all of it had been spent just now; default false. */
  readonly empty?: boolean;
}

export function laneState(budget: Budget, options: LaneOptions, now: number): LaneState {
  const pace = paceFrom();
  const shape = shapeOf(budget, options);
  const store = shape.windowMs === undefined ? bucket(shape, now) : window(shape);
  if (options.empty) store.lower(0, now, 1);
  const had = new Map<string, { readonly amount: number; readonly at: number }>();
  const used = (share: string, at: number): number => {
    const last = had.get(share);
    return last === undefined ? 0 : faded(last.amount, at - last.at);
  };
  return {
    readyAt: (amount, at) => Math.max(pace.pausedUntil(), store.readyAt(amount, at, pace.at(at))),
    spend: (amount, share, at) => {
      store.spend(amount, at, pace.at(at));
      had.set(share, { amount: used(share, at) + amount, at });
    },
    used,
    slow: (refusal, at) => {
      store.refill(at, pace.at(at));
      const slowed = pace.slow(refusal, at);
      if (slowed) store.empty(at);
      return slowed;
    },
    learn: (remaining, at) => store.lower(Math.max(0, remaining - shape.reserved), at, pace.at(at)),
    level: (at) => ({ level: store.left(at, pace.at(at)) / shape.capacity, ...pace.slowed(at) }),
  };
}

/**
 * What we use of a budget. Grants reach the cloud a little later, and not all by as much, so that more of them may come
 * together than went: a bucket holds back what it gains in that time (at most half of it), and what was spent in a window
 * comes back by so much later. `reserved`: what of the cloud's own count is for others.
 */
export interface Shape {
  readonly capacity: number;
  /** What a bucket gains; 0 for a window. */
  readonly perMs: number;
  /** How long what was spent in a window counts; absent for a bucket. */
  readonly windowMs?: number;
  readonly reserved: number;
}

export function shapeOf(budget: Budget, { reserve = 0, lateMs = 0 }: LaneOptions): Shape {
  switch (budget.shape) {
    case 'bucket': {
      const perMs = (budget.perSecond * (1 - reserve)) / 1000;
      const ours = budget.capacity * (1 - reserve);
      const capacity = Math.max(1, ours - Math.min(perMs * lateMs, ours / 2));
      return { capacity, perMs, reserved: budget.capacity * reserve };
    }
    case 'window': {
      const capacity = Math.max(1, Math.floor(budget.calls * (1 - reserve)));
      return { capacity, perMs: 0, windowMs: budget.windowMs + lateMs, reserved: budget.calls * reserve };
    }
  }
}

/** Half a minute from the half speed back to the whole one; 58 s from the slowest. */
export const recoveryPerMs = 0.5 / 30_000;
export const slowest = 1 / 32;

/** How much of its speed a lane dares: halved by a refusal, regained in even steps. */
function paceFrom() {
  let factor = 1;
  let since = Number.NEGATIVE_INFINITY;
  let until = 0;
  const at = (now: number): number => Math.min(1, factor + Math.max(0, now - since) * recoveryPerMs);
  return {
    at,
    pausedUntil: () => until,
    /** Until it may go at its whole speed again. */
    slowed: (now: number): { readonly slowedUntil?: number } => {
      const slowedUntil = Math.max(until, since + (1 - factor) / recoveryPerMs);
      return slowedUntil > now ? { slowedUntil } : {};
    },
    slow: ({ sentAt, retryAfterMs }: Refusal, now: number): boolean => {
      until = Math.max(until, now + retryAfterMs);
      if (sentAt <= since) return false;
      factor = Math.max(slowest, at(now) / 2);
      since = now;
      return true;
    },
  };
}

interface Store {
  left(now: number, pace: number): number;
  readyAt(amount: number, now: number, pace: number): number;
  spend(amount: number, now: number, pace: number): void;
  refill(now: number, pace: number): void;
  empty(now: number): void;
  lower(left: number, now: number, pace: number): void;
}

function bucket({ capacity, perMs }: Shape, start: number): Store {
  let tokens = capacity;
  let last = start;
  const refill = (now: number, pace: number): void => {
    if (now <= last) return;
    tokens = Math.min(capacity, tokens + (now - last) * perMs * pace);
    last = now;
  };
  return {
    left: (now, pace) => {
      refill(now, pace);
      return tokens;
    },
    refill,
    readyAt: (amount, now, pace) => {
      refill(now, pace);
      const missing = Math.min(amount, capacity) - tokens;
      // why: tokens are fractions; a billionth of one is rounding, not a reason to wait
      return missing <= 1e-9 ? now : now + Math.max(1, Math.ceil(missing / (perMs * pace)));
    },
    spend: (amount, now, pace) => {
      refill(now, pace);
      tokens -= amount;
    },
    empty: () => {
      tokens = Math.min(tokens, 0);
    },
    lower: (left, now, pace) => {
      refill(now, pace);
      tokens = Math.min(tokens, left);
    },
  };
}

/** Never more than the budget in any span of the window's length, however the cloud aligns its own. */
function window({ capacity, windowMs = 0 }: Shape): Store {
  const spent: { at: number; amount: number }[] = [];
  const total = (): number => spent.reduce((sum, { amount }) => sum + amount, 0);
  const refill = (now: number): void => {
    while (spent[0] && spent[0].at + windowMs <= now) spent.shift();
  };
  const spend = (amount: number, now: number): void => {
    const last = spent.at(-1);
    if (last?.at === now) last.amount += amount;
    else spent.push({ at: now, amount });
  };
  return {
    left: (now) => {
      refill(now);
      return capacity - total();
    },
    refill,
    readyAt: (amount, now, pace) => {
      refill(now);
      const allowed = Math.max(1, Math.floor(capacity * pace));
      let over = total() + Math.min(amount, allowed) - allowed;
      if (over <= 0) return now;
      for (const { at, amount: old } of spent) {
        over -= old;
        if (over <= 0) return at + windowMs;
      }
      return now + windowMs;
    },
    spend,
    empty: () => undefined,
    lower: (left, now) => {
      refill(now);
      const unseen = capacity - total() - left;
      if (unseen > 0) spend(unseen, now);
    },
  };
}
