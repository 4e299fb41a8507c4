import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { requestFor } from '../../../providers/azure/rate-limits.ts';
import type { Budget, Need, SharedLimiter } from '../../../src/ports/limiter.ts';
import { openKeptLimiter } from '../../../src/store/budgets/kept-limiter.ts';
import { refusalLaws } from '../../engine/refusal-laws.ts';
import { type RedisServer, redisMissing, startRedis } from '../../support/redis.ts';
import { steadily } from '../../support/steadily.ts';
import { until } from '../../support/until.ts';
import { virtualClock } from '../../support/virtual-clock.ts';
import { ownStore } from '../own-store.ts';
import { applicationLogin } from '../owner.ts';

const { folder, admin } = await ownStore(virtualClock());
const login = await applicationLogin(folder);

const virtualNetworks =
  'https://management.azure.com/subscriptions/1/providers/Microsoft.Network/virtualNetworks?api-version=2024-05-01';
const source = 'https://example.test';
/** So slow that nothing comes back while a test looks. */
const fixed: Budget = { shape: 'window', calls: 50, windowMs: 3_600_000, source };
const bucket: Budget = { shape: 'bucket', capacity: 20, perSecond: 10, source };
const never = new AbortController().signal;
const clock = {
  now: Date.now,
  sleep: async (ms: number, signal?: AbortSignal) => void (await pause(ms, undefined, signal ? { signal } : {})),
};
const needOf = (slow: string): Need => ({
  costs: [
    { rateLimit: { key: 'front', budget: bucket }, amount: 1 },
    { rateLimit: { key: slow, budget: fixed }, amount: 1 },
  ],
  rank: 'writes',
  share: 'shop',
});

describe('a fleet whose Redis forgets all', { skip: redisMissing() }, () => {
  let redis: RedisServer;
  const open: SharedLimiter[] = [];
  before(async () => {
    redis = await startRedis();
    // why: as if the database had been there for long
    await admin.query("UPDATE setpoint.store SET budgets_since = clock_timestamp() - interval '2 hours'");
  });
  afterEach(async () => void (await Promise.all(open.splice(0).map((limiter) => limiter.close()))));
  after(() => redis.stop());
  let names = 0;
  const worker = async (store = 'ours'): Promise<SharedLimiter> => {
    const more = { reach: { config: login }, store, budgets: { lateMs: 0 } };
    const limiter = await openKeptLimiter({ url: redis.url, clock, worker: `w${++names}`, ...more });
    open.push(limiter);
    return limiter;
  };
  const flush = async (): Promise<void> => {
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
  };
  const ask = (workers: readonly SharedLimiter[], need: Need, times: number): (() => number) => {
    let count = 0;
    const go = (): void => {
      count += 1;
    };
    for (const one of workers) for (let i = 0; i < times; i++) one.take(need, never).then(go, () => undefined);
    return () => count;
  };

  it('goes on with what is left of a slow rate limit, at once and never over it', async () => {
    const workers = [await worker(), await worker()];
    for (let i = 0; i < 15; i++) for (const one of workers) await one.take(needOf('network'), never);
    await flush();
    const count = ask(workers, needOf('network'), 40);
    await until('the rest goes', () => count() >= 20);
    for (const one of workers) await one.rateLimits();
    await pause(0);
    assert.equal(count(), 20);
    const { rows } = await admin.query("SELECT state FROM setpoint.budgets WHERE lane = 'network'");
    assert.equal(rows.length, 1);
  });

  it('calls Azure at once', async () => {
    const one = await worker();
    const { costs } = requestFor('azure/1/westeurope', 'GET', virtualNetworks);
    await one.take({ costs, rank: 'reads', share: 'shop' }, never);
    await flush();
    await one.take({ costs, rank: 'reads', share: 'shop' }, never);
  });

  refusalLaws((law) =>
    steadily(async () => {
      const limiter = await worker();
      await law({ limiter, sleep: async (ms) => void (await pause(ms)), rateLimit: () => `lane-${++names}` });
    }),
  );

  it('hears in both places that the cloud refused', async () => {
    const one = await worker();
    const sentAt = await one.take(needOf('refused'), never);
    one.slow('refused', { sentAt, retryAfterMs: 60_000, amount: 1 });
    const pausedUntil =
      "SELECT (state #>> '{lane,pace,until}')::float8 AS until FROM setpoint.budgets WHERE lane = 'refused'";
    await until('PostgreSQL knows', async () => (await admin.query(pausedUntil)).rows[0]?.until > Date.now());
    const [rateLimit] = (await one.rateLimits()).filter(({ key }) => key === 'refused');
    assert.ok((rateLimit?.slowedUntil ?? 0) > Date.now(), JSON.stringify(rateLimit));
  });

  it('waits where the fleet of another database spends from the same Redis', async () => {
    const one = await worker();
    const other = await worker('theirs');
    const seen = async (): Promise<boolean> =>
      (await admin.query("SELECT 1 FROM setpoint.redis_neighbours WHERE store = 'theirs'")).rowCount === 1;
    await until('they met', seen);
    await other.close();
    await flush();
    const third = await worker();
    const count = ask([one, third], needOf('shared'), 5);
    await one.take({ ...needOf('x'), costs: needOf('x').costs.slice(0, 1) }, never);
    const [rateLimit] = (await third.rateLimits()).filter(({ key }) => key === 'shared');
    assert.equal(count(), 0);
    assert.ok((rateLimit?.level ?? 0) < 0.01, JSON.stringify(rateLimit));
  });
});
