import type { Clock } from '../../ports/clock.ts';
import { type LaneBook, laneBook } from './lane-book.ts';
import { connectLanes, type Lanes } from './lanes.ts';
import { type OwnPart, ownPart } from './own-part.ts';
import { Moved } from './rows.ts';
import type { SharedLimiterOptions } from './shared-limiter.ts';

/** The way to the lanes in Redis, and what to do while it is cut. */
export interface Link {
  /** This worker's own part, while Redis is away. */
  part(): OwnPart | undefined;
  readonly book: LaneBook;
  /** Rejects with `Moved` where Redis does not answer, and while it is away. */
  readonly ask: Lanes['ask'];
  close(): Promise<void>;
}

/** How often a worker says that it is here, and looks whether Redis is back. */
const beatMs = 1000;
const openMs = 10_000;

/** Rejects where Redis does not answer within 10 s. */
export async function linkTo(options: SharedLimiterOptions): Promise<Link> {
  const { url, clock, worker, fresh = false, kept, events = {} } = options;
  const budgets = { reserve: 0, lateMs: 1000, ...options.budgets };
  const neighbours = new Set(kept?.neighbours);
  const alone = (): boolean => neighbours.size === 0;
  const store = kept?.store ?? '';
  const lanes = connectLanes({ url, worker, name: 'setpoint-budgets', fresh, store, alone });
  const book = laneBook(budgets, kept?.isKept ?? (() => false));
  const closed = new AbortController();
  const seen = { workers: 1, ahead: 0 };
  let part: OwnPart | undefined;

  const lost = (error: unknown): void => {
    if (part || closed.signal.aborted) return;
    const { workers, ahead } = seen;
    const clockOfRedis: Clock = { now: () => clock.now() + ahead, sleep: clock.sleep };
    part = ownPart({ clock: clockOfRedis, workers, budgets, ...(events.slowed ? { slowed: events.slowed } : {}) });
    events.away?.(workers, reasonOf(error));
  };

  const asked: Lanes['ask'] = async (question, about) => {
    const from = clock.now();
    const answer = await lanes.ask(question, about);
    for (const neighbour of answer.neighbours) {
      neighbours.add(neighbour);
      kept?.met(neighbour);
    }
    seen.workers = answer.workers;
    seen.ahead = answer.now - (from + clock.now()) / 2;
    book.note(about, answer.lanes);
    return answer;
  };

  const ask: Lanes['ask'] = async (question, about) => {
    if (closed.signal.aborted) throw new Error('the budgets are closed: nothing is let go any more');
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
    await lanes.close();
    throw error;
  });
  void every(beatMs, beat, { clock, signal: closed.signal, failed: lost });

  const close = async (): Promise<void> => {
    closed.abort();
    await asked({ verb: 'leave' }, []).catch(() => undefined);
    await lanes.close();
  };
  return { part: () => part, book, ask, close };
}

/** Nothing was spent untold when it resolves, up to that very turn of the loop. */
async function repay(part: OwnPart, ask: Lanes['ask'], book: LaneBook): Promise<void> {
  for (let unpaid = part.unpaid(); unpaid.length > 0; unpaid = part.unpaid()) {
    await ask({ verb: 'repay', amounts: unpaid.map(({ amount }) => amount) }, book.shapesOf(unpaid));
    part.paid(unpaid);
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function reached(ask: () => Promise<unknown>, clock: Clock): Promise<void> {
  for (const end = clock.now() + openMs; ; await clock.sleep(100)) {
    try {
      await ask();
      return;
    } catch (error) {
      if (clock.now() < end) continue;
      throw new Error(
        `Redis does not answer, and the workers' rate budgets are kept there: ${reasonOf(error)}. ` +
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
