import { hostname } from 'node:os';
import { loadProvider } from '../providers/index.ts';
import type { FleetSettings, RunningFleet } from './cli/house.ts';
import { inProcessLimiter } from './engine/limiter.ts';
import { startWorker } from './fleet/fleet.ts';
import type { Source } from './fleet/follow.ts';
import type { Clock } from './ports/clock.ts';
import type { Limiter } from './ports/limiter.ts';
import type { Queue } from './ports/queue.ts';
import type { Secrets } from './ports/secrets.ts';
import type { Store } from './ports/store.ts';
import type { Samples } from './ports/telemetry.ts';
import { openQueue } from './queue/open-queue.ts';
import { prepareQueueSchema } from './queue/postgres-schema.ts';
import { refuseUnfitRedis } from './queue/unfit-redis.ts';
import { parseKept } from './source/kept-tree.ts';
import { loadSpecs } from './source/load.ts';
import { type DatabaseServer, openStore } from './store/open-store.ts';
import { startHealth } from './telemetry/health.ts';
import { createLog, logSettings } from './telemetry/log.ts';
import { watchReach } from './telemetry/reach.ts';
import { createTelemetry } from './telemetry/telemetry.ts';
import { watchedLimiter } from './telemetry/watched-limiter.ts';

/** Every cloud has a queue of its own, so that one that is slow keeps nobody else waiting. */
const clouds = ['aws', 'gcp', 'azure', 'memory'] as const;

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly out: { write(text: string): void };
}

/** Wires one worker: its database, its queue, its budgets and what it tells of itself. */
export async function startFleet(settings: FleetSettings, around: Surroundings): Promise<RunningFleet> {
  const { env, clock, secrets, out } = around;
  const log = createLog(out, logSettings(env));
  const ground = await openGround(settings, around, (message) => log.warn('trouble with the queue', { why: message }));
  const { store, queue, limiter } = ground;
  const samples: Samples = { queue: queue.counts, openIntents: store.estates.openIntents, lanes: limiter.lanes };
  const { telemetry, metrics } = createTelemetry({ log, samples });
  const today = (): string => new Date(clock.now()).toISOString().slice(0, 10);
  const worker = await startWorker(
    {
      sources: settings.dirs.map((dir) => folder(dir, today)),
      passEveryMs: settings.pace.everyMs,
      atOnce: settings.pace.atOnce,
    },
    {
      store,
      queue,
      limiter: watchedLimiter(limiter, telemetry.budgets),
      outside: {
        cloud: loadProvider,
        specs: (kept, revision) => parseKept(kept, revision, today()),
        secrets,
        allowEndpoint: settings.allowEndpoint,
        holder: `worker@${hostname()} (process ${process.pid})`,
      },
      clock,
      telemetry,
    },
  );
  const stopping = new AbortController();
  const reaches = [
    watchReach({ name: 'database', ping: () => store.estates.list(), clock }),
    watchReach({ name: 'queue', ping: () => queue.counts(), clock }),
  ];
  const health =
    settings.healthPort === undefined
      ? undefined
      : await startHealth({
          port: settings.healthPort,
          state: { reaches, stopping: stopping.signal, metrics, lanes: samples.lanes },
        });
  log.info('the worker is at work', health === undefined ? {} : { url: health.url });
  return {
    ...(health === undefined ? {} : { healthUrl: health.url }),
    stop: async () => {
      stopping.abort();
      log.info('the worker stops: what it has begun is ended or handed over');
      await worker.stop();
      for (const reach of reaches) reach.stop();
      await health?.close();
      await ground.close();
      log.info('the worker has stopped');
    },
  };
}

const folder = (dir: string, today: () => string): Source => ({ name: dir, read: () => loadSpecs(dir, today()) });

/** Rate budgets that can be looked at. */
type Budgets = Limiter & Pick<Samples, 'lanes'>;

/** What a worker stands on. */
interface Ground {
  readonly store: Store;
  readonly queue: Queue;
  readonly limiter: Budgets;
  close(): Promise<void>;
}

function openGround(settings: FleetSettings, around: Surroundings, onTrouble: (why: string) => void): Promise<Ground> {
  return settings.as === 'worker' ? onServers(settings, around, onTrouble) : alone(settings, around, onTrouble);
}

async function onServers(
  { folder, pace }: FleetSettings,
  { env, clock }: Surroundings,
  onTrouble: Trouble,
): Promise<Ground> {
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = env;
  if (!databaseUrl) throw new Error(`DATABASE_URL is not set: a fleet shares one PostgreSQL database. ${orAlone}`);
  if (!redisUrl) throw new Error(`REDIS_URL is not set: a fleet shares one Redis. ${orAlone}`);
  await refuseUnfitRedis(redisUrl);
  const store = await openStore({ folder, databaseUrl, clock, create: true });
  const queue = await openQueue({ redisUrl }, { clouds, onTrouble });
  return groundOf(store, queue, inProcessLimiter({ clock, reserve: pace.reserve }));
}

type Trouble = (why: string) => void;
const orAlone = 'Set it, or run everything in one process with: setpoint serve';

/** The same, on the database that Setpoint brings along (or on DATABASE_URL), with the queue beside the store. */
async function alone(
  { folder, pace }: FleetSettings,
  { env, clock }: Surroundings,
  onTrouble: Trouble,
): Promise<Ground> {
  const { DATABASE_URL: databaseUrl } = env;
  let server: DatabaseServer | undefined;
  const store = await openStore({
    folder,
    ...(databaseUrl ? { databaseUrl } : {}),
    clock,
    create: true,
    onServer: async (reached) => {
      server = reached;
      await prepareQueueSchema({ owner: reached.owner, ...roleOf(reached) });
    },
  });
  if (server === undefined) throw new Error('a store that is open has a server');
  const queue = await openQueue({ postgres: server.work.config }, { clouds, onTrouble });
  return groundOf(store, queue, inProcessLimiter({ clock, reserve: pace.reserve }));
}

/** Whoever works as himself needs rights of his own; who takes a role on keeps those of the owner for the queue. */
const roleOf = ({ work, owner }: DatabaseServer): { readonly role?: string } =>
  work.config.user !== undefined && work.config.user !== owner.user ? { role: work.config.user } : {};

const groundOf = (store: Store, queue: Queue, limiter: Budgets): Ground => ({
  store,
  queue,
  limiter,
  close: async () => {
    await queue.close();
    await store.close();
  },
});
