import type { Cloud } from '../../core/resource.ts';
import { messageOf } from '../../core/text.ts';
import type { Clock, Log } from '../../ports/clock-and-log.ts';
import { collectorTimes } from '../limits.ts';
import type { Delivery } from './adapter.ts';
import type { WebhookDependencies } from './webhook.ts';

/** Accepted deliveries on their way to the source or one cloud, by estate. */
interface Collectors {
  of(cloud: Cloud | undefined): Collector<Delivery>;
  close(): Promise<void>;
}

export interface ClockAndLog {
  readonly clock: Clock;
  readonly log: Log;
}

export function collectorsOf(dependencies: WebhookDependencies, { clock, log }: ClockAndLog): Collectors {
  const byCloud = new Map<Cloud | undefined, Collector<Delivery>>();
  const open = (cloud: Cloud | undefined): Collector<Delivery> =>
    collector<Delivery>({
      clock,
      deliver: async (estate, deliveries) => {
        if (cloud === undefined) return dependencies.repositoryMoved(estate);
        const events = deliveries.map(({ event }) => event);
        return dependencies.handleEvents(estate, cloud, events);
      },
      lost: (estate, count, error) => {
        const why = messageOf(error);
        const of = cloud ?? 'repositories';
        log.error('cannot pass on webhook deliveries; the next periodic reconcile finds the change', {
          estate,
          webhook: of,
          count,
          reason: why,
        });
      },
    });
  return {
    of: (cloud) => {
      const one = byCloud.get(cloud) ?? open(cloud);
      byCloud.set(cloud, one);
      return one;
    },
    close: async () => {
      await Promise.all([...byCloud.values()].map((one) => one.close()));
    },
  };
}

/** Puts together what comes for one key within a moment, so that a thousand events are one piece of work. */
interface Collector<T> {
  add(key: string, items: readonly T[]): void;
  /** More may come for this key, and be added, until what is returned is called: nothing is still until then. */
  expect(key: string): () => void;
  /** Delivers the collected events, and accepts nothing more. */
  close(): Promise<void>;
}

interface Delivering<T> {
  readonly deliver: (key: string, items: readonly T[]) => Promise<void>;
  /** Receives each delivery that failed and is given up. */
  readonly lost: (key: string, count: number, error: unknown) => void;
  readonly clock: Clock;
}

interface PendingItems<T> {
  items: T[];
  firstAt: number;
}

const maxAttempts = 5;
const retryMs = 1_000;

/** One delivery of a key at a time: later events wait for the next. */
export function collector<T>(
  { deliver, lost, clock }: Delivering<T>,
  { quietMs, mostMs, most } = collectorTimes,
): Collector<T> {
  const pending = new Map<string, PendingItems<T>>();
  const expected = new Map<string, number>();
  const running = new Set<Promise<void>>();
  const closing = new AbortController();

  const untilQuiet = async (key: string, waiting: PendingItems<T>): Promise<void> => {
    // why: two checks. After a stall of this process, one alone would come before the deliveries that wait to be read
    for (let still = 0; still < 2 && !closing.signal.aborted && waiting.items.length < most; ) {
      const left = waiting.firstAt + mostMs - clock.now();
      if (left <= 0) return;
      const before = waiting.items.length;
      await clock.sleep(Math.min(left, quietMs / 2), closing.signal).catch(() => {});
      still = waiting.items.length > before || expected.has(key) ? 0 : still + 1;
    }
  };

  const send = async (key: string, items: readonly T[]): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await deliver(key, items);
        return;
      } catch (error) {
        if (attempt === maxAttempts || closing.signal.aborted) {
          lost(key, items.length, error);
          return;
        }
        await clock.sleep(retryMs, closing.signal).catch(() => {});
      }
    }
  };

  const run = async (key: string, waiting: PendingItems<T>): Promise<void> => {
    while (waiting.items.length > 0) {
      await untilQuiet(key, waiting);
      const items = waiting.items;
      waiting.items = [];
      await send(key, items);
    }
    pending.delete(key);
  };

  return {
    add: (key, items) => {
      if (items.length === 0) return;
      const now = clock.now();
      const waiting = pending.get(key) ?? { items: [], firstAt: now };
      if (waiting.items.length === 0) waiting.firstAt = now;
      waiting.items.push(...items);
      if (pending.has(key)) return;
      pending.set(key, waiting);
      const work = run(key, waiting);
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
