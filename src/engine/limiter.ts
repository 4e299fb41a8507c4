import type { Clock } from '../ports/clock-and-log.ts';
import type { Limiter, Need, Rank } from '../ports/limiter.ts';
import type { Cost } from '../ports/provider.ts';
import type { Samples } from '../ports/telemetry.ts';
import { type FairShare, leftTo, type RateLimitOptions, RateLimitState } from './rate-limit.ts';
import { type Entry, ServiceOrder, SortedList } from './service-order.ts';

interface LimiterOptions extends RateLimitOptions {
  readonly clock: Clock;
  /** Told of each slow-down. */
  readonly slowed?: (laneKey: string) => void;
}

/**
 * Budgets kept in this process. A request that needs two lanes takes from both at once or from neither. Those who ask the
 * same lanes in one name go in order of arrival; whoever takes from a lane leaves what is due to the other rows (`leftTo`)
 * and no more, so that one who waits for another lane holds up nobody for long on this one.
 *
 * An event costs what it concerns and nothing for whoever waits elsewhere: a new row is put into the order of each of its lanes
 * (log n), and looks at those before it until their due exceeds the budget; a lane looks at its rows in order, until nobody
 * further back can come sooner. All lanes share one timer.
 */
export function inProcessLimiter(options: LimiterOptions): Limiter & Pick<Samples, 'rateLimits'> {
  const { clock, slowed } = options;
  const { take, told, lanes } = dispatcherOf(clock, ({ budget }) => RateLimitState.of(budget, options, clock.now()));
  return {
    take,
    slow: (laneKey, refusal) =>
      told(laneKey, (state) => {
        if (state.slow(refusal, clock.now())) slowed?.(laneKey);
      }),
    learn: (laneKey, remaining) => told(laneKey, (state) => state.learn(remaining, clock.now())),
    rateLimits: async () => [...lanes()].map(([key, state]) => ({ key, ...state.level(clock.now()) })),
  };
}

/** Lets requests go in order of service, by states of lanes that somebody else makes and changes. */
export interface Dispatcher extends Pick<Limiter, 'take'> {
  /** Changes the state of a lane, and lets go whoever may then. A lane that was never taken from is not known. */
  told(laneKey: string, change: (state: RateLimitState) => void): void;
  lanes(): ReadonlyMap<string, RateLimitState>;
  /** In order of service. */
  waiting(laneKey: string): readonly WaitingRow[];
  /** Sends away all who wait. */
  end(reason: Error): void;
}

/** Costs are those at one lane. `since`: unserved for so long, ms since the epoch. */
export interface WaitingRow extends Pick<Need, 'rank' | 'share'> {
  readonly since: number;
  readonly first: number;
  readonly all: number;
  /** Of the first ones in order of arrival. */
  needs(most: number): readonly number[];
}

export function dispatcherOf(clock: Clock, stateOf: (lane: Cost['lane']) => RateLimitState): Dispatcher {
  const lanes = new Map<string, RateLimit>();
  const laneOf = ({ lane: about }: Cost): RateLimit => {
    const { key } = about;
    const known = lanes.get(key);
    if (known !== undefined) return known;
    const lane = rateLimitOn(stateOf(about), lanes.size);
    lanes.set(key, lane);
    return lane;
  };
  const rows = waitingRows(laneOf);
  const timetable = wakeUpsOn(clock, (due) => settle(due));
  const signals = watchedSignals((ended) => {
    const touched = new Set<RateLimit>();
    for (const [row, requests] of Map.groupBy(ended, ({ row }) => row)) {
      rows.reorder(row, () => giveUp(requests));
      for (const lane of row.lanes) touched.add(lane);
    }
    settle(touched);
  });
  /** Lets the first one of a row go; answers the lanes that it took from. */
  const serve = (row: Waiting, now: number): readonly RateLimit[] => {
    rows.reorder(row, () => {
      const first = firstOf(row);
      first.costs.forEach(({ amount }, at) => void row.lanes[at]?.state.spend(amount, row.share, now));
      row.served = now;
      depart(first);
      signals.forget(first);
      first.resolve(now);
    });
    for (const { order } of row.lanes) order.served(row.share);
    return row.lanes;
  };

  /** Lets go whoever may on these lanes, and on those that are thereby left otherwise. */
  const settle = (touched: Iterable<RateLimit>): void => {
    const now = clock.now();
    const open = new Set(touched);
    for (const lane of open) {
      open.delete(lane);
      // why: nobody waits for it, and there is enough for all who may ask
      if (lane.ringsAt === never && isEnough(lane, now)) continue;
      const { row, at } = nextOn(lane, now);
      if (row === undefined) timetable.ring(lane, at);
      else for (const other of serve(row, now)) open.add(other);
    }
    timetable.set();
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
      if (awaited !== undefined) timetable.ring(awaited, Math.min(at, awaited.ringsAt));
      timetable.set();
    });

  /** What is not known was never taken from. */
  const told = (laneKey: string, change: (state: RateLimitState) => void): void => {
    const lane = lanes.get(laneKey);
    if (lane === undefined) return;
    change(lane.state);
    settle([lane]);
  };

  return {
    take,
    told,
    lanes: () => new Map([...lanes].map(([key, { state }]) => [key, state])),
    waiting: (laneKey) => {
      const lane = lanes.get(laneKey);
      const waiting: WaitingRow[] = [];
      lane?.order.some(clock.now(), (row) => waiting.push(waitingAt(row, lane)) === 0);
      return waiting;
    },
    end: (reason) => {
      for (const row of rows.all()) {
        for (const request of row.waiters) signals.forget(request);
        rows.reorder(row, () => giveUp([...row.waiters], reason));
      }
      for (const lane of lanes.values()) timetable.ring(lane, never);
      timetable.set();
    },
  };
}

const rateLimitOn = (state: RateLimitState, number: number): RateLimit => ({
  number,
  state,
  order: new ServiceOrder<Waiting>((share) => state.standing(share)),
  asked: 0,
  ringsAt: never,
});

function waitingAt(row: Waiting, lane: RateLimit): WaitingRow {
  const { rank, share, since, lanes, waiters, totals } = row;
  const place = lanes.indexOf(lane);
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

interface RateLimit {
  readonly number: number;
  readonly state: RateLimitState;
  readonly order: ServiceOrder<Waiting>;
  /** What all who wait in its rows would take from it. */
  asked: number;
  /** When the first of those rows may go that this lane holds up, as far as one can tell; Infinity: it holds up none. */
  ringsAt: number;
}

/** `lanes`: of its costs, in their order. */
interface Waiting extends Row<Request>, Entry {
  readonly key: string;
  readonly lanes: readonly RateLimit[];
}

/** Who waits in a row until it is let go or its signal ends it. One object each: tens of thousands may wait at once. */
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

/** When each lane is to be looked at next; one timer for all. */
function wakeUpsOn(clock: Clock, look: (due: readonly RateLimit[]) => void) {
  const timetable = new SortedList<RateLimit>((one, other) => one.ringsAt - other.ringsAt || one.number - other.number);
  const alarm = alarmOn(clock);
  const rung = (): void => {
    const now = clock.now();
    const due: RateLimit[] = [];
    timetable.some((lane) => lane.ringsAt > now || due.push(lane) === 0);
    look(due);
  };
  return {
    ring: (lane: RateLimit, at: number): void => {
      if (lane.ringsAt === at) return;
      if (lane.ringsAt < never) timetable.remove(lane);
      lane.ringsAt = at;
      if (at < never) timetable.add(lane);
    },
    /** After the last `ring` of a change. */
    set: (): void => alarm(timetable.first()?.ringsAt ?? never, rung),
  };
}

/** Every row that somebody waits in, in its place in the orders of its lanes. */
function waitingRows(laneOf: (cost: Cost) => RateLimit) {
  const rows = new Map<string, Waiting>();
  let opened = 0;
  const place = (row: Waiting): void => {
    row.since = Math.max(row.served, firstOf(row).came);
    for (const { order } of row.lanes) order.add(row);
  };
  return {
    all: (): readonly Waiting[] => [...rows.values()],
    /** The row of those who ask the same in one name: a new one where nobody waits. */
    rowOf: (need: Need): Waiting => {
      const key = rowKey(need);
      const known = rows.get(key);
      if (known !== undefined) return known;
      return { ...emptyRow<Request>(need), key, number: opened++, since: 0, lanes: need.costs.map(laneOf) };
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
      for (const { order } of row.lanes) order.remove(row);
      change();
      if (row.waiters.size === 0) rows.delete(row.key);
      else place(row);
    },
  };
}

/** The first in order that may go now; else when the first may. */
function nextOn(lane: RateLimit, now: number): { readonly row?: Waiting; readonly at: number } {
  let next = never;
  if (lane.asked === 0) return { at: next };
  let ready: Waiting | undefined;
  lane.order.some(now, (row) => {
    const { at, dues } = earliestGrantOf(row, now);
    if (at <= now) {
      ready = row;
      return true;
    }
    next = Math.min(next, at);
    const place = row.lanes.indexOf(lane);
    const behind = (dues[place] ?? 0) + (firstOf(row).costs[place]?.amount ?? 0);
    return lane.state.readyAt(behind, now) >= next;
  });
  return ready === undefined ? { at: next } : { row: ready, at: now };
}

function askFor({ lanes }: Waiting, { costs }: Waiter, sign: 1 | -1): void {
  lanes.forEach((lane, place) => {
    lane.asked += sign * (costs[place]?.amount ?? 0);
  });
}

/** Whether all who wait could take from it now. */
const isEnough = ({ state, asked }: RateLimit, now: number): boolean =>
  asked <= state.capacity && state.readyAt(asked, now) <= now;

interface EarliestGrant {
  readonly at: number;
  /** What is due to others on each of its lanes; 0 where there is enough for all. */
  readonly dues: readonly number[];
  /** The lane that holds it up longest; undefined where none does. */
  readonly awaited: RateLimit | undefined;
}

/** When the first of the row may go, as far as one can tell now. */
function earliestGrantOf(row: Waiting, now: number): EarliestGrant {
  const { costs } = firstOf(row);
  const dues = row.lanes.map((lane, place) => (isEnough(lane, now) ? 0 : dueOn(lane, row, place, now)));
  let at = now;
  let awaited: RateLimit | undefined;
  row.lanes.forEach((lane, place) => {
    const readyAt = lane.state.readyAt((costs[place]?.amount ?? 0) + (dues[place] ?? 0), now);
    if (readyAt > at) [at, awaited] = [readyAt, lane];
  });
  return { at, dues, awaited };
}

/** What is due on this lane to those before the row. Beyond the whole budget it makes no difference any more. */
function dueOn(lane: RateLimit, row: Waiting, place: number, now: number): number {
  const own = fairShareOf(row, place, now);
  let due = 0;
  lane.order.some(now, (other) => {
    if (other === row || due >= lane.state.capacity) return true;
    due += leftTo(fairShareOf(other, other.lanes.indexOf(lane), now), own, now);
    return false;
  });
  return due;
}

/** How the row stands in the lane of its cost at this place. */
function fairShareOf(row: Waiting, place: number, now: number): FairShare {
  const { rank, since, number, share, lanes, totals } = row;
  const { costs } = firstOf(row);
  const first = costs[place]?.amount ?? 0;
  const all = (): number => {
    const ready = lanes.map(({ state }, at) => state.readyAt(costs[at]?.amount ?? 0, now));
    const itIsHere = ready.every((at) => at <= (ready[place] ?? now));
    return itIsHere ? (totals[place] ?? 0) : first;
  };
  return { rank, since, number, first, all, used: lanes[place]?.state.used(share, now) ?? 0 };
}

/** One who waits in a row. `came`: since when, ms. */
export interface Waiter {
  readonly costs: readonly Cost[];
  readonly came: number;
}

/** Those who ask the same lanes in one name, in order of arrival; an empty row is no row. */
export interface Row<W extends Waiter> {
  readonly rank: Rank;
  readonly share: string;
  readonly waiters: Set<W>;
  /** What all of them take, lane by lane in the order of their costs. */
  readonly totals: number[];
  /** When one of them was let go last. */
  served: number;
}

export const rowKey = ({ rank, share, costs }: Need): string =>
  JSON.stringify([rank, share, ...costs.map(({ lane }) => lane.key)]);

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
