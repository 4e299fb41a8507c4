import { after, before } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Budget, Cost, Limiter, Need, SharedLimiter } from '../../../src/ports/limiter.ts';
import { openSharedLimiter, type SharedLimiterOptions } from '../../../src/store/redis/limiter.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';

const source = 'https://example.test';
export const bucket = { shape: 'bucket', capacity: 20, perSecond: 10, source } as const;
/** It gains a request in 20 s, so it does not change during a test. */
export const slow = { ...bucket, perSecond: 0.05 };
export const fixed: Budget = { shape: 'window', calls: 20, windowMs: 1500, source };
export const cost = (key: string, budget: Budget, amount = 1): Cost => ({ rateLimit: { key, budget }, amount });
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
  /** Ends Redis, and starts another one in its place when that is over. */
  restart(after: () => Promise<void>): Promise<void>;
  /** Redis does not answer while that goes on, and forgets nothing. */
  freeze(meanwhile: () => Promise<void>): Promise<void>;
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
    restart: async (after) => {
      await server.stop();
      await after().finally(async () => {
        server = await startRedis({ port: server.port });
      });
    },
    freeze: async (meanwhile) => {
      process.kill(server.pid, 'SIGSTOP');
      await meanwhile().finally(() => process.kill(server.pid, 'SIGCONT'));
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

/** The most that a bucket gives since then in real time. `full`: its tokens at first. */
export const mostSince = (from: number, full = 0): number =>
  full + (bucket.perSecond * (performance.now() - from)) / 1000 + 1;

/** Asked for together, when each was let go. */
export const together = (limiter: Limiter, times: number, what: Need): Promise<readonly number[]> =>
  Promise.all(Array.from({ length: times }, () => limiter.take(what, never)));
