import { randomUUID } from 'node:crypto';
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
import { connected } from './connected.ts';
import { poolsOf } from './pools.ts';
import { redisProbe } from './unfit-redis.ts';

/** Where jobs lie. PostgreSQL: in the schema that `prepareQueueSchema` makes. */
export type Backend = { readonly redisUrl: string } | { readonly postgres: pg.ClientConfig };

/** BullMQ on one backend. Jobs carry nothing but where to work. */
export interface Bull {
  queue(name: string): Queue<Where>;
  /** It has its connections, and begins with `run`. Throws where PostgreSQL cannot be reached; Redis is waited for. */
  worker(name: string, process: Process, options: WorkOptions): Promise<Worker<Where>>;
  /** Whether the server takes writes: Redis by a small one, PostgreSQL by what the store says of it. */
  probe(): Promise<void>;
  /** Before they are closed. A connection that is lost from now on stays lost: else one to a server that is away would keep the process. */
  closing(): void;
  /** Once they are closed. */
  end(): Promise<void>;
}

/** What a job's pass comes to is kept for the `completed` event. */
export type Process = (job: Job<Where>, token?: string) => Promise<unknown>;

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
  readonly ready: (make: () => Worker<Where>) => Promise<Worker<Where>>;
}

/** What BullMQ's events stream keeps: nobody reads it. */
const streams = { events: { maxLen: 100 } };

type Factory<C> = Parameters<typeof withBackend<ReturnType<typeof createRedisBackend>, C>>[0];

function on<C>(factory: unknown, { connection, ready, probe, closing, end }: Server<C>): Bull {
  // why: the backends differ in the type of their own handle only, which nobody here touches.
  const { Queue, Worker } = withBackend(factory as Factory<C>);
  return {
    // why: as above.
    queue: (name) => new Queue(name, { connection: connection(), streams }) as unknown as Queue<Where>,
    worker: (name, process, options) => {
      const own = { ...options, autorun: false, connection: connection() };
      // why: as above.
      return ready(() => new Worker(name, process, own) as unknown as Worker<Where>);
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
