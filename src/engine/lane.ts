import type { Budget } from '../ports/actuator.ts';
import type { Refusal } from '../ports/limiter.ts';

/** What is left of one budget. Times are ms since the epoch and never go back. */
export interface LaneState {
  /** When `amount` may be spent if nobody else spends: `now` or later. An amount over the whole budget waits for a full one. */
  readyAt(amount: number, now: number): number;
  /** Takes it; goes into debt where it is more than there is. */
  spend(amount: number, now: number): void;
  /** Half the speed, unless it is the refusal that was heard before, and nothing before Retry-After is over. Whether it slowed. */
  slow(refusal: Refusal, now: number): boolean;
  /** There is no more left than this, of all that the cloud counts. */
  learn(remaining: number, now: number): void;
}

/** `reserve`: the fraction of the budget left to other users of the account, in [0,1). */
export function laneState(budget: Budget, reserve: number, now: number): LaneState {
  const pace = paceFrom();
  const store = budget.shape === 'bucket' ? bucket(budget, reserve, now) : window(budget, reserve);
  return {
    readyAt: (amount, at) => Math.max(pace.pausedUntil(), store.readyAt(amount, at, pace.at(at))),
    spend: (amount, at) => store.spend(amount, at, pace.at(at)),
    slow: (refusal, at) => {
      store.refill(at, pace.at(at));
      const slowed = pace.slow(refusal, at);
      if (slowed) store.empty(at);
      return slowed;
    },
    learn: (remaining, at) => store.lower(remaining, at, pace.at(at)),
  };
}

/** Half a minute from the half speed back to the whole one; 58 s from the slowest. */
const recoveryPerMs = 0.5 / 30_000;
const slowest = 1 / 32;

/** How much of its speed a lane dares: halved by a refusal, regained in even steps. */
function paceFrom() {
  let factor = 1;
  let since = Number.NEGATIVE_INFINITY;
  let until = 0;
  const at = (now: number): number => Math.min(1, factor + Math.max(0, now - since) * recoveryPerMs);
  return {
    at,
    pausedUntil: () => until,
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
  readyAt(amount: number, now: number, pace: number): number;
  spend(amount: number, now: number, pace: number): void;
  refill(now: number, pace: number): void;
  empty(now: number): void;
  lower(remaining: number, now: number, pace: number): void;
}

function bucket(budget: Budget & { shape: 'bucket' }, reserve: number, start: number): Store {
  const capacity = Math.max(1, budget.capacity * (1 - reserve));
  const perMs = (budget.perSecond * (1 - reserve)) / 1000;
  let tokens = capacity;
  let last = start;
  const refill = (now: number, pace: number): void => {
    if (now <= last) return;
    tokens = Math.min(capacity, tokens + (now - last) * perMs * pace);
    last = now;
  };
  return {
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
    lower: (remaining, now, pace) => {
      refill(now, pace);
      tokens = Math.min(tokens, Math.max(0, remaining - budget.capacity * reserve));
    },
  };
}

/** Never more than the budget in any span of the window's length, however the cloud aligns its own. */
function window(budget: Budget & { shape: 'window' }, reserve: number): Store {
  const calls = Math.max(1, Math.floor(budget.calls * (1 - reserve)));
  const spent: { at: number; amount: number }[] = [];
  const total = (): number => spent.reduce((sum, { amount }) => sum + amount, 0);
  const refill = (now: number): void => {
    while (spent[0] && spent[0].at + budget.windowMs <= now) spent.shift();
  };
  const spend = (amount: number, now: number): void => {
    const last = spent.at(-1);
    if (last?.at === now) last.amount += amount;
    else spent.push({ at: now, amount });
  };
  return {
    refill,
    readyAt: (amount, now, pace) => {
      refill(now);
      const allowed = Math.max(1, Math.floor(calls * pace));
      let over = total() + Math.min(amount, allowed) - allowed;
      if (over <= 0) return now;
      for (const { at, amount: old } of spent) {
        over -= old;
        if (over <= 0) return at + budget.windowMs;
      }
      return now + budget.windowMs;
    },
    spend,
    empty: () => undefined,
    lower: (remaining, now) => {
      refill(now);
      const unseen = calls - total() - Math.max(0, remaining - budget.calls * reserve);
      if (unseen > 0) spend(unseen, now);
    },
  };
}
