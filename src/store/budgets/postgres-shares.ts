import { sql } from 'kysely';
import type { RateLimitOptions } from '../../engine/rate-limit.ts';
import type { Cost, SharedLimiter } from '../../ports/limiter.ts';
import { connectBudgets, type Reach } from '../connection.ts';
import type { Database } from '../tables.ts';
import { type ShareLimiterOptions, type Shares, shareLimiter } from './share-limiter.ts';
import { type Leasing, leaseShare, levelOf, type Share, type ShareAsk, type SharedRateLimit } from './shares.ts';

export interface PostgresSharesOptions {
  readonly budgets: Pick<RateLimitOptions, 'reserve' | 'lateMs'>;
  /** The caller's word that this fleet never ran before: rate limits without a row are full. Else they were, at worst, empty when the table was made. */
  readonly fresh: boolean;
}

export interface PostgresLimiterOptions extends PostgresSharesOptions, Omit<ShareLimiterOptions, 'shares' | 'budgets'> {
  readonly reach: Reach;
}

/** The budgets of a fleet that shares a PostgreSQL database: see `shareLimiter`. It has two connections of its own. */
export function openPostgresLimiter({ reach, fresh, ...options }: PostgresLimiterOptions): SharedLimiter {
  const db = connectBudgets(reach);
  const limiter = shareLimiter({ ...options, shares: postgresShares(db, { budgets: options.budgets, fresh }) });
  return { ...limiter, close: () => limiter.close().finally(() => db.destroy()) };
}

/**
 * Shares of budgets in PostgreSQL, on its clock. A question is two statements, whatever number of rate limits it is about: one reads, one
 * writes those rate limits that nobody wrote meanwhile; the rest are asked again. No row stays locked between them, so a worker that stands
 * still keeps nobody waiting.
 */
export function postgresShares(db: Database, { budgets, fresh }: PostgresSharesOptions): Shares {
  const read = async (about: readonly Cost['rateLimit'][]): Promise<Read> => {
    const { rows } = await sql<Row>`
      SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now,
        extract(epoch FROM s.budgets_since)::float8 * 1000 AS since,
        l.lane, b.version, b.state
      FROM unnest(${about.map(({ key }) => key)}::text[]) AS l (lane)
      CROSS JOIN setpoint.store s LEFT JOIN setpoint.budgets b ON b.lane = l.lane`.execute(db);
    const rateLimits = new Map(
      rows.map(({ lane: rateLimit, version, state }) => [
        rateLimit,
        { version: version ?? 0, state: state ?? undefined },
      ]),
    );
    const { now = 0, since = 0 } = rows[0] ?? {};
    return { rateLimits, leasing: { budgets, now, ...(fresh ? {} : { emptyAt: since }) } };
  };

  /** Of these rate limits those that nobody wrote meanwhile. */
  const leaseOnce = async (worker: string, asks: readonly ShareAsk[]): Promise<ReadonlyMap<string, Share>> => {
    const { rateLimits, leasing } = await read(asks.map(({ rateLimit }) => rateLimit));
    // why: all workers lock rows in the same order
    const given = asks
      .toSorted((a, b) => (a.rateLimit.key < b.rateLimit.key ? -1 : 1))
      .map((ask) => {
        const { version = 0, state } = rateLimits.get(ask.rateLimit.key) ?? {};
        return { key: ask.rateLimit.key, version: version + 1, ...leaseShare(state, ask, { worker, ...leasing }) };
      });
    const { rows } = await sql<{ readonly lane: string }>`
      INSERT INTO setpoint.budgets (lane, version, state, at)
      SELECT lane, version, state, clock_timestamp() FROM unnest(
        ${given.map(({ key }) => key)}::text[],
        ${given.map(({ version }) => version)}::bigint[],
        ${given.map(({ rateLimit }) => JSON.stringify(rateLimit))}::jsonb[]) AS given (lane, version, state)
      ON CONFLICT (lane) DO UPDATE SET version = excluded.version, state = excluded.state, at = excluded.at
        WHERE budgets.version = excluded.version - 1
      RETURNING lane`.execute(db);
    const written = new Set(rows.map(({ lane: rateLimit }) => rateLimit));
    return new Map(given.filter(({ key }) => written.has(key)).map(({ key, share }) => [key, share]));
  };

  return {
    lease: async (worker, asks) => {
      const shares = new Map<string, Share>();
      for (let times = 0; shares.size < asks.length; times += 1) {
        if (times === mostTimes) throw new Error('others wrote the budgets each time that this worker did');
        const rest = asks.filter(({ rateLimit }) => !shares.has(rateLimit.key));
        for (const [key, share] of await leaseOnce(worker, rest)) shares.set(key, share);
      }
      return asks.flatMap(({ rateLimit }) => shares.get(rateLimit.key) ?? []);
    },
    levels: async (about) => {
      const { rateLimits, leasing } = await read(about);
      return about.map((rateLimit) => levelOf(rateLimits.get(rateLimit.key)?.state, { rateLimit }, leasing));
    },
  };
}

const mostTimes = 50;

interface Row {
  readonly now: number;
  readonly since: number;
  readonly lane: string;
  readonly version: number | null;
  readonly state: SharedRateLimit | null;
}

interface Read {
  readonly rateLimits: ReadonlyMap<string, { readonly version: number; readonly state: SharedRateLimit | undefined }>;
  readonly leasing: Omit<Leasing, 'worker'>;
}
