import { messageOf } from '../../core/text.ts';
import { alarmOn, type Dispatcher, dispatcherOf, type WaitingRow, waitsOf } from '../../engine/limiter.ts';
import {
  type BudgetStore,
  type RateLimitOptions,
  RateLimitState,
  rounding,
  sizeOf,
  type UsableBudget,
  usableBudgetOf,
} from '../../engine/rate-limit.ts';
import type { Clock } from '../../ports/clock-and-log.ts';
import type { Cost, Refusal, SharedLimiter } from '../../ports/limiter.ts';
import type { RateLimitLevel } from '../../ports/telemetry.ts';
import { type Deadline, deadline, momentBy } from '../leases.ts';
import { type Level, leaseMs, type RowAsk, type Share, type ShareAsk, type Spent } from './shares.ts';

/** Leases shares of budgets. */
export interface Shares {
  /** One share for each question, in order. Rejects where there is no answer: the shares may be leased all the same. */
  lease(worker: string, asks: readonly ShareAsk[]): Promise<readonly Share[]>;
  /** The fill of the rate limits, with the units that workers hold. */
  levels(rateLimits: readonly Cost['rateLimit'][]): Promise<readonly Level[]>;
}

export interface ShareLimiterOptions {
  readonly shares: Shares;
  readonly clock: Clock;
  /** This worker's own name in the fleet. */
  readonly worker: string;
  readonly budgets: Pick<RateLimitOptions, 'reserve' | 'lateMs'>;
  readonly events?: ShareLimiterEvents;
}

export interface ShareLimiterEvents {
  /** A rate limit was slowed down, on this worker's word. */
  readonly slowed?: (rateLimitKey: string) => void;
  /** There is no answer: this worker spends the shares it has, and then nothing. */
  readonly away?: (reason: string) => void;
  readonly back?: () => void;
}

/**
 * The budgets of a fleet, of which each worker leases shares for 5 s: see `leaseShare`. A worker asks for the requests that wait with it
 * and for as many more as it spent of its last share, so that a busy one asks about once a lease and an idle one holds nothing. It asks
 * about all its rate limits at once.
 *
 * A worker spends from no share after its time, by two clocks of its own. Where the store is away it waits. Others hear of a slow-down
 * with their next share.
 */
export function shareLimiter(options: ShareLimiterOptions): SharedLimiter {
  const { clock, shares, budgets } = options;
  const rateLimits = new Map<string, LeasedRateLimit>();
  const dispatcher = dispatcherOf(clock, (about) => {
    const touched = (): void => exchange.touch(rateLimit);
    const rateLimit = new LeasedRateLimit(about, usableBudgetOf(about.budget, budgets), { clock, touched });
    rateLimits.set(about.key, rateLimit);
    return RateLimitState.on(rateLimit.shape, rateLimit);
  });
  const exchange = exchangeOf(options, rateLimits, dispatcher);
  const updateRateLimit = (rateLimitKey: string, note: (rateLimit: LeasedRateLimit) => void): void => {
    const rateLimit = rateLimits.get(rateLimitKey);
    if (rateLimit === undefined) return;
    note(rateLimit);
    exchange.touch(rateLimit);
  };
  return {
    take: (need, signal) => {
      if (exchange.isClosed()) return Promise.reject(new Error(closedMessage));
      const taken = dispatcher.take(need, signal);
      for (const { rateLimit } of need.costs) updateRateLimit(rateLimit.key, () => undefined);
      return taken;
    },
    slow: (rateLimitKey, refusal) => updateRateLimit(rateLimitKey, (rateLimit) => rateLimit.refused(refusal)),
    learn: (rateLimitKey, remaining) => updateRateLimit(rateLimitKey, (rateLimit) => rateLimit.heard(remaining)),
    rateLimits: async () => {
      await exchange.settle();
      const all = [...rateLimits.values()];
      const levels = await shares.levels(all.map(({ about }) => about)).catch(() => []);
      return levels.flatMap(({ level, slowedForMs }, i): readonly RateLimitLevel[] => {
        const one = all[i];
        if (one === undefined) return [];
        const { key } = one.about;
        const slowed = slowedForMs === undefined ? {} : { slowedUntil: clock.now() + slowedForMs };
        return [{ key, level, ...slowed, size: sizeOf(one.shape), waiting: waitsOf(dispatcher.waiting(key)) }];
      });
    },
    close: exchange.close,
  };
}

/** Exchanges used shares for new ones, those of all rate limits that are due in one question. */
interface Exchange {
  /** Something about the rate limit is new: whether it is to ask is looked at once this turn of the loop is over. */
  touch(rateLimit: LeasedRateLimit): void;
  /** Resolves when all is told that was spent and refused up to now. */
  settle(): Promise<void>;
  isClosed(): boolean;
  /** Gives back what is left. */
  close(): Promise<void>;
}

function exchangeOf(
  { clock, shares, worker, events = {} }: ShareLimiterOptions,
  rateLimits: ReadonlyMap<string, LeasedRateLimit>,
  dispatcher: Dispatcher,
): Exchange {
  const touched = new Set<LeasedRateLimit>();
  const alarm = alarmOn(clock);
  let asking: Promise<void> | undefined;
  let [isClosed, isAway] = [false, false];

  const lease = async (about: readonly LeasedRateLimit[]): Promise<void> => {
    const asks = about.map((rateLimit) =>
      rateLimit.question(isClosed ? undefined : dispatcher.waiting(rateLimit.about.key)),
    );
    const start = momentBy(clock);
    const answers = await shares.lease(worker, asks);
    for (const [i, rateLimit] of about.entries()) {
      const share = answers[i];
      if (share === undefined) throw new Error(`no share of ${rateLimit.about.key} came`);
      if (share.slowed) events.slowed?.(rateLimit.about.key);
      rateLimit.take(share, deadline(clock, leaseMs, start));
    }
    if (isAway) events.back?.();
    isAway = false;
  };

  const lost = (about: readonly LeasedRateLimit[], error: unknown): void => {
    for (const rateLimit of about) rateLimit.unanswered();
    if (!(isAway || isClosed)) events.away?.(messageOf(error));
    isAway = true;
  };

  const ask = (about: readonly LeasedRateLimit[]): Promise<void> => {
    asking = lease(about)
      .catch((error: unknown) => lost(about, error))
      .finally(() => {
        asking = undefined;
        for (const rateLimit of about) {
          dispatcher.update(rateLimit.about.key, () => undefined);
          touched.add(rateLimit);
        }
        look();
      });
    return asking;
  };

  const look = (): void => {
    if (asking !== undefined || isClosed) return;
    const now = clock.now();
    for (const rateLimit of touched) rateLimit.plan(dispatcher.waiting(rateLimit.about.key), now);
    touched.clear();
    const all = [...rateLimits.values()];
    const due = all.filter(({ asksAt }) => asksAt <= now);
    if (due.length > 0) return void ask(due);
    alarm(
      all.reduce((first, { asksAt }) => Math.min(first, asksAt), never),
      onAlarm,
    );
  };

  // why: a waiting request may have left meanwhile
  const onAlarm = (): void => {
    for (const rateLimit of rateLimits.values()) if (rateLimit.asksAt <= clock.now()) touched.add(rateLimit);
    look();
  };

  const settle = async (): Promise<void> => {
    while (asking !== undefined) await asking;
    const unreported = [...rateLimits.values()].filter((rateLimit) => rateLimit.hasUnreported());
    if (unreported.length > 0) await ask(unreported);
  };

  return {
    touch: (rateLimit) => {
      // why: requests in the same turn of the loop ask together
      if (touched.size === 0) queueMicrotask(look);
      touched.add(rateLimit);
    },
    settle,
    isClosed: () => isClosed,
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      alarm(never, () => undefined);
      dispatcher.end(new Error(closedMessage));
      await settle();
    },
  };
}

const closedMessage = 'the rate limits are closed: they permit no more calls';
const never = Number.POSITIVE_INFINITY;
/** A request that waits for a share is notified when it comes, and checks by itself only after this. */
const farMs = 3_600_000;
const retryMs = 500;
/** A rate limit's share is exchanged for a new one after this. */
const renewMs = leaseMs / 2;
/** The cloud's word for what is left goes on no more often than this. */
const hearMs = 200;
/** Most that one question asks for in one name. */
const atOnce = 100;
/** Units that were spent within this time in one name are reported together. */
const togetherMs = 10;

interface Around {
  readonly clock: Clock;
  /** Something was spent. */
  touched(): void;
}

/** The share that this worker has of one rate limit. */
class LeasedRateLimit implements BudgetStore {
  readonly about: Cost['rateLimit'];
  readonly shape: UsableBudget;
  readonly #around: Around;
  #share: Share | undefined;
  #until: Deadline | undefined;
  #left = 0;
  /** The times of the next exchange of the share, and of the next question for those that wait. */
  #renewAt = never;
  #againAt = 0;
  /** The rows that it asked for last; absent where there was no answer. */
  #asked: ReadonlySet<string> | undefined;
  #spent: Noted[] = [];
  #refusals: readonly Refusal[] = [];
  #sent: readonly Refusal[] = [];
  #remaining: number | undefined;
  #hearAt = 0;
  /** The time of its next question; Infinity where it has no reason to ask. */
  asksAt = never;

  constructor(about: Cost['rateLimit'], shape: UsableBudget, around: Around) {
    this.about = about;
    this.shape = shape;
    this.#around = around;
  }

  left(): number {
    return (this.#until?.remainingMs() ?? 0) > 0 ? this.#left : 0;
  }

  most(): number {
    return this.#share?.most ?? this.shape.capacity;
  }

  readyAt(amount: number, now: number): number {
    return this.#has(amount) ? now : now + farMs;
  }

  spend(amount: number, now: number, { share }: { readonly share: string }): void {
    this.#left -= amount;
    this.#around.touched();
    const last = this.#spent.at(-1);
    if (last?.share === share && now - last.at < togetherMs) last.amount += amount;
    else this.#spent.push({ share, amount, at: now });
  }

  // why: the shared rate limit hears of refusals, and says with the next share what is left
  giveBack(): void {}
  empty(): void {}
  lower(): void {}

  /** From now until the answer nothing is spent here. No rows: the share comes back, and no other is asked for. */
  question(waiting: readonly WaitingRow[] | undefined): ShareAsk {
    const now = this.#around.clock.now();
    const rows = (waiting ?? []).map((row) => rowAsk(row, this.#has(row.first), now));
    const spent = this.#spent.map(({ at, ...rest }): Spent => ({ ...rest, agoMs: Math.max(0, now - at) }));
    const refusals = this.#refusals.map(({ sentAt, ...rest }) => ({ ...rest, sentAgoMs: Math.max(0, now - sentAt) }));
    const wanted = rows.reduce((sum, { all }) => sum + all, 0);
    const used = spent.reduce((sum, { amount }) => sum + amount, 0);
    const remaining = this.#remaining;
    this.#left = 0;
    this.#asked = new Set(rows.map(nameOf));
    [this.#sent, this.#refusals, this.#remaining] = [this.#refusals, [], undefined];
    this.asksAt = never;
    return {
      rateLimit: this.about,
      ...(this.#share && { held: { number: this.#share.number, spent } }),
      refusals,
      ...(remaining !== undefined && { remaining }),
      rows,
      more: waiting === undefined || refusals.length > 0 ? 0 : Math.max(used, wanted),
    };
  }

  take(share: Share, until: Deadline): void {
    const now = this.#around.clock.now();
    [this.#share, this.#until, this.#left, this.#spent] = [share, until, share.amount, []];
    this.#renewAt = share.amount > 0 ? now + renewMs : never;
    this.#againAt = now + (share.waitMs ?? 0);
    this.#hearAt = now + hearMs;
  }

  /** Reports everything again, as nobody knows whether it arrived. A refusal may give back only once. */
  unanswered(): void {
    this.#againAt = this.#around.clock.now() + retryMs;
    this.#renewAt = this.#spent.length > 0 ? this.#againAt : never;
    this.#refusals = [...this.#sent.map((refusal) => ({ ...refusal, amount: 0 })), ...this.#refusals];
    this.#asked = undefined;
  }

  refused(refusal: Refusal): void {
    this.#refusals = [...this.#refusals, refusal];
    this.#left = 0;
  }

  /** News only where less is left than no worker held. */
  heard(remaining: number): void {
    const ours = Math.max(0, remaining - this.shape.reserved);
    if (this.#share !== undefined && ours < Math.min(this.#share.free, this.#remaining ?? never))
      this.#remaining = remaining;
  }

  /** Finds `asksAt`. */
  plan(waiting: readonly WaitingRow[], now: number): void {
    const short = waiting.filter(({ first }) => !this.#has(first));
    const isNew = this.#asked !== undefined && short.some((row) => !this.#asked?.has(nameOf(row)));
    const times = [this.#renewAt];
    if (short.length > 0) times.push(isNew ? now : this.#againAt);
    if (this.#refusals.length > 0) times.push(this.#asked === undefined ? this.#againAt : now);
    if (this.#remaining !== undefined) times.push(this.#hearAt);
    this.asksAt = Math.min(...times);
  }

  hasUnreported(): boolean {
    return this.#share !== undefined && (this.left() > 0 || this.#spent.length > 0 || this.#refusals.length > 0);
  }

  #has(amount: number): boolean {
    return this.left() > 0 && this.left() + rounding >= Math.min(amount, this.most());
  }
}

interface Noted {
  readonly share: string;
  amount: number;
  readonly at: number;
}

const nameOf = ({ rank, share }: Pick<WaitingRow, 'rank' | 'share'>): string => `${rank} ${share}`;

/** One that has enough here and waits for another rate limit asks for its first only. */
function rowAsk(row: WaitingRow, hasEnough: boolean, now: number): RowAsk {
  const { rank, share, since, first, all } = row;
  const waitedMs = Math.max(0, now - since);
  if (hasEnough) return { rank, share, waitedMs, needs: [first], all: first };
  return { rank, share, waitedMs, needs: row.needs(atOnce), all };
}
