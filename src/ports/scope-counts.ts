import type { Count } from '../core/limits.ts';
import type { ScopeKey } from '../core/resource.ts';
import type { Where } from './queue.ts';

/**
 * How much of what limits bound a generation would still do in each scope. The transaction that takes a place in a scope lowers its
 * count, and the one that returns the place raises it, so that nothing is missing between the two. A count may be too high
 * where a worker is midway, and is never too low.
 */
export interface ScopeCounts {
  /** Read it before anything that a count rests on: a count of an earlier epoch is none. */
  epoch(estate: string): Promise<number>;
  /** By a look of the scope's own worker: it replaces whatever was there. */
  keep(where: Where, count: ScopeCount): Promise<void>;
  /** By another scope's worker, from the last look: it changes nothing where the scope has a count. */
  fill(where: Where, count: ScopeCount): Promise<void>;
  /** One query: the sum over all other scopes that were ever looked at, and those of them that have no count. */
  others(where: Where, asked: Pick<ScopeCount, 'generation'>): Promise<OtherScopes>;
}

export interface ScopeCount {
  readonly generation: number;
  readonly epoch: number;
  /** It is none from then on, ms since the epoch; absent: no pause ends by itself. */
  readonly until?: number;
  readonly count: Count;
}

export interface OtherScopes {
  readonly count: Count;
  readonly uncounted: readonly ScopeKey[];
}
