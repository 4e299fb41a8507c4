import type { Budget, Rank, Refusal } from '../ports/limiter.ts';
import type { RateLimitLevel, RateLimitSize } from '../ports/telemetry.ts';

/**
 * The rest of one budget. Times are ms since the epoch and never go back. Tens of thousands of them may exist at once: their
 * functions are methods, which take no memory for each.
 */
export class RateLimitState {
  readonly #shape: UsableBudget;
  readonly #pace: Slowdown;
  readonly #store: BudgetStore;
  /** The use of each share, as of the last time that it took something; undefined: nobody took anything. */
  #had: Map<string, Had> | undefined;
  #manyShares = 1000;

  private constructor(shape: UsableBudget, store: BudgetStore, pace = new Slowdown(), had?: Map<string, Had>) {
    this.#shape = shape;
    this.#store = store;
    this.#pace = pace;
    this.#had = had;
  }

  /** Full, or with `empty` as if all of it had been spent just now. */
  static of(budget: Budget, options: RateLimitOptions, now: number): RateLimitState {
    const shape = usableBudgetOf(budget, options);
    const store = shape.windowMs === undefined ? new Bucket(shape, now) : new Window(shape);
    if (options.empty) store.lower(0, now, 1);
    return new RateLimitState(shape, store);
  }

  /** With a store of somebody else's. */
  static on(shape: UsableBudget, store: BudgetStore): RateLimitState {
    return new RateLimitState(shape, store);
  }

  /** As `kept` returned it. */
  static from({ store, pace, had }: SavedRateLimit, budget: Budget, options: RateLimitOptions): RateLimitState {
    const shape = usableBudgetOf(budget, options);
    const now = 'spent' in store ? 0 : store.last;
    const restored = 'spent' in store ? new Window(shape, store.spent) : new Bucket(shape, now, store);
    const shares = Object.entries(had).map(([share, [amount, at]]) => [share, { amount, at }] as const);
    return new RateLimitState(shape, restored, new Slowdown(pace), new Map(shares));
  }

  /** As JSON. Undefined where its store is not one of ours. */
  kept(now: number): SavedRateLimit | undefined {
    const store = this.#store.kept?.();
    if (store === undefined) return undefined;
    this.#forget(now);
    const had = Object.fromEntries(
      [...(this.#had ?? [])].map(([share, { amount, at }]) => [share, [amount, at] as const]),
    );
    return { store, pace: this.#pace.kept(), had };
  }

  /** The whole budget: who needs more than all of it waits for all of it. */
  get capacity(): number {
    return this.#shape.capacity;
  }

  /** When `amount` may be spent if nobody else spends: `now` or later. An amount over the whole budget waits for a full one. */
  readyAt(amount: number, now: number): number {
    return Math.max(this.#pace.pausedUntil(), this.#store.readyAt(amount, now, this.#pace.at(now)));
  }

  /** Takes it for this share; goes into debt where it is more than there is. */
  spend(amount: number, share: string, now: number): void {
    this.#store.spend(amount, now, { pace: this.#pace.at(now), share });
    this.#pace.went(now);
    this.#had ??= new Map();
    this.#had.set(share, { amount: this.used(share, now) + amount, at: now });
    // why: whose use has faded would stay for ever
    if (this.#had.size > this.#manyShares) this.#forget(now);
  }

  /** The recent use of the share. */
  used(share: string, now: number): number {
    const last = this.#had?.get(share);
    return last === undefined ? 0 : faded(last.amount, now - last.at);
  }

  /** Orders shares by what they have had lately, whenever they are compared; -Infinity: nothing. */
  usage(share: string): number {
    const last = this.#had?.get(share);
    return last === undefined ? Number.NEGATIVE_INFINITY : comparableUsage(last.amount, last.at);
  }

  /** Half the speed, unless it is the refusal that was heard before, and nothing before Retry-After is over: see `Limiter`. Whether it slowed. */
  slow(refusal: Refusal, now: number): boolean {
    const ofResources = this.#shape.counts === 'resources';
    // why: what was gained until now was gained at the pace until now
    this.#store.left(now, this.#pace.at(now));
    if (ofResources) this.#store.giveBack(refusal, now);
    const slowing = this.#pace.slow(refusal, now);
    if (slowing === 'again' || (slowing === 'other' && !ofResources)) this.#store.empty(now);
    return slowing !== 'same';
  }

  /** There is no more left than this, of all that the cloud counts. */
  learn(remaining: number, now: number): void {
    this.#store.lower(Math.max(0, remaining - this.#shape.reserved), now, this.#pace.at(now));
  }

  get size(): RateLimitSize {
    return sizeOf(this.#shape);
  }

  level(now: number): Pick<RateLimitLevel, 'level' | 'slowedUntil'> {
    return { level: this.left(now) / this.#shape.capacity, ...this.#pace.slowed(now) };
  }

  left(now: number): number {
    return this.#store.left(now, this.#pace.at(now));
  }

  /** The most that one request waits for: the whole budget, or what of a window a slowed rate limit dares. */
  most(now: number): number {
    return Math.min(this.#shape.capacity, this.#store.most(this.#pace.at(now)));
  }

  /** Units to spend now: none while the cloud asks to wait, and less than the rest of a window in a slowed rate limit. */
  spendable(now: number): number {
    if (this.#pace.pausedUntil() > now) return Math.min(0, this.left(now));
    return this.left(now) - (this.#shape.capacity - this.most(now));
  }

  #forget(now: number): void {
    const had = this.#had ?? new Map<string, Had>();
    for (const share of had.keys()) if (this.used(share, now) < rounding) had.delete(share);
    this.#manyShares = Math.max(1000, 2 * had.size);
  }
}

interface Had {
  readonly amount: number;
  readonly at: number;
}

/** A rate limit as JSON; times are ms since the epoch. `had`: each share's recent units, and the time at which it last took some. */
export interface SavedRateLimit {
  readonly store: SavedBucket | SavedWindow;
  readonly pace: SavedSlowdown;
  readonly had: Readonly<Record<string, readonly [amount: number, at: number]>>;
}

interface SavedBucket {
  readonly tokens: number;
  readonly last: number;
  readonly corrected: number | null;
}

interface SavedWindow {
  readonly spent: readonly (readonly [at: number, amount: number])[];
}

/** Holds the units of a rate limit. */
export interface BudgetStore {
  left(now: number, pace: number): number;
  /** The most that one request takes at this pace. */
  most(pace: number): number;
  readyAt(amount: number, now: number, pace: number): number;
  spend(amount: number, now: number, by: { readonly pace: number; readonly share: string }): void;
  giveBack(refused: Pick<Refusal, 'sentAt' | 'amount'>, now: number): void;
  empty(now: number): void;
  lower(left: number, now: number, pace: number): void;
  kept?(): SavedRateLimit['store'];
}

class Bucket implements BudgetStore {
  readonly #shape: UsableBudget;
  #tokens: number;
  #last: number;
  #corrected: number;

  constructor(shape: UsableBudget, start: number, kept?: SavedBucket) {
    this.#shape = shape;
    this.#tokens = kept?.tokens ?? shape.capacity;
    this.#last = start;
    this.#corrected = kept?.corrected ?? Number.NEGATIVE_INFINITY;
  }

  kept(): SavedBucket {
    const corrected = this.#corrected === Number.NEGATIVE_INFINITY ? null : this.#corrected;
    return { tokens: this.#tokens, last: this.#last, corrected };
  }

  most(): number {
    return this.#shape.capacity;
  }

  left(now: number, pace: number): number {
    this.#refill(now, pace);
    return this.#tokens;
  }

  readyAt(amount: number, now: number, pace: number): number {
    this.#refill(now, pace);
    const missing = Math.min(amount, this.#shape.capacity) - this.#tokens;
    // why: tokens are fractions; a billionth of one is rounding, not a reason to wait
    return missing <= 1e-9 ? now : now + Math.max(1, Math.ceil(missing / (this.#shape.perMs * pace)));
  }

  spend(amount: number, now: number, { pace }: { readonly pace: number }): void {
    this.#refill(now, pace);
    this.#tokens -= amount;
  }

  // why: had the cloud's bucket been full it would have gained nothing since, so what ours gained is not given twice
  giveBack({ sentAt, amount }: Pick<Refusal, 'sentAt' | 'amount'>, now: number): void {
    if (sentAt <= this.#corrected) return;
    const { capacity, perMs } = this.#shape;
    this.#tokens = Math.min(capacity, this.#tokens + Math.max(0, amount - (now - sentAt) * perMs));
  }

  empty(now: number): void {
    this.#tokens = Math.min(this.#tokens, 0);
    this.#corrected = now;
  }

  lower(left: number, now: number, pace: number): void {
    this.#refill(now, pace);
    if (this.#tokens <= left) return;
    this.#tokens = left;
    this.#corrected = now;
  }

  #refill(now: number, pace: number): void {
    if (now <= this.#last) return;
    const { capacity, perMs } = this.#shape;
    this.#tokens = Math.min(capacity, this.#tokens + (now - this.#last) * perMs * pace);
    this.#last = now;
  }
}

/** Never more than the budget in any span of the window's length, however the cloud aligns its own. */
class Window implements BudgetStore {
  readonly #capacity: number;
  readonly #windowMs: number;
  readonly #spent: { at: number; amount: number }[];
  #total: number;

  constructor({ capacity, windowMs = 0 }: UsableBudget, kept: SavedWindow['spent'] = []) {
    this.#capacity = capacity;
    this.#windowMs = windowMs;
    this.#spent = kept.map(([at, amount]) => ({ at, amount }));
    this.#total = this.#spent.reduce((total, { amount }) => total + amount, 0);
  }

  kept(): SavedWindow {
    return { spent: this.#spent.map(({ at, amount }) => [at, amount]) };
  }

  most(pace: number): number {
    return Math.max(1, Math.floor(this.#capacity * pace));
  }

  left(now: number): number {
    this.#refill(now);
    return this.#capacity - this.#total;
  }

  readyAt(amount: number, now: number, pace: number): number {
    this.#refill(now);
    const allowed = this.most(pace);
    let over = this.#total + Math.min(amount, allowed) - allowed;
    if (over <= 0) return now;
    for (const { at, amount: old } of this.#spent) {
      over -= old;
      if (over <= 0) return at + this.#windowMs;
    }
    return now + this.#windowMs;
  }

  spend(amount: number, now: number): void {
    this.#total += amount;
    const last = this.#spent.at(-1);
    // why: one that is noted late counts from the newest on, as the oldest is dropped first
    if (last !== undefined && last.at >= now) last.amount += amount;
    else this.#spent.push({ at: now, amount });
  }

  giveBack(): void {}

  empty(): void {}

  lower(left: number, now: number): void {
    this.#refill(now);
    const unseen = this.#capacity - this.#total - left;
    if (unseen > 0) this.spend(unseen, now);
  }

  #refill(now: number): void {
    for (let [old] = this.#spent; old !== undefined && old.at + this.#windowMs <= now; [old] = this.#spent) {
      this.#total -= old.amount;
      this.#spent.shift();
    }
  }
}

/** The used part of a budget, and its start. */
export interface RateLimitOptions {
  /** The fraction of the budget left to other users of the account, in [0,1); default 0. */
  readonly reserve?: number;
  /** By how much one request may reach the cloud later after its grant than another, ms; default 0. */
  readonly lateMs?: number;
  /** As if all of it had been spent just now; default false. */
  readonly empty?: boolean;
}

/**
 * The usable part of a budget. Grants reach the cloud a little later, and not all by as much, so that more of them may come
 * together than went: a bucket holds back what it gains in that time (at most half of it), and what was spent in a window
 * comes back by so much later. `reserved`: what of the cloud's own count is for others. `counts`: as in a budget.
 */
export interface UsableBudget {
  readonly capacity: number;
  /** The gain of a bucket; 0 for a window. */
  readonly perMs: number;
  /** The time that an amount spent in a window counts; absent for a bucket. */
  readonly windowMs?: number;
  readonly reserved: number;
  readonly counts?: 'resources';
}

export function usableBudgetOf(budget: Budget, { reserve = 0, lateMs = 0 }: RateLimitOptions): UsableBudget {
  switch (budget.shape) {
    case 'bucket': {
      const perMs = (budget.perSecond * (1 - reserve)) / 1000;
      const ours = budget.capacity * (1 - reserve);
      const capacity = Math.max(1, ours - Math.min(perMs * lateMs, ours / 2));
      const { counts } = budget;
      return { capacity, perMs, reserved: budget.capacity * reserve, ...(counts === undefined ? {} : { counts }) };
    }
    case 'window': {
      const capacity = Math.max(1, Math.floor(budget.calls * (1 - reserve)));
      return { capacity, perMs: 0, windowMs: budget.windowMs + lateMs, reserved: budget.calls * reserve };
    }
  }
}

/** The size of a rate limit, for people. */
export const sizeOf = ({ capacity: units, perMs, windowMs }: UsableBudget): RateLimitSize =>
  windowMs === undefined ? { units, perSecond: perMs * 1000 } : { units, windowMs };

/** Half a minute from the half speed back to the whole one; 58 s from the slowest. */
export const recoveryPerMs = 0.5 / 30_000;
export const slowest = 1 / 32;

/** The kind of a refusal: the one that was counted before, another, or that of the very first request after a slow-down. */
type Slowing = 'same' | 'other' | 'again';

/** As JSON; `since`: null where it was never slowed. */
interface SavedSlowdown {
  readonly factor: number;
  readonly since: number | null;
  readonly until: number;
  readonly firstSince: number | null;
}

/**
 * The fraction of its speed that a rate limit uses: halved by a refusal, regained in even steps. Times are ms since the epoch.
 */
class Slowdown {
  #factor = 1;
  #since = Number.NEGATIVE_INFINITY;
  #until = 0;
  #firstSince: number | undefined;

  constructor(kept?: SavedSlowdown) {
    if (kept === undefined) return;
    this.#factor = kept.factor;
    this.#since = kept.since ?? Number.NEGATIVE_INFINITY;
    this.#until = kept.until;
    this.#firstSince = kept.firstSince ?? undefined;
  }

  kept(): SavedSlowdown {
    const since = this.#since === Number.NEGATIVE_INFINITY ? null : this.#since;
    return { factor: this.#factor, since, until: this.#until, firstSince: this.#firstSince ?? null };
  }

  /** The part of the whole speed, up to 1. */
  at(now: number): number {
    return Math.min(1, this.#factor + Math.max(0, now - this.#since) * recoveryPerMs);
  }

  pausedUntil(): number {
    return this.#until;
  }

  /** Until it may go at its whole speed again; absent where it may. */
  slowed(now: number): { readonly slowedUntil?: number } {
    const slowedUntil = Math.max(this.#until, this.#since + (1 - this.#factor) / recoveryPerMs);
    return slowedUntil > now ? { slowedUntil } : {};
  }

  /** A request was sent. */
  went(now: number): void {
    if (now > this.#since) this.#firstSince ??= now;
  }

  slow({ sentAt, retryAfterMs }: Pick<Refusal, 'sentAt' | 'retryAfterMs'>, now: number): Slowing {
    this.#until = Math.max(this.#until, now + retryAfterMs);
    if (sentAt <= this.#since) return 'same';
    const again = this.#firstSince !== undefined && sentAt <= this.#firstSince && this.at(sentAt) < 1;
    this.#factor = Math.max(slowest, this.at(now) / 2);
    this.#since = now;
    this.#firstSince = undefined;
    return again ? 'again' : 'other';
  }
}

/** One who waits for a rate limit, or several in a row who ask the same in one name. */
export interface FairShare {
  readonly rank: Rank;
  /** Since when the first of them waits and nobody of them was served, ms. */
  readonly since: number;
  /** Decides between those who came at the same moment; rising. */
  readonly number: number;
  /** The amount that the first of them takes from this rate limit. */
  readonly first: number;
  /** The amount that all of them take, as far as they wait for this rate limit. Called only where it matters. */
  readonly all: () => number;
  /** The recent use of this rate limit by their share. */
  readonly used: number;
}

/**
 * The amount of a rate limit that `own` must leave to `other`.
 *
 *   other                                  | is left
 *   ---------------------------------------+-----------------------------------------------------
 *   unserved for 15 s, longer than own     | what its first one takes
 *   of a rank before own's                 | all it asks for
 *   same rank, its share has had less      | what it may catch up, at least what its first takes
 *   same rank, as much, and waits longer   | what its first one takes
 *   any other                              | nothing
 */
export function leftTo(other: FairShare, own: FairShare, now: number): number {
  const overdue = now - other.since >= patienceMs;
  if (overdue !== now - own.since >= patienceMs) return overdue ? other.first : 0;
  if (overdue) return isBefore(other, own) ? other.first : 0;
  const ranks = order[other.rank] - order[own.rank];
  if (ranks !== 0) return ranks < 0 ? other.all() : 0;
  const behind = own.used - other.used;
  if (Math.abs(behind) > rounding) return behind > 0 ? Math.min(other.all(), Math.max(other.first, behind)) : 0;
  return isBefore(other, own) ? other.first : 0;
}

const isBefore = (one: FairShare, other: FairShare): boolean =>
  one.since === other.since ? one.number < other.number : one.since < other.since;

/** Nobody is passed over for longer than this by those whose turn comes before. */
export const patienceMs = 15_000;

/** Lower ranks are served first. */
export const order: Readonly<Record<Rank, number>> = { frees: 0, writes: 1, reads: 2 };

/** The use of a share fades, so that one that was quiet owes nothing and is owed little: by e in this time. */
export const fadeMs = 10_000;

/**
 * Orders amounts that fade alike, whenever they are compared: the logarithm of what each would have been at time 0. Rounded, so
 * that equal amounts of one moment are equal.
 */
const comparableUsage = (amount: number, at: number): number =>
  amount < rounding ? Number.NEGATIVE_INFINITY : Math.round((Math.log(amount) + at / fadeMs) * 1e6);

const faded = (amount: number, ms: number): number => amount * Math.exp(-Math.max(0, ms) / fadeMs);

/** Use is a fraction that fades; less than this is nothing. */
export const rounding = 1e-6;
