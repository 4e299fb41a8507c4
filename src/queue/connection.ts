import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createPostgresBackend,
  createRedisBackend,
  type Job,
  type Queue,
  runMigrations,
  type Worker,
  type WorkerOptions,
  withBackend,
} from 'bullmq';
import pg from 'pg';
import type { RequestedScope } from '../ports/queue.ts';
import { redisProbe } from './redis-checks.ts';

/** The place of the jobs. PostgreSQL: the schema that `prepareQueueSchema` makes. */
export type Backend = { readonly redisUrl: string } | { readonly postgres: pg.ClientConfig };

/** BullMQ on one backend. Jobs carry nothing but where to work. */
export interface Bull {
  queue(name: string): Queue<RequestedScope>;
  /** It has its connections, and begins with `run`. Throws where PostgreSQL cannot be reached; Redis is waited for. */
  worker(name: string, process: Process, options: WorkOptions): Promise<Worker<RequestedScope>>;
  /** True if the server takes writes: Redis by a small write, PostgreSQL by the store's check. */
  probe(): Promise<void>;
  /** Before they are closed. A connection that is lost from now on stays lost: else one to a server that is away would keep the process. */
  closing(): void;
  /** Once they are closed. */
  end(): Promise<void>;
}

/** The result of a job is kept for the `completed` event. */
type Process = (job: Job<RequestedScope>, token?: string) => Promise<unknown>;

export type WorkOptions = Omit<WorkerOptions, 'connection'>;

export function bullOf(backend: Backend): Bull {
  if ('postgres' in backend) {
    const pools = poolsOf(backend.postgres);
    return on(createPostgresBackend, {
      connection: pools.one,
      ready: connected,
      probe: async () => {},
      closing: () => {},
      end: pools.end,
    });
  }
  const life = { ended: false };
  const { probe, end } = redisProbe(backend.redisUrl, `setpoint:probe:${randomUUID()}`);
  const connection = redis(backend, life);
  const closing = (): void => {
    life.ended = true;
  };
  return on(createRedisBackend, {
    connection: () => connection,
    ready: async (make) => make(),
    probe,
    closing,
    end: async () => end(),
  });
}

interface Life {
  ended: boolean;
}

/** `connection`: of one queue or worker. */
interface Server<C> extends Pick<Bull, 'probe' | 'closing' | 'end'> {
  readonly connection: () => C;
  readonly ready: (make: () => Worker<RequestedScope>) => Promise<Worker<RequestedScope>>;
}

/** The length of BullMQ's events stream: nobody reads it. */
const streams = { events: { maxLen: 100 } };

type Factory<C> = Parameters<typeof withBackend<ReturnType<typeof createRedisBackend>, C>>[0];

function on<C>(factory: unknown, { connection, ready, probe, closing, end }: Server<C>): Bull {
  // why: the backends differ in the type of their own handle only, which nobody here touches.
  const { Queue, Worker } = withBackend(factory as Factory<C>);
  return {
    // why: as above.
    queue: (name) => new Queue(name, { connection: connection(), streams }) as unknown as Queue<RequestedScope>,
    worker: (name, process, options) => {
      const own = { ...options, autorun: false, connection: connection() };
      // why: as above.
      return ready(() => new Worker(name, process, own) as unknown as Worker<RequestedScope>);
    },
    probe,
    closing,
    end,
  };
}

/** Back within a second of the server: BullMQ's own ladder goes up to 20 s. */
const redis = ({ redisUrl }: Extract<Backend, { redisUrl: unknown }>, life: Life) => ({
  url: redisUrl,
  connectTimeout: 10_000,
  maxRetriesPerRequest: null,
  retryStrategy: (times: number) => (life.ended ? null : Math.min(1_000, 50 * times)),
});

const mostTries = 5;
const usualPauseMs = 200;

/**
 * A worker that has been connected once. BullMQ keeps the first attempt, whatever came of it: a worker whose first connection
 * was lost would fail with that error for ever, so another one is made.
 */
export async function connected(
  make: () => Worker<RequestedScope>,
  pauseMs = usualPauseMs,
): Promise<Worker<RequestedScope>> {
  for (let tries = 1; ; tries += 1) {
    const worker = make();
    // why: an error nobody listens to ends the process
    worker.on('error', () => {});
    try {
      await deadline(worker.waitUntilReady(), 'the worker was not connected');
      return worker;
    } catch (error) {
      await closeWorker(worker, 1_000, true);
      if (tries === mostTries) throw error;
      await pause(pauseMs * tries);
    }
  }
}

/** Closes a worker within `ms`, its server away or not. `force`: without waiting for reconciles that run. */
export async function closeWorker(worker: Worker<RequestedScope>, ms: number, force = false): Promise<void> {
  await atMost(worker.close(force), ms);
  // why: with its server away `close` waits for ever, and this timer, which it would end last, would keep the process.
  await worker['lockManager'].close();
}

/** The time limit of a call to the queue's server: both clients wait for a lost server for ever. */
const patienceMs = 10_000;

/** The result of `work`, or an error after 10 s. The work may still end later. */
export async function deadline<T>(work: Promise<T>, what: string): Promise<T> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => over.reject(new Error(`${what}: the queue's server did not answer within ${patienceMs / 1000} s`)),
    patienceMs,
  );
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns when `work` is over, however it ended, or after `ms`. */
export async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  await Promise.race([work.catch(() => {}), over.promise]);
  clearTimeout(timer);
}

/** Connections to one server, a pool for each queue and worker. */
interface Pools {
  one(): pg.Pool;
  /** Once nobody uses them. */
  end(): Promise<void>;
}

/** Few for each: four, and the one that a worker listens on. */
const most = 5;

/**
 * Our own, and not BullMQ's: it listens to the errors of a connection too late, and one that is lost before ends the process.
 * `config`: part by part, as the `options` of a `connectionString` would replace the path to the queue.
 */
export function poolsOf(config: pg.ClientConfig): Pools {
  const pools: pg.Pool[] = [];
  const path = `-c search_path=${pg.escapeIdentifier(queueSchema)}`;
  const one = (): pg.Pool => {
    const pool = new pg.Pool({
      ...config,
      options: config.options === undefined ? path : `${config.options} ${path}`,
      max: most,
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
      application_name: config.application_name ?? 'setpoint queue',
    });
    pool.on('error', () => {}).on('connect', (client) => void client.on('error', () => {}));
    pools.push(pool);
    return pool;
  };
  return { one, end: async () => void (await Promise.all(pools.map((pool) => pool.end()))) };
}

/** BullMQ's own: a pool that is given to it has to find this one. */
const queueSchema = 'bullmq';

interface QueueSchema {
  /** A user who may create a schema. */
  readonly owner: pg.ClientConfig;
  /** Another role that will use the schema: it gets rights in it and nothing more. BullMQ makes a sequence there for each queue. */
  readonly role?: string;
}

/** Makes or upgrades the tables of BullMQ in a schema of their own. Safe while others do the same. About 0.3 s the first time. */
export async function prepareQueueSchema({ owner, role }: QueueSchema): Promise<void> {
  const client = new pg.Client({ connectionTimeoutMillis: 10_000, ...owner });
  // why: a connection lost in use is told here too; whoever waits for an answer is told anyway, and nobody listening would end the process
  client.on('error', () => {});
  await client.connect();
  try {
    await runMigrations(client, queueSchema);
    if (role !== undefined) await client.query(rights(pg.escapeIdentifier(queueSchema), pg.escapeIdentifier(role)));
  } finally {
    await client.end();
  }
}

const rights = (schema: string, role: string): string => `
  GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role};
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role};
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role};
  GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${role};
`;
