import type { RawBuilder } from 'kysely';
import type { EstateCheckpoint, Head, Signature } from '../core/ledger/chain.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import type { Reconcile } from '../ports/ledger.ts';
import type { Database } from './tables.ts';

/** The parts of the store that all its modules work with. */
export interface Context extends Writing {
  readonly db: Database;
  /** For questions of people: reads only, and no statement takes longer than 5 s. */
  readonly reading: Database;
  readonly clock: Clock;
  /** The database's own id. */
  readonly store: string;
}

/** The parts that only writes to chains need. */
interface Writing {
  /** Connections for writes to chains: each answers soon, or is given up. */
  readonly writing: Database;
  readonly queue: WriterQueue;
  /** The database's clock, ms since the epoch, as an expression. */
  readonly storeNow: () => RawBuilder<number>;
  /** The time that this process still holds the lease of a reconcile, in ms; undefined where it never held it. */
  readonly leaseLeft: (reconcile: Reconcile) => number | undefined;
  readonly sealed: (end: Omit<EstateCheckpoint, keyof Signature>) => Promise<EstateCheckpoint>;
  /** Told after every commit that wrote to a chain. */
  readonly onWritten: (estate: string, head: Head) => Promise<void>;
}

/**
 * The one queue of a process for its writes to chains. Of the writes that need the same lock it lets one at a time ask the database: so a
 * process that is stopped holds a lock once, and not once for each connection that had been waiting for it.
 */
interface WriterQueue {
  /** Runs `work` when nothing runs or waits before it that has one of the same keys. */
  run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly keys: readonly string[];
  readonly start: () => Promise<void>;
}

/** `most`: so many side by side. */
export function writerQueue(most: number): WriterQueue {
  const busy = new Set<string>();
  let running = 0;
  let waiting: readonly Waiting[] = [];

  const startNext = (): void => {
    const passedOver = new Set<string>();
    const left: Waiting[] = [];
    for (const one of waiting) {
      const isFree = running < most && one.keys.every((key) => !busy.has(key) && !passedOver.has(key));
      if (isFree) begin(one);
      else {
        left.push(one);
        for (const key of one.keys) passedOver.add(key);
      }
    }
    waiting = left;
  };

  const begin = ({ keys, start }: Waiting): void => {
    running += 1;
    for (const key of keys) busy.add(key);
    void start().finally(() => {
      running -= 1;
      for (const key of keys) busy.delete(key);
      startNext();
    });
  };

  return {
    run: (keys, work) =>
      new Promise((resolve, reject) => {
        waiting = [...waiting, { keys, start: () => work().then(resolve, reject) }];
        startNext();
      }),
  };
}
