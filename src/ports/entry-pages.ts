import type { Address } from '../core/resource.ts';
import type { LedgerEntry } from './ledger.ts';

/** The ledger of an estate as it is asked about, page by page. */
export interface EntryPages {
  page(query: EntryQuery): Promise<EntryPage>;
  /** How many entries there are; of one address, where one is named. */
  count(estate: string, address?: Address): Promise<number>;
}

export interface EntryQuery {
  readonly estate: string;
  readonly filter: EntryFilter;
  readonly newestFirst: boolean;
  readonly limit: number;
  /** The number of the entry after which to go on, in that order. */
  readonly after?: number;
}

/** All of them must fit. `person`: who approved it, or whose word it is. Times are ms since the epoch. */
export interface EntryFilter extends EntryMatch {
  readonly address?: Address;
  readonly types?: readonly LedgerEntry['type'][];
  readonly since?: number;
  readonly until?: number;
}

export interface EntryMatch {
  readonly verb?: string;
  readonly person?: string;
  readonly reconcileId?: string;
}

/** `next`: the number after which to go on; absent: there are no more. A page may hold fewer than asked for, and have a next. */
export interface EntryPage {
  readonly entries: readonly LedgerEntry[];
  readonly next?: number;
}
