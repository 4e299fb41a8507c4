import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Budget, Cost, Need, SharedLimiter } from '../../../src/ports/limiter.ts';
import { openPostgresLimiter, type PostgresLimiterOptions } from '../../../src/store/budgets/postgres-shares.ts';
import { until } from '../../support/until.ts';
import { virtualClock } from '../../support/virtual-clock.ts';
import { ownStore } from '../own-store.ts';
import { applicationLogin } from '../owner.ts';

const { folder, admin } = await ownStore(virtualClock());
const login = await applicationLogin(folder);

const source = 'https://example.test';
/** So slow that nothing comes back while a test looks. */
const fixed: Budget = { shape: 'window', calls: 50, windowMs: 3_600_000, source };
const bucket: Budget = { shape: 'bucket', capacity: 40, perSecond: 0.001, source };
const clock = {
  now: Date.now,
  sleep: async (ms: number, signal?: AbortSignal) => void (await pause(ms, undefined, signal ? { signal } : {})),
};

let names = 0;
const workerOf = (more: Partial<PostgresLimiterOptions> = {}): SharedLimiter =>
  openPostgresLimiter({ reach: { config: login }, clock, worker: `w${++names}`, fresh: true, budgets: {}, ...more });

const needOf = (key: string, budget: Budget): Need => {
  const cost: Cost = { rateLimit: { key, budget }, amount: 1 };
  return { costs: [cost], rank: 'writes', share: 'shop' };
};

/** All of them ask `times` times together, until the test ends; how often they were let go. */
function asking(workers: readonly SharedLimiter[], need: Need, times: number) {
  const end = new AbortController();
  let count = 0;
  for (const worker of workers)
    for (let i = 0; i < times; i++)
      worker.take(need, end.signal).then(
        () => {
          count += 1;
        },
        () => undefined,
      );
  return {
    so: () => count,
    stop: async () => {
      end.abort(new Error('enough'));
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}

describe('shares of budgets in PostgreSQL', () => {
  for (const budget of [fixed, bucket])
    it(`eight workers that begin at once spend all of a ${budget.shape}, and no more`, async () => {
      const workers = Array.from({ length: 8 }, () => workerOf());
      const most = budget.shape === 'window' ? budget.calls : budget.capacity;
      const all = asking(workers, needOf(budget.shape, budget), 20);
      await until('all goes', () => all.so() >= most);
      for (const worker of workers) await worker.rateLimits();
      const [rateLimit] = (await workers[0]?.rateLimits()) ?? [];
      assert.equal(all.so(), most);
      assert.ok(rateLimit && rateLimit.level < 0.01, JSON.stringify(rateLimit));
      await all.stop();
    });

  it('a worker that closes gives back what it has left', async () => {
    const [one, two] = [workerOf(), workerOf()];
    await one.take(needOf('closed', fixed), new AbortController().signal);
    await one.close();
    const all = asking([two], needOf('closed', fixed), 60);
    await until('the rest goes', () => all.so() >= 49);
    await two.rateLimits();
    assert.equal(all.so(), 49);
    await all.stop();
  });

  it('a rate limit that nobody used yet is empty since budgets are kept, in a database where a fleet ran', async () => {
    await admin.query("UPDATE setpoint.store SET budgets_since = clock_timestamp() - interval '10 seconds'");
    const one = workerOf({ fresh: false });
    const all = asking([one], needOf('unused', { ...bucket, perSecond: 1 }), 60);
    await until('some go', () => all.so() >= 10);
    const [rateLimit] = await one.rateLimits();
    assert.ok(all.so() < 30 && rateLimit && rateLimit.level < 0.5, `${all.so()} ${JSON.stringify(rateLimit)}`);
    await all.stop();
  });

  it('says once that the database is away, and goes on when it is back', async () => {
    const events: string[] = [];
    const one = workerOf({ events: { away: () => events.push('away'), back: () => events.push('back') } });
    await one.take(needOf('away', fixed), new AbortController().signal);
    await admin.query('ALTER TABLE setpoint.budgets RENAME TO hidden');
    const all = asking([one], needOf('away', fixed), 45);
    await until('it says so', () => events.includes('away'));
    await admin.query('ALTER TABLE setpoint.hidden RENAME TO budgets');
    await until('all go', () => all.so() === 45);
    assert.deepEqual(events, ['away', 'back']);
    await all.stop();
  });
});
