import { inProcessLimiter } from '../src/engine/limiter.ts';
import type { Clock } from '../src/ports/clock-and-log.ts';
import type { Budget, Cost, Need } from '../src/ports/limiter.ts';
import type { Figure } from './figure.ts';
import { costsOf, exponentOf } from './growth.ts';

const bucket: Budget = { shape: 'bucket', capacity: 5, perSecond: 2, source: 'a bench' };
/** One request at once; the next after 1 to 97 s. */
const small = (i: number): Budget => ({ ...bucket, capacity: 1, perSecond: 1 / (1 + (i % 97)) });
const plenty: Budget = { shape: 'bucket', capacity: 100_000, perSecond: 10, source: 'a bench' };
const window: Budget = { shape: 'window', calls: 2, windowMs: 60_000, source: 'a bench' };

const cost = (key: string, budget: Budget): Cost => ({ rateLimit: { key, budget }, amount: 1 });
const need = (share: string, ...costs: readonly Cost[]): Need => ({ costs, rank: 'writes', share });

/** The request that row number `i` makes, again and again. */
export const shapes: Readonly<Record<string, (i: number) => Need>> = {
  'a rate limit each': (i) => need('shop', cost(`own ${i}`, small(i))),
  'one rate limit, an estate each': (i) => need(`estate ${i}`, cost('shared', bucket)),
  'one window, an estate each': (i) => need(`estate ${i}`, cost('shared', window)),
  'one for all, spent, and one each': (i) => need('shop', cost('shared', bucket), cost(`own ${i}`, small(i))),
  'one for all, plentiful, and one each, spent': (i) =>
    need('shop', cost('shared', plenty), cost(`own ${i}`, small(i))),
};

const sizes = [100, 200, 400, 800, 1600, 3200, 6400, 12_800];

/**
 * The growth of the in-process limiter's cost with its waiting rows. Each row asks four times at once. Then time goes on, in
 * which 100 requests are admitted. Then all of them give up. The figure is that of the shape that grows fastest.
 */
export async function growthLimiter(measured = sizes, rounds = 3): Promise<readonly Figure[]> {
  const exponents: number[] = [];
  for (const [name, needOf] of Object.entries(shapes)) {
    const costs = await costsOf(measured, rounds, (rows) => fill(rows, needOf));
    exponents.push(exponentOf(costs));
    const all = costs.map(({ size, cost: ms }) => `${size}: ${ms.toFixed(1)} ms`).join(', ');
    console.error(`growth-limiter: ${name}: exponent ${exponents.at(-1)?.toFixed(2)}; ${all}`);
  }
  return [{ name: 'growth-limiter', value: Math.round(Math.max(...exponents) * 100) / 100, unit: 'exponent' }];
}

/** Four requests of each row, 100 rings of the clock, and the end of all that wait. */
export async function fill(rows: number, needOf: (i: number) => Need) {
  const clock = handClock();
  const limiter = inProcessLimiter({ clock });
  const stop = new AbortController();
  const requests: Promise<number>[] = [];
  for (let i = 0; i < rows; i++) for (let n = 0; n < 4; n++) requests.push(limiter.take(needOf(i), stop.signal));
  for (let n = 0; n < 100; n++) await clock.ring();
  stop.abort(new Error('the bench is over'));
  const ends = await Promise.allSettled(requests);
  return { asked: ends.length, taken: ends.filter(({ status }) => status === 'fulfilled').length };
}

/** A clock that its owner moves to the next alarm: no timer of it costs anything. */
function handClock(): Clock & { ring(): Promise<void> } {
  let time = 0;
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  return {
    now: () => time,
    sleep: (ms, signal) =>
      new Promise((wake) => {
        const sleeper = { until: time + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => sleepers.delete(sleeper), { once: true });
      }),
    ring: async () => {
      const [first] = [...sleepers].toSorted((one, other) => one.until - other.until);
      if (first === undefined) return;
      sleepers.delete(first);
      time = Math.max(time, first.until);
      first.wake();
      // why: whoever slept goes on in a later turn of the promises
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
