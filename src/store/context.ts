import type { Head } from '../core/ledger/chain.ts';
import type { Clock } from '../ports/clock.ts';
import type { Database } from './tables.ts';

/** What every part of the store works with. */
export interface Context {
  readonly db: Database;
  /** For questions of people: reads only, and no statement takes longer than 5 s. */
  readonly reading: Database;
  readonly clock: Clock;
  /** The database's own id. */
  readonly store: string;
  /** Told after every commit that wrote to a chain. */
  readonly onWritten: (estate: string, head: Head) => Promise<void>;
}
