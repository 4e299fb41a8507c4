import {
  createPostgresBackend,
  createRedisBackend,
  type Job,
  type Queue,
  type Worker,
  type WorkerOptions,
  withBackend,
} from 'bullmq';
import type pg from 'pg';
import type { Where } from '../ports/queue.ts';

/** Where jobs lie. `schema`: prepared by `prepareQueueSchema`; `bullmq` where it is not named. */
export type Backend = { readonly redisUrl: string } | { readonly postgres: pg.ClientConfig; readonly schema?: string };

/** BullMQ on one backend. Jobs carry nothing but where to work. */
export interface Bull {
  queue(name: string): Queue<Where>;
  worker(name: string, process: Process, options: WorkOptions): Worker<Where>;
  /** A connection that is lost from now on stays lost: else one to a server that is away would keep the process. */
  end(): void;
}

/** What a job's pass comes to is kept for the `completed` event. */
export type Process = (job: Job<Where>, token?: string) => Promise<unknown>;

export type WorkOptions = Omit<WorkerOptions, 'connection'>;

export const usualSchema = 'bullmq';

export function bullOf(backend: Backend): Bull {
  const life = { ended: false };
  return 'redisUrl' in backend
    ? on(createRedisBackend, redis(backend, life), life)
    : on(createPostgresBackend, postgres(backend), life);
}

interface Life {
  ended: boolean;
}

/** What BullMQ's events stream keeps: nobody reads it. */
const streams = { events: { maxLen: 100 } };

type Factory<C> = Parameters<typeof withBackend<ReturnType<typeof createRedisBackend>, C>>[0];

function on<C>(factory: unknown, connection: C, life: Life): Bull {
  // why: the backends differ in the type of their own handle only, which nobody here touches.
  const { Queue, Worker } = withBackend(factory as Factory<C>);
  return {
    // why: as above.
    queue: (name) => new Queue(name, { connection, streams }) as unknown as Queue<Where>,
    worker: (name, process, options) =>
      // why: as above.
      new Worker(name, process, { ...options, connection }) as unknown as Worker<Where>,
    end: () => {
      life.ended = true;
    },
  };
}

/** Back within a second of the server: BullMQ's own ladder goes up to 20 s. */
const redis = ({ redisUrl }: Extract<Backend, { redisUrl: unknown }>, life: Life) => ({
  url: redisUrl,
  connectTimeout: 10_000,
  maxRetriesPerRequest: null,
  retryStrategy: (times: number) => (life.ended ? null : Math.min(1_000, 50 * times)),
});

/** Few connections for each queue and worker: a worker holds one more, to listen on. */
const postgres = ({ postgres: config, schema = usualSchema }: Extract<Backend, { postgres: unknown }>) => ({
  ...config,
  schema,
  max: 4,
  keepAlive: true,
  connectionTimeoutMillis: 10_000,
  application_name: 'setpoint queue',
});
