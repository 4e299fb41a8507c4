import { after, before } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Budget, Cost } from '../../../src/ports/actuator.ts';
import type { Limiter, Need } from '../../../src/ports/limiter.ts';
import {
  openSharedLimiter,
  type SharedLimiter,
  type SharedLimiterOptions,
} from '../../../src/store/redis/shared-limiter.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';

export const bucket: Budget = { shape: 'bucket', capacity: 20, perSecond: 10, source: 'https://example.test' };
export const fixed: Budget = { shape: 'window', calls: 20, windowMs: 1500, source: 'https://example.test' };
export const cost = (key: string, budget: Budget, amount = 1): Cost => ({ lane: { key, budget }, amount });
export const need = (costs: readonly Cost[], more: Partial<Need> = {}): Need => ({
  costs,
  rank: 'writes',
  share: 'shop',
  ...more,
});
export const never = new AbortController().signal;
export const clock = {
  now: Date.now,
  sleep: async (ms: number, signal?: AbortSignal) => void (await pause(ms, undefined, signal ? { signal } : {})),
};

/** A Redis for the tests of one suite, and workers at it, all of them closed at its end. */
export interface Fleet {
  /** Of a fleet that never ran, by its own word; nothing is held back for late requests. */
  worker(options?: Partial<SharedLimiterOptions>): Promise<SharedLimiter>;
  /** The name of a lane that no other test knows. */
  lane(): string;
  flush(): Promise<void>;
  /** Ends Redis, and starts another one in its place after so long. */
  restart(afterMs: number): Promise<void>;
  /** Redis does not answer for so long, and forgets nothing. */
  freeze(ms: number): Promise<void>;
}

export function fleet(): Fleet {
  let server: RedisServer;
  let names = 0;
  const open: SharedLimiter[] = [];
  before(async () => {
    server = await startRedis();
  });
  after(async () => {
    await Promise.all(open.map((limiter) => limiter.close()));
    await server.stop();
  });
  return {
    worker: async (options = {}) => {
      const usual = { url: server.url, clock, worker: `worker-${++names}`, fresh: true, budgets: { lateMs: 0 } };
      const limiter = await openSharedLimiter({ ...usual, ...options });
      open.push(limiter);
      return limiter;
    },
    lane: () => `lane-${++names}`,
    flush: async () => {
      const redis = new Redis(server.url);
      await redis.flushall();
      redis.disconnect();
    },
    restart: async (afterMs) => {
      await server.stop();
      await pause(afterMs);
      server = await startRedis({ port: server.port });
    },
    freeze: async (ms) => {
      process.kill(server.pid, 'SIGSTOP');
      await pause(ms);
      process.kill(server.pid, 'SIGCONT');
    },
  };
}

/** Many who take again and again, and how often they were let go. */
export function counted(limiters: readonly Limiter[], what: Need): { so(): number; stop(): number } {
  const end = new AbortController();
  let count = 0;
  const work = async (limiter: Limiter): Promise<void> => {
    while (!end.signal.aborted) {
      await limiter.take(what, end.signal);
      count += 1;
    }
  };
  for (const limiter of limiters) for (let i = 0; i < 5; i++) work(limiter).catch(() => undefined);
  return {
    so: () => count,
    stop: () => {
      end.abort(new Error('enough'));
      return count;
    },
  };
}

/** How many are let go within so long. */
export async function within(ms: number, limiter: Limiter, what: Need): Promise<number> {
  const count = counted([limiter], what);
  await pause(ms);
  return count.stop();
}
