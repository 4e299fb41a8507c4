import { messageOf } from '../../core/text.ts';
import {
  emptyRow,
  inProcessLimiter,
  join,
  leave,
  type Row,
  rowKey,
  type Waiter,
  waitsOf,
} from '../../engine/limiter.ts';
import { type RateLimitOptions, sizeOf } from '../../engine/rate-limit.ts';
import type { Clock } from '../../ports/clock-and-log.ts';
import type { Budget, Cost, Limiter, Need, Rank, SharedLimiter } from '../../ports/limiter.ts';
import type { RateLimitWait, Samples } from '../../ports/telemetry.ts';
import {
  type Answer,
  connectRateLimits,
  type NamedShape,
  type Question,
  type RateLimitBook,
  type RateLimits,
  rateLimitBook,
} from './rate-limits.ts';

export interface SharedLimiterOptions {
  readonly url: string;
  readonly clock: Clock;
  /** This worker's own name in the fleet. */
  readonly worker: string;
  /**
   * The caller's word that this fleet never ran before: its rate limits begin full where Redis knows nothing of it. Default
   * false: they begin empty, as nobody can tell what was spent right before.
   */
  readonly fresh?: boolean;
  readonly budgets?: Pick<RateLimitOptions, 'reserve' | 'lateMs'>;
  readonly kept?: KeptRateLimits;
  readonly events?: LimiterEvents;
}

/** The rate limits that a database keeps too: those begin full where Redis lost its memory, unless fleets of other databases use the same Redis. */
interface KeptRateLimits {
  isKept(budget: Budget): boolean;
  /** The database's own id. */
  readonly store: string;
  /** Ids of other databases whose fleets were seen on this Redis. */
  readonly neighbours: readonly string[];
  /** Told of each again and again. */
  met(neighbour: string): void;
}

interface LimiterEvents {
  /** A rate limit was slowed down, as this worker reported. */
  readonly slowed?: (rateLimitKey: string) => void;
  /** Redis does not answer: this worker keeps to its part, one of `workers`. */
  readonly away?: (workers: number, why: string) => void;
  readonly back?: () => void;
}

/**
 * The budgets of a fleet: every worker's requests spend from the same rate limits in Redis, all rate limits of one at once or none.
 * Ranks, shares and slow-downs are the whole fleet's, and Redis' clock is the only one. Whoever waits is told when to come
 * again, and asks for all who wait in its row. Rejects where Redis does not answer within 10 s.
 *
 * Redis may lose its memory in a flush, a restart or a change of servers. The limiter then assumes that every budget was spent
 * right before. A rate limit without a state begins empty at the start of that memory, and is full after its time to fill. Only
 * a fleet that never ran (`fresh`), without a worker that remembers another memory, begins full.
 *
 * While Redis is unavailable, each worker uses one of N parts, for the N workers last seen, and begins with none. When Redis
 * returns, the worker reports its spending. Requests reach the cloud with varying delays after their release. The budgets
 * keep a reserve for that (`lateMs`, default one second).
 */
export async function openSharedLimiter(options: SharedLimiterOptions): Promise<SharedLimiter> {
  const { clock, events = {} } = options;
  const link = await linkTo(options);
  const rows = rowsAt({ worker: options.worker, clock, link });
  const report = async (rateLimitKey: string, question: Question): Promise<Answer | undefined> => {
    const rateLimit = link.book.find(rateLimitKey);
    return rateLimit && link.ask(question, [rateLimit]);
  };
  return {
    take: async (need, signal) => {
      for (const came = clock.now(); ; ) {
        try {
          return await (link.part()?.take(need, signal) ?? rows.take(need, signal, came));
        } catch (reason) {
          if (!(reason instanceof Moved)) throw reason;
          signal.throwIfAborted();
        }
      }
    },
    slow: (rateLimitKey, refusal) => {
      report(rateLimitKey, { verb: 'slow', ...refusal }).then(
        (answer) => (answer?.slowed ? events.slowed?.(rateLimitKey) : undefined),
        () => link.part()?.slow(rateLimitKey, refusal),
      );
    },
    learn: (rateLimitKey, remaining) => {
      const ours = link.book.lowered(rateLimitKey, remaining);
      if (ours === undefined) return;
      report(rateLimitKey, { verb: 'lower', amounts: [ours] }).catch(() => link.part()?.learn(rateLimitKey, remaining));
    },
    rateLimits: async () => {
      const all = link.book.all();
      const answer = await link.ask({ verb: 'here' }, all).catch(() => undefined);
      if (answer === undefined) return (await link.part()?.rateLimits()) ?? [];
      return all.flatMap(({ key, shape }, i) => {
        const { left = 0, ...slowed } = answer.rateLimits[i] ?? {};
        return { key, level: left / shape.capacity, ...slowed, size: sizeOf(shape), waiting: rows.waiting(key) };
      });
    },
    close: link.close,
  };
}

/** The way to the rate limits in Redis, and the fallback while it is cut. */
interface Link {
  /** This worker's own part, while Redis is unavailable. */
  part(): OwnPart | undefined;
  readonly book: RateLimitBook;
  /** Rejects with `Moved` where Redis does not answer, and while it is unavailable. */
  readonly ask: RateLimits['ask'];
  close(): Promise<void>;
}

/** Interval of a worker's heartbeat, and of its check whether Redis is back. */
const beatMs = 1000;
const openMs = 10_000;

/** Rejects where Redis does not answer within 10 s. */
async function linkTo(options: SharedLimiterOptions): Promise<Link> {
  const { url, clock, worker, fresh = false, kept, events = {} } = options;
  const budgets = { reserve: 0, lateMs: 1000, ...options.budgets };
  const neighbours = new Set(kept?.neighbours);
  const alone = (): boolean => neighbours.size === 0;
  const store = kept?.store ?? '';
  const rateLimits = connectRateLimits({ url, worker, name: 'setpoint-budgets', fresh, store, alone });
  const book = rateLimitBook(budgets, kept?.isKept ?? (() => false));
  const closed = new AbortController();
  const seen = { workers: 1, ahead: 0 };
  let part: OwnPart | undefined;

  const lost = (error: unknown): void => {
    if (part || closed.signal.aborted) return;
    const { workers, ahead } = seen;
    const clockOfRedis: Clock = { now: () => clock.now() + ahead, sleep: clock.sleep };
    part = ownPart({ clock: clockOfRedis, workers, budgets, ...(events.slowed ? { slowed: events.slowed } : {}) });
    events.away?.(workers, messageOf(error));
  };

  const asked: RateLimits['ask'] = async (question, about) => {
    const from = clock.now();
    const answer = await rateLimits.ask(question, about);
    for (const neighbour of answer.neighbours) {
      neighbours.add(neighbour);
      kept?.met(neighbour);
    }
    seen.workers = answer.workers;
    seen.ahead = answer.now - (from + clock.now()) / 2;
    book.note(about, answer.rateLimits);
    return answer;
  };

  const ask: RateLimits['ask'] = async (question, about) => {
    if (closed.signal.aborted) throw new Error('the rate limits are closed: they permit no more calls');
    if (part) throw new Moved('Redis is away');
    try {
      return await asked(question, about);
    } catch (error) {
      lost(error);
      throw new Moved('Redis went away', { cause: error });
    }
  };

  const beat = async (): Promise<void> => {
    await asked({ verb: 'here' }, []);
    if (!part) return;
    await repay(part, asked, book);
    part.end();
    part = undefined;
    events.back?.();
  };

  await reached(() => asked({ verb: 'here' }, []), clock).catch(async (error) => {
    await rateLimits.close();
    throw error;
  });
  void every(beatMs, beat, { clock, signal: closed.signal, failed: lost });

  const close = async (): Promise<void> => {
    closed.abort();
    await asked({ verb: 'leave' }, []).catch(() => undefined);
    await rateLimits.close();
  };
  return { part: () => part, book, ask, close };
}

/** Nothing was spent untold when it resolves, up to that very turn of the loop. */
async function repay(part: OwnPart, ask: RateLimits['ask'], book: RateLimitBook): Promise<void> {
  for (let unpaid = part.unpaid(); unpaid.length > 0; unpaid = part.unpaid()) {
    await ask({ verb: 'repay', amounts: unpaid.map(({ amount }) => amount) }, book.shapesOf(unpaid));
    part.paid(unpaid);
  }
}

async function reached(ask: () => Promise<unknown>, clock: Clock): Promise<void> {
  for (const end = clock.now() + openMs; ; await clock.sleep(100)) {
    try {
      await ask();
      return;
    } catch (error) {
      if (clock.now() < end) continue;
      throw new Error(
        `Redis does not answer, and the workers' rate budgets are kept there: ${messageOf(error)}. ` +
          'Is REDIS_URL right, and does the server run?',
        { cause: error },
      );
    }
  }
}

interface Beat {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly failed: (error: unknown) => void;
}

async function every(ms: number, work: () => Promise<void>, { clock, signal, failed }: Beat): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(ms, signal).catch(() => undefined);
    if (!signal.aborted) await work().catch(failed);
  }
}

/** Those of this worker who wait for rate limits in Redis: each row asks for all who stand in it, and comes again when told. */
interface Rows {
  /** Resolves with Redis' time of the grant; rejects with `Moved` where Redis went away. `came`: since when it waits. */
  take(need: Need, signal: AbortSignal, came: number): Promise<number>;
  waiting(rateLimitKey: string): readonly RateLimitWait[];
}

/** The request must wait elsewhere: Redis became unavailable, or came back. */
class Moved extends Error {
  constructor(why: string, options?: ErrorOptions) {
    super(why, options);
    this.name = 'Moved';
  }
}

interface RowsOptions {
  readonly worker: string;
  readonly clock: Clock;
  /** `ask` rejects with `Moved` where there is no answer. */
  readonly link: Pick<Link, 'ask' | 'book'>;
}

/** `go`: it was granted at this time of Redis. */
interface Asking extends Waiter {
  go(at: number): void;
}

interface SharedRow extends Row<Asking> {
  readonly id: string;
  readonly rateLimits: readonly NamedShape[];
  readonly refusals: Map<Asking, (reason: unknown) => void>;
  /** Ends its sleep. */
  wake: AbortController;
}

function rowsAt(options: RowsOptions): Rows {
  const rows = new Map<string, SharedRow>();
  const opened = (need: Need): SharedRow => {
    const key = rowKey(need);
    const known = rows.get(key);
    if (known) return known;
    const row: SharedRow = {
      ...emptyRow(need),
      id: `${options.worker} ${key}`,
      rateLimits: options.link.book.shapesOf(need.costs),
      refusals: new Map(),
      wake: new AbortController(),
    };
    rows.set(key, row);
    // why: requests in the same turn of the loop ask together
    queueMicrotask(() => void serve(row, options, () => rows.delete(key)));
    return row;
  };

  return {
    take: (need, signal, came) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const row = opened(need);
        const end = (): void => {
          signal.removeEventListener('abort', giveUp);
          row.refusals.delete(waiter);
          leave(row, waiter);
        };
        const giveUp = (): void => {
          end();
          if (row.waiters.size === 0) row.wake.abort();
          reject(signal.reason);
        };
        const go = (at: number): void => {
          end();
          resolve(at);
        };
        const waiter: Asking = { costs: need.costs, came, go };
        signal.addEventListener('abort', giveUp, { once: true });
        row.refusals.set(waiter, (reason) => {
          end();
          reject(reason);
        });
        join(row, waiter);
      }),
    waiting: (rateLimitKey) => waitsOf([...rows.values()].flatMap((row) => waitingAt(row, rateLimitKey))),
  };
}

function waitingAt({ rateLimits, waiters, share, served, totals }: SharedRow, rateLimitKey: string) {
  const at = rateLimits.findIndex(({ key }) => key === rateLimitKey);
  const [first] = waiters;
  return at < 0 || first === undefined ? [] : [{ share, all: totals[at] ?? 0, since: Math.max(served, first.came) }];
}

/** Most that one question asks for. */
const atOnce = 100;

/** Until nobody waits there, or Redis is unavailable; `ended` is called in the very turn that nobody is served any more. */
async function serve(row: SharedRow, options: RowsOptions, ended: () => void): Promise<void> {
  let listed = false;
  try {
    while (row.waiters.size > 0 || listed) {
      const { asking, question } = questionOf(row, options.clock.now());
      const { granted, wait, now } = await options.link.ask(question, row.rateLimits);
      if (granted > 0) row.served = options.clock.now();
      for (const waiter of asking.slice(0, granted)) waiter.go(now);
      listed = granted < asking.length;
      if (listed) await rest(row, wait, options.clock);
    }
  } catch (reason) {
    for (const refuse of [...row.refusals.values()]) refuse(reason);
  } finally {
    ended();
  }
}

function questionOf(row: SharedRow, now: number): { readonly asking: readonly Asking[]; readonly question: Question } {
  const asking = [...row.waiters].slice(0, atOnce);
  const question: Question = {
    verb: 'take',
    row: row.id,
    rank: ranks[row.rank],
    share: row.share,
    waited: Math.max(0, now - Math.max(row.served, asking[0]?.came ?? now)),
    needs: asking.map(({ costs }) => costs.map(({ amount }) => amount)),
    totals: row.totals,
  };
  return { asking, question };
}

const ranks: Readonly<Record<Rank, number>> = { frees: 0, writes: 1, reads: 2 };

async function rest(row: SharedRow, ms: number, clock: Clock): Promise<void> {
  row.wake = new AbortController();
  if (row.waiters.size === 0) return;
  await clock.sleep(ms, row.wake.signal).catch(() => undefined);
}

/** One worker's part of every budget, while there is no Redis to share them in. */
interface OwnPart extends Limiter, Pick<Samples, 'rateLimits'> {
  /** The spent and unreported costs, by rate limit; `reported` is the part of it that is known elsewhere now. */
  unpaid(): readonly Cost[];
  paid(reported: readonly Cost[]): void;
  /** Sends away with `Moved` who waits here. */
  end(): void;
}

interface PartOptions {
  readonly clock: Clock;
  readonly workers: number;
  readonly budgets: { readonly reserve: number; readonly lateMs: number };
  readonly slowed?: (rateLimitKey: string) => void;
}

/** Begins with nothing: others may spend the remaining budget right now. */
function ownPart({ clock, workers, budgets, slowed }: PartOptions): OwnPart {
  const options: RateLimitOptions = {
    reserve: 1 - (1 - budgets.reserve) / Math.max(1, workers),
    lateMs: budgets.lateMs,
    empty: true,
  };
  const limiter = inProcessLimiter({ clock, ...options, ...(slowed ? { slowed } : {}) });
  const spent = new Map<string, Cost>();
  const gone = new AbortController();
  const add = ({ rateLimit, amount }: Cost): void => {
    spent.set(rateLimit.key, { rateLimit, amount: (spent.get(rateLimit.key)?.amount ?? 0) + amount });
  };
  return {
    take: async (need, signal) => {
      const at = await limiter.take(need, AbortSignal.any([signal, gone.signal]));
      need.costs.forEach(add);
      return at;
    },
    slow: limiter.slow,
    learn: limiter.learn,
    rateLimits: limiter.rateLimits,
    unpaid: () => [...spent.values()].filter(({ amount }) => amount > 0),
    paid: (reported) => {
      for (const { rateLimit, amount } of reported) add({ rateLimit, amount: -amount });
    },
    end: () => gone.abort(new Moved('Redis is available again')),
  };
}
