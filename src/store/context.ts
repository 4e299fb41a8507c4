import type { RawBuilder } from 'kysely';
import type { Head } from '../core/ledger/chain.ts';
import type { EstateCheckpoint, Signature } from '../core/ledger/checkpoint.ts';
import type { Clock } from '../ports/clock.ts';
import type { Pass } from '../ports/ledger.ts';
import type { Database } from './tables.ts';
import type { WriterQueue } from './writer-queue.ts';

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
  /** How long this process still holds the lease of a pass, in ms; undefined where it never held it. */
  readonly leaseLeft: (pass: Pass) => number | undefined;
  readonly sealed: (end: Omit<EstateCheckpoint, keyof Signature>) => Promise<EstateCheckpoint>;
  /** Told after every commit that wrote to a chain. */
  readonly onWritten: (estate: string, head: Head) => Promise<void>;
}
