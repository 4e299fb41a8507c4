import { emptyRow, join, leave, type Row, rowKey, type Waiter } from '../../engine/limiter.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Need, Rank } from '../../ports/limiter.ts';
import type { NamedShape, Question } from './lanes.ts';
import type { Link } from './link.ts';

/** Those of this worker who wait for lanes in Redis: each row asks for all who stand in it, and comes again when told. */
export interface Rows {
  /** Resolves with Redis' time of the grant; rejects with `Moved` where Redis went away. `came`: since when it waits. */
  take(need: Need, signal: AbortSignal, came: number): Promise<number>;
}

/** Who waits must wait elsewhere: Redis went away, or came back. */
export class Moved extends Error {
  constructor(why: string, options?: ErrorOptions) {
    super(why, options);
    this.name = 'Moved';
  }
}

export interface RowsOptions {
  readonly worker: string;
  readonly clock: Clock;
  /** `ask` rejects with `Moved` where there is no answer. */
  readonly link: Pick<Link, 'ask' | 'book'>;
}

/** `go`: it was let go at this time of Redis. */
interface Asking extends Waiter {
  go(at: number): void;
}

interface SharedRow extends Row<Asking> {
  readonly id: string;
  readonly lanes: readonly NamedShape[];
  readonly refusals: Map<Asking, (reason: unknown) => void>;
  /** Ends its sleep. */
  wake: AbortController;
}

export function rowsAt(options: RowsOptions): Rows {
  const rows = new Map<string, SharedRow>();
  const opened = (need: Need): SharedRow => {
    const key = rowKey(need);
    const known = rows.get(key);
    if (known) return known;
    const row: SharedRow = {
      ...emptyRow(need),
      id: `${options.worker} ${key}`,
      lanes: options.link.book.shapesOf(need.costs),
      refusals: new Map(),
      wake: new AbortController(),
    };
    rows.set(key, row);
    // why: who asks in the same turn of the loop asks together
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
  };
}

/** Most that one question asks for. */
const atOnce = 100;

/** Until nobody waits there, or Redis is away; `ended` is called in the very turn that nobody is served any more. */
async function serve(row: SharedRow, options: RowsOptions, ended: () => void): Promise<void> {
  let listed = false;
  try {
    while (row.waiters.size > 0 || listed) {
      const { asking, question } = questionOf(row, options.clock.now());
      const { granted, wait, now } = await options.link.ask(question, row.lanes);
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
