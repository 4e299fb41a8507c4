import type { Clock } from '../../src/ports/clock-and-log.ts';

/** Time that only passes while nobody is busy, on a clock that is moved by hand. */
export interface VirtualTime {
  readonly clock: Clock;
  /** Somebody is at work and time stands still, until the answer is called. */
  busy(): () => void;
  /** Runs to the end of `work`: whenever nobody is busy and somebody sleeps, time jumps to the next one who wakes. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** The clock that is moved: a sandbox's, at rate 0. */
interface HandClock {
  now(): number;
  advance(ms: number): void;
}

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

export function virtualTime(hand: HandClock): VirtualTime {
  const asleep = new Set<Sleeper>();
  let working = 0;
  /** Waits until nobody is busy: of the loop of a run, and for some turns of the loop before it. */
  const resting = new Set<() => void>();

  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const giveUp = (): void => {
        asleep.delete(sleeper);
        reject(signal?.reason);
      };
      const wake = (): void => {
        asleep.delete(sleeper);
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const sleeper: Sleeper = { until: hand.now() + Math.max(0, ms), wake };
      signal?.addEventListener('abort', giveUp, { once: true });
      asleep.add(sleeper);
    });

  const busy = (): (() => void) => {
    let ended = false;
    working += 1;
    return () => {
      if (ended) return;
      ended = true;
      working -= 1;
      if (working > 0) return;
      for (const rested of resting) rested();
      resting.clear();
    };
  };

  const atRest = async (): Promise<void> => {
    await settle();
    while (working > 0) {
      await new Promise<void>((resolve) => void resting.add(resolve));
      await settle();
    }
  };

  const drive = async (ended: () => boolean): Promise<void> => {
    for (let idle = 0; idle < patience; ) {
      await atRest();
      if (ended()) return;
      const next = earliest(asleep);
      if (next) hand.advance(Math.max(0, next.until - hand.now()));
      next?.wake();
      idle = next ? 0 : idle + 1;
    }
    throw new Error(`all wait and nobody sleeps, at ${new Date(hand.now()).toISOString()}`);
  };

  return {
    clock: { now: () => hand.now(), sleep },
    busy,
    run: async (work) => {
      let over = false;
      const result = work().finally(() => {
        over = true;
      });
      return Promise.race([result, drive(() => over).then(() => result)]);
    },
  };
}

/** The one who wakes first; among equals the one who lay down first. */
function earliest(asleep: ReadonlySet<Sleeper>): Sleeper | undefined {
  let first: Sleeper | undefined;
  for (const sleeper of asleep) if (!first || sleeper.until < first.until) first = sleeper;
  return first;
}

/** Turns of the event loop with nobody asleep or busy before it is called a standstill: files are read, modules loaded. */
const patience = 2000;

/** Lets everything that can run, run. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
}
