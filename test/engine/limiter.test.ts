import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { requestFor } from '../../providers/aws/rate-limits.ts';
import { inProcessLimiter } from '../../src/engine/limiter.ts';
import type { Budget, Cost, Need, Rank } from '../../src/ports/limiter.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { refusalLaws } from './refusal-laws.ts';

const bucket: Budget = { shape: 'bucket', capacity: 5, perSecond: 2, source: 'https://example.test' };
const fixed: Budget = { shape: 'window', calls: 10, windowMs: 60_000, source: 'https://example.test' };
const cost = (key: string, budget: Budget, amount = 1): Cost => ({ rateLimit: { key, budget }, amount });
const need = (costs: readonly Cost[]): Need => ({ costs, rank: 'writes', share: 'shop' });
const never = new AbortController().signal;

/** Takes `n` times at once and tells when each was let go, in ms from the start. */
async function takeTimes(n: number, costs: readonly Cost[], reserve = 0): Promise<readonly number[]> {
  const clock = virtualClock();
  const limiter = inProcessLimiter({ clock, reserve });
  const start = clock.now();
  return clock.run(() =>
    Promise.all(Array.from({ length: n }, () => limiter.take(need(costs), never).then(() => clock.now() - start))),
  );
}

describe('limiter', () => {
  const rows = [
    {
      name: 'a full bucket is spent at once and then by its refill',
      costs: [cost('a', bucket)],
      n: 8,
      want: [0, 0, 0, 0, 0, 500, 1000, 1500],
    },
    {
      name: 'a window gives its calls at once and then waits for its end',
      costs: [cost('a', fixed, 5)],
      n: 4,
      want: [0, 0, 60_000, 60_000],
    },
    {
      name: 'a reserve leaves its part of capacity and refill to others',
      costs: [cost('a', { ...bucket, capacity: 4 })],
      n: 4,
      reserve: 0.5,
      want: [0, 0, 1000, 2000],
    },
    {
      name: 'two rate limits are taken together or not at all',
      costs: [cost('a', bucket), cost('b', { ...bucket, capacity: 1, perSecond: 1 })],
      n: 3,
      want: [0, 1000, 2000],
    },
    {
      name: 'more than a whole bucket waits for a full one and leaves a debt',
      costs: [cost('a', bucket, 9)],
      n: 2,
      want: [0, 4500],
    },
  ];
  for (const row of rows) {
    it(row.name, async () => assert.deepEqual(await takeTimes(row.n, row.costs, row.reserve), row.want));
  }
});

describe('limiter, many at once', () => {
  it('whoever comes first is served first, even if a later one would need less', async () => {
    const clock = virtualClock();
    const limiter = inProcessLimiter({ clock });
    const order: string[] = [];
    const ask = (name: string, amount: number) =>
      limiter.take(need([cost('a', bucket, amount)]), never).then(() => order.push(name));
    await clock.run(() => Promise.all([ask('first', 4), ask('large', 4), ask('small', 1)]));
    assert.deepEqual(order, ['first', 'large', 'small']);
  });

  it('a rate limit that waits holds back no other', async () => {
    const clock = virtualClock();
    const limiter = inProcessLimiter({ clock });
    const start = clock.now();
    const at = await clock.run(async () => {
      await limiter.take(need([cost('a', bucket, 5)]), never);
      const slow = limiter.take(need([cost('a', bucket, 5)]), never);
      await limiter.take(need([cost('b', bucket, 5)]), never);
      const other = clock.now() - start;
      await slow;
      return [other, clock.now() - start];
    });
    assert.deepEqual(at, [0, 2500]);
  });

  it('an abort ends the wait with its reason and gives its place away', async () => {
    const clock = virtualClock();
    const limiter = inProcessLimiter({ clock });
    const start = clock.now();
    await clock.run(async () => {
      await limiter.take(need([cost('a', bucket, 5)]), never);
      const stop = new AbortController();
      const left = assert.rejects(limiter.take(need([cost('a', bucket, 5)]), stop.signal), /shutdown/);
      const next = limiter.take(need([cost('a', bucket, 1)]), never).then(() => clock.now() - start);
      stop.abort(new Error('shutdown'));
      await left;
      assert.equal(await next, 500);
      await assert.rejects(limiter.take(need([cost('a', bucket)]), stop.signal), /shutdown/);
    });
  });
});

describe('limiter, after a refusal', () => {
  /** Empties nothing, is refused `refusals` times together, then takes one at a time; gives the gaps between takes. */
  async function gapsAfter(refusals: number, takes: number, restMs = 0): Promise<readonly number[]> {
    const clock = virtualClock();
    const limiter = inProcessLimiter({ clock });
    return clock.run(async () => {
      const sentAt = await limiter.take(need([cost('a', bucket)]), never);
      for (let i = 0; i < refusals; i++) limiter.slow('a', { sentAt, retryAfterMs: 0, amount: 1 });
      await clock.sleep(restMs);
      const gaps: number[] = [];
      for (let i = 0; i < takes; i++) {
        const before = clock.now();
        await limiter.take(need([cost('a', bucket)]), never);
        gaps.push(clock.now() - before);
      }
      return gaps;
    });
  }

  it('the rate limit goes at half its speed, once for all who were refused together', async () => {
    const [alone] = await gapsAfter(1, 1);
    const [together] = await gapsAfter(7, 1);
    assert.equal(alone, 1000);
    assert.equal(together, alone);
  });

  it('the speed comes back in steps, and wholly after half a minute', async () => {
    const gaps = await gapsAfter(1, 60);
    const [first = 0, middle = 0, last = 0] = [gaps[0], gaps[20], gaps.at(-1)];
    assert.ok(first > 900 && middle < 800 && middle > 550 && last <= 501, `${first} … ${middle} … ${last}`);
  });

  it('Retry-After is kept by the rate limit and by no other', async () => {
    const clock = virtualClock();
    const limiter = inProcessLimiter({ clock });
    const start = clock.now();
    await clock.run(async () => {
      const sentAt = await limiter.take(need([cost('a', fixed)]), never);
      await limiter.take(need([cost('b', fixed)]), never);
      limiter.slow('a', { sentAt, retryAfterMs: 20_000, amount: 1 });
      await limiter.take(need([cost('b', fixed)]), never);
      assert.equal(clock.now() - start, 0);
      await limiter.take(need([cost('a', fixed)]), never);
      assert.equal(clock.now() - start, 20_000);
    });
  });
});

describe('limiter, one slow-down a round trip', () => {
  /** Two requests are released, one after the other. Both are refused late, and `third` is the wait of the next one. */
  async function waitAfter(refused: 'the first twice' | 'a later one too'): Promise<number> {
    const clock = virtualClock();
    const limiter = inProcessLimiter({ clock });
    return clock.run(async () => {
      const take = () => limiter.take(need([cost('a', bucket)]), never);
      const first = await take();
      await clock.sleep(10);
      limiter.slow('a', { sentAt: first, retryAfterMs: 0, amount: 1 });
      const later = await take();
      await clock.sleep(10);
      limiter.slow('a', { sentAt: refused === 'the first twice' ? first : later, retryAfterMs: 0, amount: 1 });
      const before = clock.now();
      await take();
      return clock.now() - before;
    });
  }

  it('what was let go before the slow-down and is refused after it slows nothing', async () => {
    assert.ok((await waitAfter('the first twice')) < 1000);
  });

  it('what was let go after the slow-down and is refused slows the rate limit again', async () => {
    assert.ok((await waitAfter('a later one too')) > 1500);
  });
});

describe('limiter, told by the cloud what is left', () => {
  const rows = [
    { name: 'less than believed: that is what is left', budget: bucket, remaining: 1, want: [0, 500] },
    { name: 'more than believed: nothing changes', budget: bucket, remaining: 100, want: [0, 0, 0, 0, 500] },
    { name: 'less in a window: the rest comes when the window ends', budget: fixed, remaining: 1, want: [0, 60_000] },
    { name: 'of what is left the reserve is not ours', budget: bucket, remaining: 3, reserve: 0.4, want: [0, 834] },
  ];
  for (const { name, budget, remaining, reserve = 0, want } of rows) {
    it(name, async () => {
      const clock = virtualClock();
      const limiter = inProcessLimiter({ clock, reserve });
      const start = clock.now();
      const got = await clock.run(async () => {
        await limiter.take(need([cost('a', budget)]), never);
        limiter.learn('a', remaining);
        limiter.learn('never taken from', 0);
        return Promise.all(want.map(() => limiter.take(need([cost('a', budget)]), never)));
      });
      assert.deepEqual(
        got.map((at) => at - start),
        want,
      );
    });
  }
});

describe('limiter, many who share a rate limit', () => {
  const slowRateLimit: Budget = { shape: 'bucket', capacity: 1, perSecond: 1, source: 'https://example.test' };

  /** Everybody asks `times` over at once, in this order; who went, in order. */
  async function served(
    asking: readonly (Partial<Need> & { readonly name: string; readonly times: number })[],
    budget = slowRateLimit,
  ): Promise<readonly string[]> {
    const clock = virtualClock();
    const limiter = inProcessLimiter({ clock });
    const went: string[] = [];
    const all = asking.flatMap(({ name, times, ...more }) =>
      Array.from({ length: times }, () => ({ name, ask: { ...need([cost('a', budget)]), ...more } })),
    );
    await clock.run(() => {
      const first = limiter.take({ ...need([cost('a', budget)]), share: 'somebody' }, never);
      return Promise.all([first, ...all.map(({ name, ask }) => limiter.take(ask, never).then(() => went.push(name)))]);
    });
    return went;
  }

  it('what frees quota goes before other writes, and those before looks', async () => {
    const order = await served([
      { name: 'look', rank: 'reads', times: 2 },
      { name: 'write', rank: 'writes', times: 2 },
      { name: 'free', rank: 'frees', times: 2 },
    ]);
    assert.deepEqual(order, ['free', 'free', 'write', 'write', 'look', 'look']);
  });

  it('a look that waits for long goes all the same', async () => {
    const order = await served([
      { name: 'write', rank: 'writes', times: 60 },
      { name: 'look', rank: 'reads', times: 2 },
    ]);
    const places = order.flatMap((name, at) => (name === 'look' ? [at] : []));
    assert.deepEqual(places, [14, 29]);
  });

  it('shares take turns, however many ask in one name', async () => {
    const order = await served([
      { name: 'many', share: 'blog', times: 40 },
      { name: 'few', share: 'shop', times: 10 },
    ]);
    assert.equal(order.slice(0, 20).filter((name) => name === 'few').length, 10);
  });

  it('what a window gives at once is shared too', async () => {
    const order = await served(
      [
        { name: 'many', share: 'blog', times: 60 },
        { name: 'few', share: 'shop', times: 4 },
        { name: 'some', share: 'tools', times: 60 },
      ],
      { ...fixed, calls: 25 },
    );
    const second = order.slice(24, 49);
    assert.deepEqual(
      ['few', 'many', 'some'].map((name) => second.filter((each) => each === name).length),
      [4, 10, 11],
    );
  });

  it('one that waits for another rate limit holds up nobody here for longer than that', async () => {
    const clock = virtualClock();
    const limiter = inProcessLimiter({ clock });
    const start = clock.now();
    const both = need([cost('a', bucket), cost('b', fixed, 10)]);
    const went = await clock.run(async () => {
      await limiter.take(both, never);
      const late = limiter.take(both, never);
      const meanwhile = await Promise.all(
        Array.from({ length: 9 }, () => limiter.take(need([cost('a', bucket)]), never)),
      );
      return [Math.max(...meanwhile) - start, (await late) - start];
    });
    assert.deepEqual(went, [3000, 60_000]);
  });
});

describe('limiter, whatever is asked of it', () => {
  const rateLimits = ['a', 'b', 'c'].map((key) => ({ key, budget: bucket }));
  const asks = fc.array(
    fc.record({
      share: fc.constantFrom('shop', 'blog', 'tools'),
      rank: fc.constantFrom<Need['rank']>('frees', 'writes', 'reads'),
      rateLimits: fc.subarray(rateLimits, { minLength: 1 }),
      amount: fc.integer({ min: 1, max: 7 }),
      afterMs: fc.constantFrom(0, 0, 100, 3000),
      givesUpMs: fc.constantFrom(undefined, undefined, 50, 2000),
    }),
    { maxLength: 40 },
  );

  /** When each was let go, ms from the start; undefined where it gave up before. */
  async function timesOf(asked: typeof asks extends fc.Arbitrary<infer T> ? T : never) {
    const clock = virtualClock();
    const limiter = inProcessLimiter({ clock });
    const start = clock.now();
    return clock.run(async () => {
      const all: Promise<{ readonly at?: number; readonly costs: readonly Cost[] }>[] = [];
      for (const { share, rank, rateLimits: of, amount, afterMs, givesUpMs } of asked) {
        if (afterMs > 0) await clock.sleep(afterMs);
        const costs = of.map((rateLimit) => ({ rateLimit, amount }));
        const stop = new AbortController();
        if (givesUpMs !== undefined) clock.sleep(givesUpMs).then(() => stop.abort(), assert.fail);
        all.push(
          limiter.take({ share, rank, costs }, stop.signal).then(
            (at) => ({ at: at - start, costs }),
            () => ({ costs }),
          ),
        );
      }
      return Promise.all(all);
    });
  }

  it('nobody waits for ever, and no rate limit gives more than its budget', () =>
    fc.assert(
      fc.asyncProperty(asks, async (asked) => {
        const went = (await timesOf(asked)).flatMap(({ at, costs }) => (at === undefined ? [] : [{ at, costs }]));
        const patient = asked.filter(({ givesUpMs }) => givesUpMs === undefined).length;
        assert.ok(went.length >= patient, `${went.length} of ${patient} went`);
        for (const { key } of rateLimits) {
          let [left, last] = [5, 0];
          for (const { at, costs } of went.toSorted((one, other) => one.at - other.at)) {
            const amount = costs.find(({ rateLimit }) => rateLimit.key === key)?.amount ?? 0;
            left = Math.min(5, left + ((at - last) * 2) / 1000);
            last = at;
            assert.ok(amount === 0 || left >= Math.min(amount, 5) - 1e-6, `${amount} of ${left} at ${at} ms`);
            left -= amount;
          }
        }
      }),
      { numRuns: 150 },
    ));

  it('whoever waits alone for a rate limit goes as soon as there is enough', async () => {
    const times = await timesOf([
      {
        share: 'shop',
        rank: 'writes',
        rateLimits: rateLimits.slice(0, 2),
        amount: 5,
        afterMs: 0,
        givesUpMs: undefined,
      },
      { share: 'shop', rank: 'writes', rateLimits: rateLimits.slice(0, 1), amount: 5, afterMs: 0, givesUpMs: 2000 },
      {
        share: 'blog',
        rank: 'reads',
        rateLimits: rateLimits.slice(0, 1),
        amount: 1,
        afterMs: 100,
        givesUpMs: undefined,
      },
    ]);
    assert.deepEqual(
      times.map(({ at }) => at),
      [0, undefined, 2000],
    );
  });
});

const budgets: Readonly<Record<'bucket' | 'window', Budget>> = {
  bucket: { shape: 'bucket', capacity: 10, perSecond: 1, source: 'a test' },
  window: { shape: 'window', calls: 10, windowMs: 60_000, source: 'a test' },
};

/** A limiter whose one rate limit has spent so much. */
async function taken(budget: Budget, amount: number) {
  const clock = virtualClock();
  const limiter = inProcessLimiter({ clock });
  const costs = [{ rateLimit: { key: 'a', budget }, amount }];
  await limiter.take({ costs, rank: 'writes', share: 'shop' }, new AbortController().signal);
  return { clock, limiter };
}

describe('what is shown of rate limits', () => {
  const rows = [
    { name: 'a bucket: what is left of its capacity', budget: budgets.bucket, amount: 4, afterMs: 0, want: 0.6 },
    { name: 'a bucket: what it gained since', budget: budgets.bucket, amount: 4, afterMs: 2000, want: 0.8 },
    { name: 'a bucket: never more than full', budget: budgets.bucket, amount: 4, afterMs: 60_000, want: 1 },
    { name: 'a bucket in debt: below nothing', budget: budgets.bucket, amount: 15, afterMs: 0, want: -0.5 },
    { name: 'a window: what may still go', budget: budgets.window, amount: 4, afterMs: 59_999, want: 0.6 },
    { name: 'a window that has passed: all', budget: budgets.window, amount: 4, afterMs: 60_000, want: 1 },
  ];
  for (const { name, budget, amount, afterMs, want } of rows)
    it(name, async () => {
      const { clock, limiter } = await taken(budget, amount);
      await clock.advance(afterMs);
      const levels = (await limiter.rateLimits()).map(({ key, level }) => ({ key, level }));
      assert.deepEqual(levels, [{ key: 'a', level: want }]);
    });

  it('their sizes', async () => {
    const sizes = async (budget: Budget) =>
      (await (await taken(budget, 1)).limiter.rateLimits()).map(({ size }) => size);
    assert.deepEqual(await sizes(budgets.bucket), [{ units: 10, perSecond: 1 }]);
    assert.deepEqual(await sizes(budgets.window), [{ units: 10, windowMs: 60_000 }]);
  });

  it('the requests that wait, by estate, and since when', async () => {
    const { clock, limiter } = await taken(budgets.bucket, 10);
    const since = clock.now();
    const rateLimit = { key: 'a', budget: budgets.bucket };
    const stop = new AbortController();
    const need = (share: string, amount: number, rank: Rank) => ({ costs: [{ rateLimit, amount }], rank, share });
    const waits = [need('acme', 2, 'writes'), need('acme', 3, 'reads'), need('other', 4, 'reads')];
    const all = waits.map((one) => limiter.take(one, stop.signal).catch(() => 0));
    const waiting = async () => (await limiter.rateLimits())[0]?.waiting;
    assert.deepEqual(
      (await waiting())?.toSorted((a, b) => (a.estate < b.estate ? -1 : 1)),
      [
        { estate: 'acme', units: 5, since },
        { estate: 'other', units: 4, since },
      ],
    );
    stop.abort();
    await Promise.all(all);
    assert.deepEqual(await waiting(), []);
  });

  it('one that was refused: slowed until it may go at its whole speed', async () => {
    const { clock, limiter } = await taken(budgets.window, 4);
    const refused = clock.now();
    const slowedUntil = async () => (await limiter.rateLimits())[0]?.slowedUntil;
    limiter.slow('a', { sentAt: refused, retryAfterMs: 0, amount: 1 });
    assert.equal(await slowedUntil(), refused + 30_000);
    limiter.slow('a', { sentAt: refused, retryAfterMs: 45_000, amount: 1 });
    assert.equal(await slowedUntil(), refused + 45_000, 'the cloud asked for more');
    await clock.advance(45_000);
    assert.equal(await slowedUntil(), undefined);
  });

  it('only those that were taken from', async () => {
    const limiter = inProcessLimiter({ clock: virtualClock() });
    limiter.slow('never', { sentAt: 0, retryAfterMs: 0, amount: 1 });
    assert.deepEqual(await limiter.rateLimits(), []);
  });
});

describe('limiter in this process: what a refusal leaves of resources', () => {
  refusalLaws((law) => {
    const clock = virtualClock();
    let names = 0;
    return clock.run(() =>
      law({ limiter: inProcessLimiter({ clock }), sleep: clock.sleep, rateLimit: () => `lane-${++names}` }),
    );
  });
});

describe('a thousand launches, one of which is refused', () => {
  it('take seconds', async () => {
    const clock = virtualClock();
    const limiter = inProcessLimiter({ clock });
    const { costs } = requestFor('aws/1/eu-west-1', 'RunInstances', { instances: 100 });
    const launch = () => limiter.take({ costs, rank: 'writes', share: 'shop' }, new AbortController().signal);
    const from = clock.now();
    await clock.run(async () => {
      const sentAt = await launch();
      const others = Array.from({ length: 9 }, launch);
      await clock.sleep(100);
      for (const { rateLimit, amount } of costs) limiter.slow(rateLimit.key, { sentAt, retryAfterMs: 0, amount });
      await Promise.all([launch(), ...others]);
    });
    assert.ok(clock.now() - from < 8000, `${clock.now() - from} ms`);
  });
});
