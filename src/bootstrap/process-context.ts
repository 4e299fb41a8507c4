import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { loadProvider } from '../../providers/index.ts';
import type { FleetSettings } from '../cli/context.ts';
import { dayOf } from '../core/render/wording.ts';
import { clouds } from '../core/resource.ts';
import { inProcessLimiter } from '../engine/limiter.ts';
import type { ExternalAccess } from '../fleet/worker-context.ts';
import type { Clock, Log } from '../ports/clock-and-log.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { Queue } from '../ports/queue.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Store } from '../ports/store.ts';
import type { Samples } from '../ports/telemetry.ts';
import { prepareQueueSchema } from '../queue/connection.ts';
import { openQueue } from '../queue/queue.ts';
import { refuseUnfitRedis } from '../queue/redis-checks.ts';
import { parseStoredInThread } from '../source/stored-tree.ts';
import { openKeptLimiter } from '../store/budgets/kept-limiter.ts';
import { openPostgresLimiter } from '../store/budgets/postgres-shares.ts';
import type { ShareLimiterEvents } from '../store/budgets/share-limiter.ts';
import { type DatabaseServer, type Opening, openStore } from '../store/open-store.ts';
import { historyOf, signingOf } from './environment.ts';

/** Rate budgets that can be looked at. */
type Budgets = Limiter & Pick<Samples, 'rateLimits'>;

/** The services that a worker needs. */
export interface WorkerResources {
  readonly store: Store;
  readonly queue: Queue;
  readonly limiter: Budgets;
  close(): Promise<void>;
}

export interface ProcessBasics {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
}

/** The parts of a process that its caller gives. */
export interface Runtime {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly out: { write(text: string): void };
}

/** Opens it from below; where something fails, nothing is left open. */
export const openWorkerResources = (settings: FleetSettings, basics: ProcessBasics): Promise<WorkerResources> =>
  openInOrder((stack) => (settings.as === 'worker' ? onServers : onPostgres)(settings, basics, stack));

/** The services that the API alone needs: a fleet's database or the embedded one, and a queue if REDIS_URL names one. */
export const openApiResources = (
  folder: string,
  { env, clock, log }: ProcessBasics,
): Promise<Pick<WorkerResources, 'store' | 'close'> & { readonly queue?: Queue }> =>
  openInOrder(async (stack) => {
    const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = env;
    const database = databaseUrl ? { databaseUrl } : {};
    const store = await openStore({ folder, ...database, clock, create: true, ...signs(env, log) });
    stack.defer(store.close);
    if (!databaseUrl || !redisUrl) return { store };
    await refuseUnfitRedis(redisUrl);
    const queue = await openQueue({ redisUrl }, optionsFor(store, log));
    stack.defer(queue.close);
    return { store, queue };
  });

/** The process has a background task that signs, see `signLedgers`. */
const signs = (env: NodeJS.ProcessEnv, log: Log): Pick<Opening, 'signing' | 'onProgress'> => ({
  signing: { ...signingOf(env), hasSigner: true },
  onProgress: (message) => log.info(message),
});

async function openInOrder<T>(
  open: (stack: AsyncDisposableStack) => Promise<T>,
): Promise<T & Pick<WorkerResources, 'close'>> {
  await using stack = new AsyncDisposableStack();
  const resources = await open(stack);
  const owned = stack.move();
  return { ...resources, close: () => owned.disposeAsync() };
}

type Opened = Omit<WorkerResources, 'close'>;

/** One of many: jobs and budgets lie on Redis where REDIS_URL names one, else beside the store. */
async function onServers(settings: FleetSettings, basics: ProcessBasics, stack: AsyncDisposableStack): Promise<Opened> {
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = basics.env;
  if (!databaseUrl)
    throw new Error(
      'DATABASE_URL is not set. A fleet shares one PostgreSQL database. Set it, or run everything in one process with: setpoint serve',
    );
  return redisUrl ? onRedis(redisUrl, settings, basics, stack) : onPostgres(settings, basics, stack);
}

async function onRedis(
  redisUrl: string,
  settings: FleetSettings,
  basics: ProcessBasics,
  stack: AsyncDisposableStack,
): Promise<Opened> {
  const { clock, log } = basics;
  await refuseUnfitRedis(redisUrl);
  const { store, server } = await openOn(settings.folder, basics, stack);
  const limiter = await openKeptLimiter({
    reach: server.work,
    store: store.estates.store,
    keptEvents: postgresEvents(log),
    url: redisUrl,
    clock,
    worker: randomUUID(),
    fresh: !(await store.fleet.rollouts.any()),
    budgets: { reserve: settings.reconcile.reserve },
    events: {
      slowed: slowedOn(log),
      away: (count, why) =>
        log.warn('Redis is unavailable: this worker keeps to its share of every rate limit', { count, reason: why }),
      back: () => log.info('Redis is available again'),
    },
  });
  stack.defer(limiter.close);
  const queue = await openQueue({ redisUrl }, optionsFor(store, log));
  stack.defer(queue.close);
  return { store, queue, limiter };
}

type WorkerStore = Pick<Opened, 'store'> & { readonly server: DatabaseServer };

/** A worker's store, on the server of DATABASE_URL or the one that Setpoint brings along. `prepare` runs before the store's own schema. */
async function openOn(
  folder: string,
  { env, clock, log }: ProcessBasics,
  stack: AsyncDisposableStack,
  prepare: (server: DatabaseServer) => Promise<void> = async () => {},
): Promise<WorkerStore> {
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
      await prepare(reached);
    },
  });
  stack.defer(store.close);
  if (server === undefined) throw new Error('a store that is open has a server');
  return { store, server };
}

const slowedOn =
  (log: Log) =>
  (rateLimit: string): void =>
    log.warn('throttled by a cloud: slowing its rate limit', { rateLimit });

const postgresEvents = (log: Log): Pick<ShareLimiterEvents, 'away' | 'back'> => ({
  away: (why) => log.warn('rate limits in PostgreSQL are unavailable: calls wait for them', { reason: why }),
  back: () => log.info('rate limits in PostgreSQL are available again'),
});

/** Requests of one process reach a cloud not all equally late; a fleet's differ by more. */
const lateMs = { alone: 500, fleet: 1000 };

/**
 * On one database: the queue lies beside the store. Several processes share a database that DATABASE_URL names, and their budgets with it;
 * one that Setpoint brings along is one process's, which keeps its budgets itself.
 */
async function onPostgres(
  settings: FleetSettings,
  basics: ProcessBasics,
  stack: AsyncDisposableStack,
): Promise<Opened> {
  const { env, clock, log } = basics;
  const { store, server } = await openOn(settings.folder, basics, stack, (reached) =>
    prepareQueueSchema({ owner: reached.owner, ...roleOf(reached) }),
  );
  const { reserve } = settings.reconcile;
  if (!env['DATABASE_URL']) {
    const queue = await openQueue({ postgres: server.work.config }, optionsFor(store, log));
    stack.defer(queue.close);
    return { store, queue, limiter: inProcessLimiter({ clock, reserve, lateMs: lateMs.alone }) };
  }
  const limiter = openPostgresLimiter({
    reach: server.work,
    clock,
    worker: randomUUID(),
    fresh: !(await store.fleet.rollouts.any()),
    budgets: { reserve, lateMs: lateMs.fleet },
    events: { slowed: slowedOn(log), ...postgresEvents(log) },
  });
  stack.defer(limiter.close);
  const queue = await openQueue({ postgres: server.work.config }, optionsFor(store, log));
  stack.defer(queue.close);
  return { store, queue, limiter };
}

/** Queues are named after their database: fleets that share a Redis share budgets there, and no jobs. */
const optionsFor = ({ estates }: Store, log: Log) => ({
  // why: each has a queue of its own, so that one that is slow keeps nobody else waiting
  clouds,
  name: `setpoint-${estates.store.slice(0, 8)}`,
  onTrouble: (why: string) => log.warn('queue error', { reason: why }),
});

/** Whoever works as himself needs rights of his own; who takes a role on keeps those of the owner for the queue. */
const roleOf = ({ work, owner }: DatabaseServer): { readonly role?: string } =>
  work.config.user !== undefined && work.config.user !== owner.user ? { role: work.config.user } : {};

/** The ways out of this process. `as`: what others see who wait for its leases: worker, API. */
export const externalAccess = (
  as: string,
  allowEndpoint: boolean,
  { clock, secrets }: { readonly clock: Clock; readonly secrets: Secrets },
): ExternalAccess => ({
  cloud: loadProvider,
  specs: (kept, revision) => parseStoredInThread(kept, revision, dayOf(clock.now())),
  secrets,
  allowEndpoint,
  // why: in containers every host has the same name and every process is the first
  holder: `${as}@${hostname()} (process ${process.pid}, ${randomUUID().slice(0, 8)})`,
});
