import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Budget, Cost, Limiter } from '../../src/ports/limiter.ts';
import type { RateLimitLevel, Samples } from '../../src/ports/telemetry.ts';

/** A limiter and its time, both new to each law. */
export interface Bench {
  readonly limiter: Limiter & Pick<Samples, 'rateLimits'>;
  sleep(ms: number): Promise<void>;
  /** Names nobody else has. */
  rateLimit(): string;
}

const never = new AbortController().signal;
const source = 'https://example.test';
/** So slow that a second more or less changes nothing. */
const requests: Budget = { shape: 'bucket', capacity: 5, perSecond: 0.01, source };
const things: Budget = { shape: 'bucket', capacity: 1000, perSecond: 0.1, source, counts: 'resources' };
const quick: Budget = { shape: 'bucket', capacity: 50, perSecond: 100, source, counts: 'resources' };
const calm: Budget = { ...quick, perSecond: 1 };

/** The effect of a refusal on a rate limit of resources, for every limiter. `run` gives the law its bench, and waits with it. */
export function refusalLaws(run: (law: (bench: Bench) => Promise<void>) => Promise<void>): void {
  const law = (name: string, check: (at: Seat) => Promise<void>): void =>
    void it(name, () => run((bench) => check(seatAt(bench))));
  lawsOfOne(law);
  lawsOfSeveral(law);
  lawsOfTheBudget(law);
}

type Law = (name: string, check: (at: Seat) => Promise<void>) => void;

function lawsOfOne(law: Law): void {
  law('its requests slow down and wait; what they were about is given back and only slows down', async (at) => {
    const one = await at.launch(100);
    at.refuse(one);
    const [calls, machines] = await at.levels();
    assert.ok(calls.level < 0.01, `${calls.level} of the requests`);
    assert.ok(machines.level > 0.999, `${machines.level} of the machines`);
    assert.ok(calls.slowedUntil && machines.slowedUntil, 'both are slowed');
  });

  law('several that were refused together are all given back, and it slows once', async (at) => {
    const all = [await at.launch(100), await at.launch(200), await at.launch(300)];
    const from = all[0]?.sentAt ?? 0;
    for (const one of all) at.refuse(one);
    const [, machines] = await at.levels();
    assert.ok(machines.level > 0.999, `${machines.level}`);
    assert.ok((machines.slowedUntil ?? 0) - from < 40_000, 'half a minute, and not three quarters');
  });

  law('what was not refused stays spent', async (at) => {
    await at.launch(300);
    at.refuse(await at.launch(200));
    const [, machines] = await at.levels();
    assert.ok(Math.abs(machines.level - 0.7) < 0.001, `${machines.level}`);
  });
}

function lawsOfSeveral(law: Law): void {
  law('the first that goes after a slow-down is refused too: nothing is left', async (at) => {
    at.refuse(await at.launch(100));
    await at.rest();
    at.refuse(await at.start(100));
    const [, machines] = await at.levels();
    assert.ok(machines.level < 0.001, `${machines.level}`);
  });

  law('the first went well and a later one is refused: all is left but what went well', async (at) => {
    at.refuse(await at.launch(100));
    await at.rest();
    await at.start(100);
    await at.rest();
    at.refuse(await at.start(100));
    const [, machines] = await at.levels();
    assert.ok(Math.abs(machines.level - 0.9) < 0.001, `${machines.level}`);
  });

  law('what went before the rate limit was emptied is not given back', async (at) => {
    at.refuse(await at.start(100));
    await at.rest();
    const first = await at.start(100);
    const beside = await at.start(300);
    at.refuse(first);
    await at.rest();
    at.refuse(beside);
    const [, machines] = await at.levels();
    assert.ok(machines.level < 0.001, `${machines.level}`);
  });

  law('what went before the cloud said how much is left is not given back', async (at) => {
    const one = await at.launch(100);
    at.tell(500);
    await at.rest();
    at.refuse(one);
    const [, machines] = await at.levels();
    assert.ok(Math.abs(machines.level - 0.5) < 0.001, `${machines.level}`);
  });
}

function lawsOfTheBudget(law: Law): void {
  law('a refusal that is heard late gives back no more than the rate limit did not gain since', async (at) => {
    const late = await at.spend(quick, 40);
    await at.rest(600);
    await at.spend(quick, 50);
    at.refuse(late);
    const [rateLimit] = await at.levelsOf(late);
    assert.ok(rateLimit.level < 0.4, `${rateLimit.level}`);
  });

  law('with all that was given back no more goes well than the budget has', async (at) => {
    const refused = [await at.spend(calm, 20), await at.spend(calm, 20)];
    const accepted = [await at.spend(calm, 10)];
    for (const one of refused) at.refuse(one);
    for (let i = 0; i < 5; i++) {
      const one = await at.spend(calm, 10, 300).catch(() => undefined);
      if (one) accepted.push(one);
    }
    assert.ok(accepted.length >= 4, `${accepted.length}`);
    const least = leastLeft(accepted, 50, 0.001);
    assert.ok(least > -1, `${least}`);
  });
}

interface Spent {
  readonly costs: readonly Cost[];
  readonly sentAt: number;
}

interface Seat {
  /** Takes a request and so many machines. */
  launch(machines: number): Promise<Spent>;
  /** Takes from the rate limit of machines alone. */
  start(machines: number): Promise<Spent>;
  /** Rejects where it has to wait for longer. */
  spend(budget: Budget, amount: number, forMs?: number): Promise<Spent>;
  refuse(spent: Spent): void;
  tell(machinesLeft: number): void;
  rest(ms?: number): Promise<void>;
  levels(): Promise<readonly [RateLimitLevel, RateLimitLevel]>;
  levelsOf(spent: Spent): Promise<readonly [RateLimitLevel]>;
}

function seatAt({ limiter, sleep, rateLimit }: Bench): Seat {
  const [calls, machines, other] = [rateLimit(), rateLimit(), rateLimit()];
  const take = async (costs: readonly Cost[], signal = never): Promise<Spent> => {
    const sentAt = await limiter.take({ costs, rank: 'writes', share: 'shop' }, signal);
    return { costs, sentAt };
  };
  const takeWithin = (costs: readonly Cost[], ms: number): Promise<Spent> => {
    const enough = new AbortController();
    void sleep(ms).then(() => enough.abort(new Error('enough')));
    return take(costs, enough.signal);
  };
  const level = async (wanted: string | undefined): Promise<RateLimitLevel> => {
    const found = (await limiter.rateLimits()).find(({ key }) => key === wanted);
    return found ?? { key: wanted ?? '', level: 1 };
  };
  const ofMachines = (amount: number): Cost => ({ rateLimit: { key: machines, budget: things }, amount });
  return {
    launch: (amount) => take([{ rateLimit: { key: calls, budget: requests }, amount: 1 }, ofMachines(amount)]),
    start: (amount) => take([ofMachines(amount)]),
    spend: (budget, amount, forMs) => {
      const costs = [{ rateLimit: { key: other, budget }, amount }];
      return forMs === undefined ? take(costs) : takeWithin(costs, forMs);
    },
    refuse: ({ costs, sentAt }) => {
      for (const { rateLimit: of, amount } of costs) limiter.slow(of.key, { sentAt, retryAfterMs: 0, amount });
    },
    tell: (left) => limiter.learn(machines, left),
    rest: (ms = 20) => sleep(ms),
    levels: async () => [await level(calls), await level(machines)],
    levelsOf: async ({ costs }) => [await level(costs[0]?.rateLimit.key)],
  };
}

/** The lower bound of a bucket that was full at first and lost only successful requests. */
function leastLeft(spent: readonly Spent[], capacity: number, perMs: number): number {
  let [left, least, last] = [capacity, capacity, 0];
  for (const { sentAt, costs } of spent.toSorted((a, b) => a.sentAt - b.sentAt)) {
    left = Math.min(capacity, left + (last === 0 ? 0 : sentAt - last) * perMs) - (costs[0]?.amount ?? 0);
    last = sentAt;
    least = Math.min(least, left);
  }
  return least;
}
