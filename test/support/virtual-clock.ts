import type { Clock } from '../../src/ports/clock-and-log.ts';

/** Time that stands still until somebody moves it. One thread of virtual time, shared by all who hold the clock. */
export interface VirtualClock extends Clock {
  /** Moves on by `ms`, waking sleepers in the order of their times, each before the next; what they do meanwhile is done. */
  advance(ms: number): Promise<void>;
  /**
   * Runs `work` to its end: whenever everybody is asleep, time jumps to the next one who wakes. Rejects with `Stuck`
   * when nobody sleeps, nothing moves, and the work has not ended. For code that waits for this clock and nothing else.
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** The number of current sleepers. */
  sleepers(): number;
}

/** Nobody is left to wake up. */
export class Stuck extends Error {
  constructor(now: number) {
    super(`all wait and nobody sleeps, at ${new Date(now).toISOString()}: something awaits what never comes`);
    this.name = 'Stuck';
  }
}

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** Starts at `start`, ms since the epoch; the default is a round date, so that times in failing tests are easy to read. */
export function virtualClock(start: number = Date.UTC(2026, 0, 1)): VirtualClock {
  let time = start;
  let driven = false;
  const asleep = new Set<Sleeper>();

  /** The earliest; among equals the one who lay down first. */
  const next = (): Sleeper | undefined => {
    let first: Sleeper | undefined;
    for (const sleeper of asleep) if (!first || sleeper.until < first.until) first = sleeper;
    return first;
  };

  const wake = (sleeper: Sleeper): void => {
    asleep.delete(sleeper);
    time = Math.max(time, sleeper.until);
    sleeper.wake();
  };

  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const giveUp = (): void => {
        asleep.delete(sleeper);
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        until: time + Math.max(0, ms),
        wake: () => {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      asleep.add(sleeper);
    });

  const advance = async (ms: number): Promise<void> => {
    if (!(ms >= 0)) throw new RangeError(`a clock only goes forward, not by ${ms} ms`);
    const end = time + ms;
    await settle();
    for (let sleeper = next(); sleeper && sleeper.until <= end; sleeper = next()) {
      wake(sleeper);
      await settle();
    }
    time = Math.max(time, end);
  };

  const drive = async (ended: () => boolean): Promise<void> => {
    for (let idle = 0; idle < PATIENCE; ) {
      await settle();
      if (ended()) return;
      const sleeper = next();
      if (sleeper) wake(sleeper);
      idle = sleeper ? 0 : idle + 1;
    }
    throw new Stuck(time);
  };

  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (driven) return work();
    driven = true;
    let ended = false;
    const result = work().finally(() => {
      ended = true;
    });
    try {
      return await Promise.race([result, drive(() => ended).then(() => result)]);
    } finally {
      driven = false;
    }
  };

  return { now: () => time, sleep, advance, run, sleepers: () => asleep.size };
}

/** Turns of the event loop without a sleeper before a run is called stuck. */
const PATIENCE = 100;

/** Lets everything that can run, run: promises, and rounds of `setImmediate`, which long work gives the loop between its steps. */
async function settle(): Promise<void> {
  for (let round = 0; round < 10; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
