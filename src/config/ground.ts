import { randomUUID } from 'node:crypto';
import type { FleetSettings } from '../cli/house.ts';
import { clouds } from '../core/clouds.ts';
import { inProcessLimiter } from '../engine/limiter.ts';
import type { Clock } from '../ports/clock.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { Log } from '../ports/log.ts';
import type { Queue } from '../ports/queue.ts';
import type { Store } from '../ports/store.ts';
import type { Samples } from '../ports/telemetry.ts';
import { openQueue } from '../queue/open-queue.ts';
import { prepareQueueSchema } from '../queue/postgres-schema.ts';
import { refuseUnfitRedis } from '../queue/unfit-redis.ts';
import { type DatabaseServer, type Opening, openStore } from '../store/open-store.ts';
import { openSharedLimiter } from '../store/redis/shared-limiter.ts';
import { historyOf } from './history.ts';
import { signingOf } from './signing.ts';

/** Rate budgets that can be looked at. */
type Budgets = Limiter & Pick<Samples, 'lanes'>;

/** What a worker stands on. */
export interface Ground {
  readonly store: Store;
  readonly queue: Queue;
  readonly limiter: Budgets;
  close(): Promise<void>;
}

export interface Soil {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
}

/** Opens it from below; where something fails, nothing is left open. */
export const openGround = (settings: FleetSettings, soil: Soil): Promise<Ground> =>
  fromBelow((atEnd) => (settings.as === 'worker' ? onServers : alone)(settings, soil, atEnd));

/** What the API alone stands on: the database of a fleet or the one that Setpoint brings along, and a queue where REDIS_URL names one. */
export const openShallowGround = (
  folder: string,
  { env, clock, log }: Soil,
): Promise<Pick<Ground, 'store' | 'close'> & { readonly queue?: Queue }> =>
  fromBelow(async (atEnd) => {
    const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = env;
    const database = databaseUrl ? { databaseUrl } : {};
    const store = await openStore({ folder, ...database, clock, create: true, ...signs(env, log) });
    atEnd(store.close);
    if (!databaseUrl || !redisUrl) return { store };
    await refuseUnfitRedis(redisUrl);
    const queue = await openQueue({ redisUrl }, optionsFor(store, log));
    atEnd(queue.close);
    return { store, queue };
  });

/** The process has a background task that signs, see `signLedgers`. */
const signs = (env: NodeJS.ProcessEnv, log: Log): Pick<Opening, 'signing' | 'onProgress'> => ({
  signing: { ...signingOf(env), hasSigner: true },
  onProgress: (message) => log.info(message),
});

async function fromBelow<T>(open: (atEnd: AtEnd) => Promise<T>): Promise<T & Pick<Ground, 'close'>> {
  const ends: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    return { ...(await open((end) => ends.push(end))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Opened = Omit<Ground, 'close'>;
type AtEnd = (end: () => Promise<void>) => unknown;

const orAlone = 'Set it, or run everything in one process with: setpoint serve';

async function onServers({ folder, pace }: FleetSettings, { env, clock, log }: Soil, atEnd: AtEnd): Promise<Opened> {
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = env;
  if (!databaseUrl) throw new Error(`DATABASE_URL is not set: a fleet shares one PostgreSQL database. ${orAlone}`);
  if (!redisUrl) throw new Error(`REDIS_URL is not set: a fleet shares one Redis. ${orAlone}`);
  await refuseUnfitRedis(redisUrl);
  const store = await openStore({ folder, databaseUrl, clock, create: true, ...historyOf(env), ...signs(env, log) });
  atEnd(store.close);
  const limiter = await openSharedLimiter({
    url: redisUrl,
    clock,
    worker: randomUUID(),
    fresh: !(await store.fleet.rollouts.any()),
    budgets: { reserve: pace.reserve },
    events: {
      slowed: (lane) => log.warn('a cloud refused: its lane is slowed', { lane }),
      away: (count, why) => log.warn('Redis is away: this worker keeps to its part of every budget', { count, why }),
      back: () => log.info('Redis is back'),
    },
  });
  atEnd(limiter.close);
  const queue = await openQueue({ redisUrl }, optionsFor(store, log));
  atEnd(queue.close);
  return { store, queue, limiter };
}

/** Requests of one process reach a cloud not all equally late; a fleet's differ by more, see `openSharedLimiter`. */
const lateMs = 500;

/** The same in one process, on the database that Setpoint brings along (or on DATABASE_URL), with the queue beside the store. */
async function alone({ folder, pace }: FleetSettings, { env, clock, log }: Soil, atEnd: AtEnd): Promise<Opened> {
  const { DATABASE_URL: databaseUrl } = env;
  let server: DatabaseServer | undefined;
  const store = await openStore({
    folder,
    ...(databaseUrl ? { databaseUrl } : {}),
    clock,
    create: true,
    ...historyOf(env),
    ...signs(env, log),
    onServer: async (reached) => {
      server = reached;
      await prepareQueueSchema({ owner: reached.owner, ...roleOf(reached) });
    },
  });
  atEnd(store.close);
  if (server === undefined) throw new Error('a store that is open has a server');
  const queue = await openQueue({ postgres: server.work.config }, optionsFor(store, log));
  atEnd(queue.close);
  return { store, queue, limiter: inProcessLimiter({ clock, reserve: pace.reserve, lateMs }) };
}

/** Queues are named after their database: fleets that share a Redis share budgets there, and no jobs. */
const optionsFor = ({ estates }: Store, log: Log) => ({
  // why: each has a queue of its own, so that one that is slow keeps nobody else waiting
  clouds,
  name: `setpoint-${estates.store.slice(0, 8)}`,
  onTrouble: (why: string) => log.warn('trouble with the queue', { why }),
});

/** Whoever works as himself needs rights of his own; who takes a role on keeps those of the owner for the queue. */
const roleOf = ({ work, owner }: DatabaseServer): { readonly role?: string } =>
  work.config.user !== undefined && work.config.user !== owner.user ? { role: work.config.user } : {};
