import type { Clock } from '../../ports/clock.ts';
import { collecting } from '../limits.ts';

/** Puts together what comes for one key within a moment, so that a thousand events are one piece of work. */
export interface Collector<T> {
  add(key: string, items: readonly T[]): void;
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
  lastAt: number;
}

const tries = 5;
const restMs = 1_000;

/** One delivery of a key at a time: what comes meanwhile waits for the next. */
export function collector<T>(
  { deliver, lost, clock }: Delivering<T>,
  { quietMs, mostMs, most } = collecting,
): Collector<T> {
  const lots = new Map<string, Lot<T>>();
  const running = new Set<Promise<void>>();
  const closing = new AbortController();

  const settled = async (lot: Lot<T>): Promise<void> => {
    while (!closing.signal.aborted && lot.items.length < most) {
      const wait = Math.min(lot.lastAt + quietMs, lot.firstAt + mostMs) - clock.now();
      if (wait <= 0) return;
      await clock.sleep(wait, closing.signal).catch(() => {});
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
      await settled(lot);
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
      const lot = lots.get(key) ?? { items: [], firstAt: now, lastAt: now };
      if (lot.items.length === 0) lot.firstAt = now;
      lot.lastAt = now;
      lot.items.push(...items);
      if (lots.has(key)) return;
      lots.set(key, lot);
      const work = run(key, lot);
      running.add(work);
      void work.finally(() => running.delete(work));
    },
    close: async () => {
      closing.abort();
      await Promise.all(running);
    },
  };
}
