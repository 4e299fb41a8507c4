import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { RateLimitOptions } from '../../../src/engine/rate-limit.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import type { Budget, Limiter, Rank, SharedLimiter } from '../../../src/ports/limiter.ts';
import { type Shares, shareLimiter } from '../../../src/store/budgets/share-limiter.ts';
import { leaseShare, levelOf, type SharedRateLimit } from '../../../src/store/budgets/shares.ts';
import { refusalLaws } from '../../engine/refusal-laws.ts';
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts';

const source = 'https://example.test';
const bucket = { shape: 'bucket', capacity: 100, perSecond: 20, source } as const;
const launches = { shape: 'bucket', capacity: 5, perSecond: 2, source } as const;
const fixed = { shape: 'window', calls: 300, windowMs: 60_000, source } as const;
const budgets: readonly Budget[] = [bucket, launches, fixed];
const never = new AbortController().signal;

interface Fleet {
  readonly clock: VirtualClock;
  readonly shares: MemoryShares;
  worker(name: string): Hand;
  /** Each request that was let go: its time and its units. */
  readonly spent: { at: number; amount: number; worker: string }[];
}

/** A worker that may stand still, as after SIGSTOP: none of its timers rings until it goes on. */
interface Hand {
  readonly limiter: SharedLimiter;
  /** Takes `amount`, `times` times together. */
  burst(budget: Budget, times: number, more?: { readonly amount?: number; readonly rank?: Rank }): void;
  stop(): void;
  goOn(): void;
}

function fleet(): Fleet {
  const clock = virtualClock();
  const shares = memoryShares(clock);
  const spent: { at: number; amount: number; worker: string }[] = [];
  const worker = (name: string): Hand => {
    let stopped: PromiseWithResolvers<void> | undefined;
    const own: Clock = {
      now: clock.now,
      sleep: async (ms, signal) => {
        await clock.sleep(ms, signal);
        await stopped?.promise;
      },
    };
    const limiter = shareLimiter({ shares, clock: own, worker: name, budgets: {} });
    return {
      limiter,
      burst: (budget, times, { amount = 1, rank = 'writes' } = {}) => {
        for (let i = 0; i < times; i++)
          void limiter
            .take({ costs: [{ rateLimit: { key: 'a', budget }, amount }], rank, share: name }, never)
            .then((at) => void spent.push({ at, amount, worker: name }));
      },
      stop: () => {
        stopped ??= Promise.withResolvers();
      },
      goOn: () => {
        stopped?.resolve();
        stopped = undefined;
      },
    };
  };
  return { clock, shares, worker, spent };
}

/** Units that were let go beyond the cloud's limit. */
function overOf(budget: Budget, spent: Fleet['spent']): number {
  const sorted = spent.toSorted((a, b) => a.at - b.at);
  if (budget.shape === 'window') {
    const within = sorted.map(({ at }) =>
      sorted
        .filter((one) => one.at <= at && one.at > at - budget.windowMs)
        .reduce((sum, { amount }) => sum + amount, 0),
    );
    return Math.max(0, ...within.map((sum) => sum - budget.calls));
  }
  let [left, last, over] = [budget.capacity, sorted[0]?.at ?? 0, 0];
  for (const { at, amount } of sorted) {
    left = Math.min(budget.capacity, left + ((at - last) * budget.perSecond) / 1000) - amount;
    last = at;
    over = Math.max(over, -left);
  }
  return over > 1e-6 ? over : 0;
}

const countOf = (spent: Fleet['spent'], worker?: string): number =>
  spent.filter((one) => worker === undefined || one.worker === worker).reduce((sum, { amount }) => sum + amount, 0);

describe('limiter of leased shares: what a refusal leaves of resources', () => {
  refusalLaws(async (law) => {
    const clock = virtualClock();
    const limiter = shareLimiter({ shares: memoryShares(clock), clock, worker: 'one', budgets: {} });
    let names = 0;
    await clock.run(() => law({ limiter, sleep: clock.sleep, rateLimit: () => `lane-${++names}` }));
  });
});

describe('how workers divide a budget', () => {
  for (const budget of budgets)
    it(`one busy worker beside an idle one has all of it: ${JSON.stringify(budget)}`, async () => {
      const at = fleet();
      const [busy, idle] = [at.worker('busy'), at.worker('idle')];
      idle.burst(budget, 2);
      await at.clock.advance(1000);
      busy.burst(budget, 2000);
      await at.clock.advance(60_000);
      const most = budget.shape === 'window' ? budget.calls : budget.capacity + 60 * budget.perSecond;
      assert.equal(overOf(budget, at.spent), 0);
      assert.ok(countOf(at.spent) >= 0.95 * most, `${countOf(at.spent)} of ${most}`);
    });

  for (const budget of budgets)
    it(`four that are equally busy have about a quarter each: ${JSON.stringify(budget)}`, async () => {
      const at = fleet();
      const names = ['a', 'b', 'c', 'd'];
      for (const name of names) at.worker(name).burst(budget, 1000);
      await at.clock.advance(120_000);
      const most = budget.shape === 'window' ? 2 * budget.calls : budget.capacity + 120 * budget.perSecond;
      const each = names.map((name) => countOf(at.spent, name));
      assert.equal(overOf(budget, at.spent), 0);
      assert.ok(countOf(at.spent) >= 0.95 * most, `${countOf(at.spent)} of ${most}`);
      assert.ok(Math.min(...each) >= 0.15 * most, `${each}`);
    });
});

describe('how often a worker asks', () => {
  it('units that a worker does not spend flow back', async () => {
    const at = fleet();
    at.worker('idle').burst(fixed, 40);
    await at.clock.advance(0);
    at.worker('busy').burst(fixed, 300);
    await at.clock.advance(1_000);
    assert.equal(countOf(at.spent), 260, '40 for requests to come');
    await at.clock.advance(2_600);
    assert.equal(countOf(at.spent), 300);
  });

  it('an idle worker gives back all, and asks no more', async () => {
    const at = fleet();
    at.worker('idle').burst(bucket, 1);
    await at.clock.advance(10_000);
    const asked = at.shares.asked();
    await at.clock.advance(60_000);
    assert.equal(at.shares.asked(), asked);
    assert.ok(asked <= 4, `${asked} questions`);
  });

  it('a steady worker asks about once a lease', async () => {
    const at = fleet();
    const one = at.worker('steady');
    for (let i = 0; i < 100; i++) {
      one.burst(bucket, 1);
      await at.clock.advance(200);
    }
    assert.equal(countOf(at.spent), 100);
    assert.ok(at.shares.asked() <= 15, `${at.shares.asked()} questions in 20 s`);
  });
});

describe('what a worker that does not answer held', () => {
  it('a worker that stood still for 20 s spends nothing of its old share', async () => {
    const at = fleet();
    const [one, two] = [at.worker('one'), at.worker('two')];
    one.burst(fixed, 100);
    await at.clock.advance(100);
    one.stop();
    two.burst(fixed, 300);
    await at.clock.advance(20_000);
    const asked = at.shares.asked();
    const before = countOf(at.spent, 'one');
    one.burst(fixed, 20);
    assert.equal(countOf(at.spent, 'one'), before);
    one.goOn();
    await at.clock.advance(100_000);
    assert.ok(at.shares.asked() > asked);
    assert.equal(overOf(fixed, at.spent), 0);
    assert.equal(countOf(at.spent), 420);
  });

  it('what a dead worker held counts as spent when its lease ends, and never comes back sooner', async () => {
    const at = fleet();
    const [dead, other] = [at.worker('dead'), at.worker('other')];
    dead.burst(fixed, 40);
    await at.clock.advance(0);
    dead.stop();
    other.burst(fixed, 300);
    await at.clock.advance(59_000);
    assert.equal(countOf(at.spent), 260, '40 of its own, and 40 for requests to come that nobody saw');
    await at.clock.advance(10_000);
    assert.equal(countOf(at.spent), 340);
  });
});

describe('several workers', () => {
  it('two that begin at the same moment share what there is', async () => {
    const at = fleet();
    for (const name of ['one', 'two']) at.worker(name).burst(bucket, 100);
    await at.clock.advance(0);
    assert.equal(countOf(at.spent), 100);
    assert.equal(overOf(bucket, at.spent), 0);
  });

  it('one that closes sends away all who wait, and no timer of it is left', async () => {
    const clock = virtualClock();
    const limiter = shareLimiter({ shares: memoryShares(clock), clock, worker: 'one', budgets: {} });
    const costs = [{ rateLimit: { key: 'a', budget: launches }, amount: 5 }];
    const taken = Array.from({ length: 3 }, () => limiter.take({ costs, rank: 'reads', share: 's' }, never));
    const ended = Promise.allSettled(taken);
    await clock.advance(100);
    await limiter.close();
    assert.deepEqual(
      (await ended).map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected'],
    );
    assert.equal(clock.sleepers(), 0);
  });

  it('all hear within one lease that the cloud refused', async () => {
    const at = fleet();
    const [one, two] = [at.worker('one'), at.worker('two')];
    const rateLimit = { key: 'a', budget: bucket };
    const take = (limiter: Limiter) =>
      limiter.take({ costs: [{ rateLimit, amount: 1 }], rank: 'reads', share: 's' }, never);
    const [sentAt] = await at.clock.run(() => Promise.all([take(one.limiter), take(two.limiter)]));
    one.limiter.slow('a', { sentAt: sentAt ?? 0, retryAfterMs: 8_000, amount: 1 });
    await at.clock.advance(5_000);
    const count = countOf(at.spent);
    one.burst(bucket, 50);
    two.burst(bucket, 50);
    await at.clock.advance(2_900);
    assert.equal(countOf(at.spent), count, 'before Retry-After is over');
    const [{ size, waiting = [] } = {}] = await two.limiter.rateLimits();
    assert.ok(size && size.units > 0 && size.perSecond !== undefined, JSON.stringify(size));
    assert.ok((waiting[0]?.units ?? 0) > 0 && (waiting[0]?.since ?? 0) < at.clock.now(), JSON.stringify(waiting));
    await at.clock.advance(1_200);
    const levels = await two.limiter.rateLimits();
    assert.ok(countOf(at.spent) > count && (levels[0]?.slowedUntil ?? 0) > at.clock.now(), JSON.stringify(levels));
  });

  it('a lost answer costs nobody a unit', async () => {
    const at = fleet();
    const one = at.worker('one');
    one.burst(fixed, 10);
    await at.clock.advance(100);
    at.shares.loseAnswers(3);
    one.burst(fixed, 290);
    await at.clock.advance(10_000);
    assert.equal(countOf(at.spent), 300);
    assert.equal(overOf(fixed, at.spent), 0);
  });

  it('deletes of one worker go before looks of another', async () => {
    const at = fleet();
    const [looks, deletes] = [at.worker('looks'), at.worker('deletes')];
    looks.burst(bucket, 1000, { rank: 'reads' });
    await at.clock.advance(10_000);
    deletes.burst(bucket, 40, { rank: 'frees' });
    await at.clock.advance(5_000);
    assert.equal(countOf(at.spent, 'deletes'), 40);
  });

  it('more than the whole budget waits for all of it and leaves a debt', async () => {
    const at = fleet();
    const one = at.worker('one');
    one.burst(launches, 2, { amount: 9 });
    await at.clock.advance(4_400);
    assert.equal(countOf(at.spent), 9);
    await at.clock.advance(300);
    assert.equal(countOf(at.spent), 18);
  });
});

type Does = 'stop' | 'goOn' | 'lose' | { readonly burst: number; readonly amount: number };

interface Step {
  readonly worker: number;
  readonly after: number;
  readonly does: Does;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    worker: fc.integer({ min: 0, max: 3 }),
    after: fc.integer({ min: 0, max: 4000 }),
    does: fc.oneof(
      fc.record({ burst: fc.integer({ min: 1, max: 60 }), amount: fc.constantFrom(1, 1, 1, 3) }),
      fc.constantFrom<Does>('stop', 'goOn', 'lose'),
    ),
  }),
  { minLength: 5, maxLength: 40 },
);

function take(budget: Budget, { shares }: Fleet, hand: Hand, does: Does): void {
  if (does === 'lose') shares.loseAnswers(1);
  else if (does === 'stop') hand.stop();
  else if (does === 'goOn') hand.goOn();
  else hand.burst(budget, does.burst, does);
}

describe('never more than the cloud allows, whatever workers do', () => {
  for (const budget of budgets)
    it(JSON.stringify(budget), async () => {
      const property = fc.asyncProperty(steps, async (plan) => {
        const at = fleet();
        const workers = ['a', 'b', 'c', 'd'].map((name) => at.worker(name));
        for (const { worker, after, does } of plan) {
          await at.clock.advance(after);
          const hand = workers[worker];
          if (hand) take(budget, at, hand, does);
        }
        await at.clock.advance(20_000);
        assert.equal(overOf(budget, at.spent), 0);
      });
      await fc.assert(property, { numRuns: 60 });
    });
});

interface MemoryShares extends Shares {
  /** The next questions get no answer, though the shares are leased. */
  loseAnswers(times: number): void;
  /** The number of questions so far. */
  asked(): number;
}

/** Shares of rate limits in memory, on a clock that is the store's. */
function memoryShares(clock: Pick<Clock, 'now'>, budgets: RateLimitOptions = {}): MemoryShares {
  const rateLimits = new Map<string, SharedRateLimit>();
  let [lost, asked] = [0, 0];
  return {
    lease: async (worker, asks) => {
      asked += 1;
      const given = asks.map((ask) => {
        const { rateLimit, share } = leaseShare(rateLimits.get(ask.rateLimit.key), ask, {
          worker,
          budgets,
          now: clock.now(),
        });
        // why: a rate limit that JSON changes would be another one in a database
        rateLimits.set(ask.rateLimit.key, JSON.parse(JSON.stringify(rateLimit)) as SharedRateLimit);
        return share;
      });
      if (lost === 0) return given;
      lost -= 1;
      throw new Error('the connection was lost');
    },
    levels: async (about) =>
      about.map((rateLimit) => levelOf(rateLimits.get(rateLimit.key), { rateLimit }, { budgets, now: clock.now() })),
    loseAnswers: (times) => {
      lost = times;
    },
    asked: () => asked,
  };
}
