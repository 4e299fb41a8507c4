import type { Clock } from '../../ports/clock-and-log.ts';
import { collecting } from '../limits.ts';

/** Puts together what comes for one key within a moment, so that a thousand events are one piece of work. */
export interface Collector<T> {
  add(key: string, items: readonly T[]): void;
  /** More may come for this key, and be added, until what is returned is called: nothing is still until then. */
  expect(key: string): () => void;
  /** What has been collected is delivered, and nothing more is taken. */
  close(): Promise<void>;
}

export interface Delivering<T> {
  readonly deliver: (key: string, items: readonly T[]) => Promise<void>;
  /** Told of what could not be delivered and is given up. */
  readonly lost: (key: string, count: number, error: unknown) => void;
  readonly clock: Clock;
}

interface Lot<T> {
  items: T[];
  firstAt: number;
}

const tries = 5;
const restMs = 1_000;

/** One delivery of a key at a time: what comes meanwhile waits for the next. */
export function collector<T>(
  { deliver, lost, clock }: Delivering<T>,
  { quietMs, mostMs, most } = collecting,
): Collector<T> {
  const lots = new Map<string, Lot<T>>();
  const expected = new Map<string, number>();
  const running = new Set<Promise<void>>();
  const closing = new AbortController();

  const settled = async (key: string, lot: Lot<T>): Promise<void> => {
    // why: two looks. After a stall of this process one alone would come before what waits to be read
    for (let still = 0; still < 2 && !closing.signal.aborted && lot.items.length < most; ) {
      const left = lot.firstAt + mostMs - clock.now();
      if (left <= 0) return;
      const before = lot.items.length;
      await clock.sleep(Math.min(left, quietMs / 2), closing.signal).catch(() => {});
      still = lot.items.length > before || expected.has(key) ? 0 : still + 1;
    }
  };

  const send = async (key: string, items: readonly T[]): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await deliver(key, items);
        return;
      } catch (error) {
        if (attempt === tries || closing.signal.aborted) {
          lost(key, items.length, error);
          return;
        }
        await clock.sleep(restMs, closing.signal).catch(() => {});
      }
    }
  };

  const run = async (key: string, lot: Lot<T>): Promise<void> => {
    while (lot.items.length > 0) {
      await settled(key, lot);
      const items = lot.items;
      lot.items = [];
      await send(key, items);
    }
    lots.delete(key);
  };

  return {
    add: (key, items) => {
      if (items.length === 0) return;
      const now = clock.now();
      const lot = lots.get(key) ?? { items: [], firstAt: now };
      if (lot.items.length === 0) lot.firstAt = now;
      lot.items.push(...items);
      if (lots.has(key)) return;
      lots.set(key, lot);
      const work = run(key, lot);
      running.add(work);
      void work.finally(() => running.delete(work));
    },
    expect: (key) => {
      expected.set(key, (expected.get(key) ?? 0) + 1);
      return () => {
        const left = (expected.get(key) ?? 0) - 1;
        if (left > 0) expected.set(key, left);
        else expected.delete(key);
      };
    },
    close: async () => {
      closing.abort();
      await Promise.all(running);
    },
  };
}
