import { sql } from 'kysely';
import type { Budget, SharedLimiter } from '../../ports/limiter.ts';
import { connectBudgets, type Reach } from '../connection.ts';
import { openSharedLimiter, type SharedLimiterOptions } from '../redis/limiter.ts';
import { postgresShares } from './postgres-shares.ts';
import { type ShareLimiterEvents, shareLimiter } from './share-limiter.ts';

export interface KeptLimiterOptions extends Omit<SharedLimiterOptions, 'kept'> {
  readonly reach: Reach;
  /** The database's own id. */
  readonly store: string;
  /** Of PostgreSQL, where rate limits are kept. */
  readonly keptEvents?: Pick<ShareLimiterEvents, 'away' | 'back'>;
}

/**
 * The budgets of a fleet on Redis, of which PostgreSQL keeps the slow ones too: a request takes its units there as well, from shares that
 * its worker leases. So a Redis that lost its memory costs nobody the minutes that such a rate limit takes to fill: there it begins full, and
 * PostgreSQL says how much of it is left.
 *
 *   other fleets on this Redis | a slow rate limit whose state Redis lost
 *   ---------------------------+------------------------------------------------------------
 *   none was ever seen         | begins full in Redis; PostgreSQL knows all that was spent
 *   of another database        | begins empty: nobody knows what the others spent
 */
export async function openKeptLimiter(options: KeptLimiterOptions): Promise<SharedLimiter> {
  const { reach, store, keptEvents = {}, ...rest } = options;
  const { clock, worker, fresh = false } = rest;
  const budgets = { lateMs: 1000, ...rest.budgets };
  const db = connectBudgets(reach);
  const shares = postgresShares(db, { budgets, fresh });
  const kept = shareLimiter({ shares, clock, worker, budgets, events: keptEvents });
  const noted = new Map<string, number>();
  const met = (neighbour: string): void => {
    if (clock.now() - (noted.get(neighbour) ?? Number.NEGATIVE_INFINITY) < noteMs) return;
    noted.set(neighbour, clock.now());
    noteNeighbour(db, neighbour).catch(() => noted.delete(neighbour));
  };
  const close = async (redis?: SharedLimiter): Promise<void> => {
    await redis?.close();
    await kept.close().finally(() => db.destroy());
  };
  try {
    const neighbours = await neighboursIn(db);
    const redis = await openSharedLimiter({ ...rest, kept: { isKept: isSlow, store, neighbours, met } });
    return { ...both({ redis, kept, clock }), close: () => close(redis) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A rate limit that takes longer to fill is kept in the database. */
const slowMs = 30_000;

/** A neighbour that is still there is noted again after so long, and forgotten a day after it was noted last. */
const noteMs = 3_600_000;

const isSlow = (budget: Budget): boolean =>
  (budget.shape === 'window' ? budget.windowMs : (1000 * budget.capacity) / budget.perSecond) > slowMs;

interface Both {
  readonly redis: SharedLimiter;
  readonly kept: SharedLimiter;
  readonly clock: KeptLimiterOptions['clock'];
}

/** A request that waited so long for its share takes the quick rate limits again: budgets hold back for requests that are a second late. */
const lateMs = 500;

function both({ redis, kept, clock }: Both): Omit<SharedLimiter, 'close'> {
  /** By how much Redis' clock is ahead. */
  let ahead = 0;
  return {
    take: async (need, signal) => {
      const at = await redis.take(need, signal);
      ahead = at - clock.now();
      const [slow, others] = [true, false].map((is) =>
        need.costs.filter(({ rateLimit }) => isSlow(rateLimit.budget) === is),
      );
      if (slow === undefined || slow.length === 0) return at;
      const from = clock.now();
      await kept.take({ ...need, costs: slow }, signal);
      // why: units that were taken too early let more come together than went
      if (clock.now() - from < lateMs) return at;
      if (others === undefined || others.length === 0) return clock.now() + ahead;
      return redis.take({ ...need, costs: others }, signal);
    },
    slow: (rateLimitKey, refusal) => {
      redis.slow(rateLimitKey, refusal);
      kept.slow(rateLimitKey, { ...refusal, sentAt: refusal.sentAt - ahead });
    },
    learn: (rateLimitKey, remaining) => {
      redis.learn(rateLimitKey, remaining);
      kept.learn(rateLimitKey, remaining);
    },
    rateLimits: redis.rateLimits,
  };
}

async function neighboursIn(db: ReturnType<typeof connectBudgets>): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly store: string }>`
    SELECT store FROM setpoint.redis_neighbours WHERE at > clock_timestamp() - interval '1 day'`.execute(db);
  return rows.map(({ store }) => store);
}

const noteNeighbour = (db: ReturnType<typeof connectBudgets>, neighbour: string): Promise<unknown> =>
  sql`
    INSERT INTO setpoint.redis_neighbours (store) VALUES (${neighbour})
    ON CONFLICT (store) DO UPDATE SET at = clock_timestamp()`.execute(db);
