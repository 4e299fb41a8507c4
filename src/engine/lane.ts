import type { Budget } from '../ports/actuator.ts';
import type { Refusal } from '../ports/limiter.ts';
import type { LaneLevel } from '../ports/telemetry.ts';
import { paceFrom } from './pace.ts';
import { type LaneOptions, type Shape, shapeOf } from './shape.ts';
import { faded, rounding, standingOf } from './turn.ts';

/** What is left of one budget. Times are ms since the epoch and never go back. */
export interface LaneState {
  /** The whole budget: who needs more than all of it waits for all of it. */
  readonly capacity: number;
  /** When `amount` may be spent if nobody else spends: `now` or later. An amount over the whole budget waits for a full one. */
  readyAt(amount: number, now: number): number;
  /** Takes it for this share; goes into debt where it is more than there is. */
  spend(amount: number, share: string, now: number): void;
  /** What the share has had lately. */
  used(share: string, now: number): number;
  /** Orders shares by what they have had lately, whenever they are compared; -Infinity: nothing. */
  standing(share: string): number;
  /** Half the speed, unless it is the refusal that was heard before, and nothing before Retry-After is over: see `Limiter`. Whether it slowed. */
  slow(refusal: Refusal, now: number): boolean;
  /** There is no more left than this, of all that the cloud counts. */
  learn(remaining: number, now: number): void;
  level(now: number): Omit<LaneLevel, 'key'>;
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
  let manyShares = 1000;
  const forget = (at: number): void => {
    for (const share of had.keys()) if (used(share, at) < rounding) had.delete(share);
    manyShares = Math.max(1000, 2 * had.size);
  };
  return {
    capacity: shape.capacity,
    readyAt: (amount, at) => Math.max(pace.pausedUntil(), store.readyAt(amount, at, pace.at(at))),
    spend: (amount, share, at) => {
      store.spend(amount, at, pace.at(at));
      pace.went(at);
      had.set(share, { amount: used(share, at) + amount, at });
      // why: whose use has faded would stay for ever
      if (had.size > manyShares) forget(at);
    },
    used,
    standing: (share) => {
      const last = had.get(share);
      return last === undefined ? Number.NEGATIVE_INFINITY : standingOf(last.amount, last.at);
    },
    slow: (refusal, at) => {
      const ofResources = shape.counts === 'resources';
      // why: what was gained until now was gained at the pace until now
      store.left(at, pace.at(at));
      if (ofResources) store.giveBack(refusal, at);
      const slowing = pace.slow(refusal, at);
      if (slowing === 'again' || (slowing === 'other' && !ofResources)) store.empty(at);
      return slowing !== 'same';
    },
    learn: (remaining, at) => store.lower(Math.max(0, remaining - shape.reserved), at, pace.at(at)),
    level: (at) => ({ level: store.left(at, pace.at(at)) / shape.capacity, ...pace.slowed(at) }),
  };
}

interface Store {
  left(now: number, pace: number): number;
  readyAt(amount: number, now: number, pace: number): number;
  spend(amount: number, now: number, pace: number): void;
  giveBack(refused: Pick<Refusal, 'sentAt' | 'amount'>, now: number): void;
  empty(now: number): void;
  lower(left: number, now: number, pace: number): void;
}

function bucket({ capacity, perMs }: Shape, start: number): Store {
  let tokens = capacity;
  let last = start;
  let corrected = Number.NEGATIVE_INFINITY;
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
    // why: had the cloud's bucket been full it would have gained nothing since, so what ours gained is not given twice
    giveBack: ({ sentAt, amount }, now) => {
      if (sentAt > corrected) tokens = Math.min(capacity, tokens + Math.max(0, amount - (now - sentAt) * perMs));
    },
    empty: (now) => {
      tokens = Math.min(tokens, 0);
      corrected = now;
    },
    lower: (left, now, pace) => {
      refill(now, pace);
      if (tokens <= left) return;
      tokens = left;
      corrected = now;
    },
  };
}

/** Never more than the budget in any span of the window's length, however the cloud aligns its own. */
function window({ capacity, windowMs = 0 }: Shape): Store {
  const spent: { at: number; amount: number }[] = [];
  let total = 0;
  const refill = (now: number): void => {
    for (let [old] = spent; old !== undefined && old.at + windowMs <= now; [old] = spent) {
      total -= old.amount;
      spent.shift();
    }
  };
  const spend = (amount: number, now: number): void => {
    total += amount;
    const last = spent.at(-1);
    if (last?.at === now) last.amount += amount;
    else spent.push({ at: now, amount });
  };
  return {
    left: (now) => {
      refill(now);
      return capacity - total;
    },
    readyAt: (amount, now, pace) => {
      refill(now);
      const allowed = Math.max(1, Math.floor(capacity * pace));
      let over = total + Math.min(amount, allowed) - allowed;
      if (over <= 0) return now;
      for (const { at, amount: old } of spent) {
        over -= old;
        if (over <= 0) return at + windowMs;
      }
      return now + windowMs;
    },
    spend,
    giveBack: () => undefined,
    empty: () => undefined,
    lower: (left, now) => {
      refill(now);
      const unseen = capacity - total - left;
      if (unseen > 0) spend(unseen, now);
    },
  };
}
