import type { Clock } from '../ports/clock-and-log.ts';
import type { Cost, Limiter, Need, Rank } from '../ports/limiter.ts';
import type { RateLimitWait, Samples } from '../ports/telemetry.ts';
import { type FairShare, leftTo, type RateLimitOptions, RateLimitState } from './rate-limit.ts';
import { type Entry, ServiceOrder, SortedList } from './service-order.ts';

interface LimiterOptions extends RateLimitOptions {
  readonly clock: Clock;
  /** Told of each slow-down. */
  readonly slowed?: (rateLimitKey: string) => void;
}

/**
 * Budgets kept in this process. A request that needs two rate limits takes from both at once or from neither. Those who ask the
 * same rate limits in one name go in order of arrival; whoever takes from a rate limit leaves what is due to the other rows (`leftTo`)
 * and no more, so that one who waits for another rate limit holds up nobody for long on this one.
 *
 * An event costs what it concerns and nothing for whoever waits elsewhere: a new row is put into the order of each of its rate limits
 * (log n), and reads those before it until their due exceeds the budget; a rate limit reads its rows in order, until nobody
 * further back can come sooner. All rate limits share one timer.
 */
export function inProcessLimiter(options: LimiterOptions): Limiter & Pick<Samples, 'rateLimits'> {
  const { clock, slowed } = options;
  const { take, update, rateLimits, waiting } = dispatcherOf(clock, ({ budget }) =>
    RateLimitState.of(budget, options, clock.now()),
  );
  return {
    take,
    slow: (rateLimitKey, refusal) =>
      update(rateLimitKey, (state) => {
        if (state.slow(refusal, clock.now())) slowed?.(rateLimitKey);
      }),
    learn: (rateLimitKey, remaining) => update(rateLimitKey, (state) => state.learn(remaining, clock.now())),
    rateLimits: async () =>
      [...rateLimits()].map(([key, state]) => ({
        ...{ key, ...state.level(clock.now()), size: state.size },
        waiting: waitsOf(waiting(key)),
      })),
  };
}

/** By share, which is an estate. */
export function waitsOf(rows: readonly Pick<WaitingRow, 'share' | 'all' | 'since'>[]): readonly RateLimitWait[] {
  return [...Map.groupBy(rows, ({ share }) => share)].map(([estate, of]) => ({
    estate,
    units: of.reduce((sum, { all }) => sum + all, 0),
    since: Math.min(...of.map(({ since }) => since)),
  }));
}

/** Lets requests go in order of service, by states of rate limits that somebody else makes and changes. */
export interface Dispatcher extends Pick<Limiter, 'take'> {
  /** Changes the state of a rate limit, and lets go whoever may then. A rate limit that was never taken from is not known. */
  update(rateLimitKey: string, change: (state: RateLimitState) => void): void;
  rateLimits(): ReadonlyMap<string, RateLimitState>;
  /** In order of service. */
  waiting(rateLimitKey: string): readonly WaitingRow[];
  /** Sends away all who wait. */
  end(reason: Error): void;
}

/** Costs are those at one rate limit. `since`: unserved for so long, ms since the epoch. */
export interface WaitingRow extends Pick<Need, 'rank' | 'share'> {
  readonly since: number;
  readonly first: number;
  readonly all: number;
  /** Of the first ones in order of arrival. */
  needs(most: number): readonly number[];
}

export function dispatcherOf(clock: Clock, stateOf: (rateLimit: Cost['rateLimit']) => RateLimitState): Dispatcher {
  const rateLimits = new Map<string, RateLimitQueue>();
  const rateLimitOf = ({ rateLimit: about }: Cost): RateLimitQueue => {
    const { key } = about;
    const known = rateLimits.get(key);
    if (known !== undefined) return known;
    const rateLimit = rateLimitOn(stateOf(about), rateLimits.size);
    rateLimits.set(key, rateLimit);
    return rateLimit;
  };
  const rows = waitingRows(rateLimitOf);
  const wakeUps = wakeUpsOn(clock, (due) => settle(due));
  const signals = watchedSignals((ended) => {
    const touched = new Set<RateLimitQueue>();
    for (const [row, requests] of Map.groupBy(ended, ({ row }) => row)) {
      rows.reorder(row, () => giveUp(requests));
      for (const rateLimit of row.rateLimits) touched.add(rateLimit);
    }
    settle(touched);
  });
  /** Lets the first one of a row go; answers the rate limits that it took from. */
  const serve = (row: Waiting, now: number): readonly RateLimitQueue[] => {
    rows.reorder(row, () => {
      const first = firstOf(row);
      first.costs.forEach(({ amount }, at) => void row.rateLimits[at]?.state.spend(amount, row.share, now));
      row.served = now;
      depart(first);
      signals.forget(first);
      first.resolve(now);
    });
    for (const { order } of row.rateLimits) order.served(row.share);
    return row.rateLimits;
  };

  /** Lets go whoever may on these rate limits, and on those that are thereby left otherwise. */
  const settle = (touched: Iterable<RateLimitQueue>): void => {
    const now = clock.now();
    const open = new Set(touched);
    for (const rateLimit of open) {
      open.delete(rateLimit);
      // why: nobody waits for it, and there is enough for all who may ask
      if (rateLimit.ringsAt === never && isEnough(rateLimit, now)) continue;
      const { row, at } = nextOn(rateLimit, now);
      if (row === undefined) wakeUps.ring(rateLimit, at);
      else for (const other of serve(row, now)) open.add(other);
    }
    wakeUps.set();
  };

  const take = (need: Need, signal: AbortSignal): Promise<number> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const now = clock.now();
      const row = rows.rowOf(need);
      const request: Request = { costs: need.costs, came: now, row, signal, resolve, reject };
      rows.enter(request);
      signals.watch(request);
      // why: whoever joins a row lets nobody else come sooner
      if (row.waiters.size > 1) return;
      const { at, awaited } = earliestGrantOf(row, now);
      if (at <= now) return settle(serve(row, now));
      if (awaited !== undefined) wakeUps.ring(awaited, Math.min(at, awaited.ringsAt));
      wakeUps.set();
    });

  /** An unknown rate limit was never taken from. */
  const update = (rateLimitKey: string, change: (state: RateLimitState) => void): void => {
    const rateLimit = rateLimits.get(rateLimitKey);
    if (rateLimit === undefined) return;
    change(rateLimit.state);
    settle([rateLimit]);
  };

  return {
    take,
    update: update,
    rateLimits: () => new Map([...rateLimits].map(([key, { state }]) => [key, state])),
    waiting: (rateLimitKey) => {
      const rateLimit = rateLimits.get(rateLimitKey);
      const waiting: WaitingRow[] = [];
      rateLimit?.order.some(clock.now(), (row) => waiting.push(waitingAt(row, rateLimit)) === 0);
      return waiting;
    },
    end: (reason) => {
      for (const row of rows.all()) {
        for (const request of row.waiters) signals.forget(request);
        rows.reorder(row, () => giveUp([...row.waiters], reason));
      }
      for (const rateLimit of rateLimits.values()) wakeUps.ring(rateLimit, never);
      wakeUps.set();
    },
  };
}

const rateLimitOn = (state: RateLimitState, number: number): RateLimitQueue => ({
  number,
  state,
  order: new ServiceOrder<Waiting>((share) => state.usage(share)),
  asked: 0,
  ringsAt: never,
});

function waitingAt(row: Waiting, rateLimit: RateLimitQueue): WaitingRow {
  const { rank, share, since, rateLimits, waiters, totals } = row;
  const place = rateLimits.indexOf(rateLimit);
  const amountOf = ({ costs }: Waiter): number => costs[place]?.amount ?? 0;
  return {
    rank,
    share,
    since,
    first: amountOf(firstOf(row)),
    all: totals[place] ?? 0,
    needs: (most) => [...waiters.values().take(most)].map(amountOf),
  };
}

const never = Number.POSITIVE_INFINITY;

interface RateLimitQueue {
  readonly number: number;
  readonly state: RateLimitState;
  readonly order: ServiceOrder<Waiting>;
  /** The sum that all requests in its rows would take from it. */
  asked: number;
  /** When the first of those rows may go that this rate limit holds up, as far as one can tell; Infinity: it holds up none. */
  ringsAt: number;
}

/** `rate limits`: of its costs, in their order. */
interface Waiting extends Row<Request>, Entry {
  readonly key: string;
  readonly rateLimits: readonly RateLimitQueue[];
}

/**
 * A request that waits in a row until it is granted or its signal ends it. One object each: tens of thousands may wait at once.
 */
interface Request extends Waiter {
  readonly row: Waiting;
  readonly signal: AbortSignal;
  resolve(at: number): void;
  reject(reason: unknown): void;
}

/** `reason`: absent where their signals say it. */
function giveUp(requests: readonly Request[], reason?: Error): void {
  for (const request of requests) {
    depart(request);
    request.reject(reason ?? request.signal.reason);
  }
}

function depart(request: Request): void {
  leave(request.row, request);
  askFor(request.row, request, -1);
}

/** Watches each signal once, however many wait with it: a signal takes longer for each listener that it has. */
function watchedSignals(ended: (requests: readonly Request[]) => void) {
  const watched = new Map<AbortSignal, { readonly requests: Set<Request>; readonly end: () => void }>();
  const watch = (signal: AbortSignal) => {
    const requests = new Set<Request>();
    const onAbort = (): void => {
      watched.delete(signal);
      ended([...requests]);
    };
    const end = (): void => {
      watched.delete(signal);
      signal.removeEventListener('abort', onAbort);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const watching = { requests, end };
    watched.set(signal, watching);
    return watching;
  };
  return {
    watch: (request: Request): void => {
      const { requests } = watched.get(request.signal) ?? watch(request.signal);
      requests.add(request);
    },
    forget: (request: Request): void => {
      const watching = watched.get(request.signal);
      if (watching?.requests.delete(request) && watching.requests.size === 0) watching.end();
    },
  };
}

/** The next time to check each rate limit; one timer for all. */
function wakeUpsOn(clock: Clock, look: (due: readonly RateLimitQueue[]) => void) {
  const byTime = new SortedList<RateLimitQueue>(
    (one, other) => one.ringsAt - other.ringsAt || one.number - other.number,
  );
  const alarm = alarmOn(clock);
  const rung = (): void => {
    const now = clock.now();
    const due: RateLimitQueue[] = [];
    byTime.some((rateLimit) => rateLimit.ringsAt > now || due.push(rateLimit) === 0);
    look(due);
  };
  return {
    ring: (rateLimit: RateLimitQueue, at: number): void => {
      if (rateLimit.ringsAt === at) return;
      if (rateLimit.ringsAt < never) byTime.remove(rateLimit);
      rateLimit.ringsAt = at;
      if (at < never) byTime.add(rateLimit);
    },
    /** After the last `ring` of a change. */
    set: (): void => alarm(byTime.first()?.ringsAt ?? never, rung),
  };
}

/** Every row that somebody waits in, in its place in the orders of its rate limits. */
function waitingRows(rateLimitOf: (cost: Cost) => RateLimitQueue) {
  const rows = new Map<string, Waiting>();
  let opened = 0;
  const place = (row: Waiting): void => {
    row.since = Math.max(row.served, firstOf(row).came);
    for (const { order } of row.rateLimits) order.add(row);
  };
  return {
    all: (): readonly Waiting[] => [...rows.values()],
    /** The row of those who ask the same in one name: a new one where nobody waits. */
    rowOf: (need: Need): Waiting => {
      const key = rowKey(need);
      const known = rows.get(key);
      if (known !== undefined) return known;
      return { ...emptyRow<Request>(need), key, number: opened++, since: 0, rateLimits: need.costs.map(rateLimitOf) };
    },
    enter: (request: Request): void => {
      const { row } = request;
      join(row, request);
      askFor(row, request, 1);
      if (row.waiters.size > 1) return;
      rows.set(row.key, row);
      place(row);
    },
    /** Changes a row out of its place; where nobody is left in it, it is gone. */
    reorder: (row: Waiting, change: () => void): void => {
      for (const { order } of row.rateLimits) order.remove(row);
      change();
      if (row.waiters.size === 0) rows.delete(row.key);
      else place(row);
    },
  };
}

/** The first in order that may go now; else when the first may. */
function nextOn(rateLimit: RateLimitQueue, now: number): { readonly row?: Waiting; readonly at: number } {
  let next = never;
  if (rateLimit.asked === 0) return { at: next };
  let ready: Waiting | undefined;
  rateLimit.order.some(now, (row) => {
    const { at, dues } = earliestGrantOf(row, now);
    if (at <= now) {
      ready = row;
      return true;
    }
    next = Math.min(next, at);
    const place = row.rateLimits.indexOf(rateLimit);
    const behind = (dues[place] ?? 0) + (firstOf(row).costs[place]?.amount ?? 0);
    return rateLimit.state.readyAt(behind, now) >= next;
  });
  return ready === undefined ? { at: next } : { row: ready, at: now };
}

function askFor({ rateLimits }: Waiting, { costs }: Waiter, sign: 1 | -1): void {
  rateLimits.forEach((rateLimit, place) => {
    rateLimit.asked += sign * (costs[place]?.amount ?? 0);
  });
}

/** True where all waiting requests could take from it now. */
const isEnough = ({ state, asked }: RateLimitQueue, now: number): boolean =>
  asked <= state.capacity && state.readyAt(asked, now) <= now;

interface EarliestGrant {
  readonly at: number;
  /** The amount due to others on each of its rate limits; 0 where there is enough for all. */
  readonly dues: readonly number[];
  /** The rate limit that holds it up longest; undefined where none does. */
  readonly awaited: RateLimitQueue | undefined;
}

/** When the first of the row may go, as far as one can tell now. */
function earliestGrantOf(row: Waiting, now: number): EarliestGrant {
  const { costs } = firstOf(row);
  const dues = row.rateLimits.map((rateLimit, place) =>
    isEnough(rateLimit, now) ? 0 : dueOn(rateLimit, row, place, now),
  );
  let at = now;
  let awaited: RateLimitQueue | undefined;
  row.rateLimits.forEach((rateLimit, place) => {
    const readyAt = rateLimit.state.readyAt((costs[place]?.amount ?? 0) + (dues[place] ?? 0), now);
    if (readyAt > at) [at, awaited] = [readyAt, rateLimit];
  });
  return { at, dues, awaited };
}

/** The amount due on this rate limit to the rows before this one. Beyond the whole budget it makes no difference any more. */
function dueOn(rateLimit: RateLimitQueue, row: Waiting, place: number, now: number): number {
  const own = fairShareOf(row, place, now);
  let due = 0;
  rateLimit.order.some(now, (other) => {
    if (other === row || due >= rateLimit.state.capacity) return true;
    due += leftTo(fairShareOf(other, other.rateLimits.indexOf(rateLimit), now), own, now);
    return false;
  });
  return due;
}

/** The row's fair share of the rate limit of its cost at this place. */
function fairShareOf(row: Waiting, place: number, now: number): FairShare {
  const { rank, since, number, share, rateLimits, totals } = row;
  const { costs } = firstOf(row);
  const first = costs[place]?.amount ?? 0;
  const all = (): number => {
    const ready = rateLimits.map(({ state }, at) => state.readyAt(costs[at]?.amount ?? 0, now));
    const itIsHere = ready.every((at) => at <= (ready[place] ?? now));
    return itIsHere ? (totals[place] ?? 0) : first;
  };
  return { rank, since, number, first, all, used: rateLimits[place]?.state.used(share, now) ?? 0 };
}

/** One who waits in a row. `came`: since when, ms. */
export interface Waiter {
  readonly costs: readonly Cost[];
  readonly came: number;
}

/** Those who ask the same rate limits in one name, in order of arrival; an empty row is no row. */
export interface Row<W extends Waiter> {
  readonly rank: Rank;
  readonly share: string;
  readonly waiters: Set<W>;
  /** The sum of their costs, rate limit by rate limit in the order of their costs. */
  readonly totals: number[];
  /** The time of the last grant to one of them. */
  served: number;
}

export const rowKey = ({ rank, share, costs }: Need): string =>
  JSON.stringify([rank, share, ...costs.map(({ rateLimit }) => rateLimit.key)]);

export const emptyRow = <W extends Waiter>({ rank, share, costs }: Need): Row<W> => ({
  rank,
  share,
  waiters: new Set(),
  totals: costs.map(() => 0),
  served: Number.NEGATIVE_INFINITY,
});

export function join<W extends Waiter>(row: Row<W>, waiter: W): void {
  row.waiters.add(waiter);
  count(row, waiter, 1);
}

/** Whoever has left already stays away. */
export function leave<W extends Waiter>(row: Row<W>, waiter: W): void {
  if (row.waiters.delete(waiter)) count(row, waiter, -1);
}

function count({ totals }: { readonly totals: number[] }, { costs }: Waiter, sign: 1 | -1): void {
  costs.forEach(({ amount }, i) => {
    totals[i] = (totals[i] ?? 0) + sign * amount;
  });
}

function firstOf<W extends Waiter>({ waiters }: Row<W>): W {
  for (const waiter of waiters) return waiter;
  throw new Error('an empty row was asked who is first');
}

/** One timer that is set again and again; Infinity only unsets it. */
export function alarmOn(clock: Clock): (at: number, ring: () => void) => void {
  let set: { readonly at: number; readonly cancel: AbortController } | undefined;
  return (at, ring) => {
    if (set?.at === at) return;
    set?.cancel.abort();
    set = undefined;
    if (at === Number.POSITIVE_INFINITY) return;
    const mine = { at, cancel: new AbortController() };
    set = mine;
    const rung = (): void => {
      if (set === mine) set = undefined;
      ring();
    };
    clock.sleep(at - clock.now(), mine.cancel.signal).then(rung, () => undefined);
  };
}
