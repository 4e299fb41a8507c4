import type { CloudId } from '../core/resource.ts';
import type { Touch, TouchedBy } from '../core/touch.ts';
import type { Where } from './queue.ts';

/** What clouds told of changes, believed because of who sent it. Kept for 90 days. */
export interface Touches {
  /**
   * False: this delivery was taken before, and nothing is done. `hook` and `id`: whose delivery it is; ids are kept for as
   * long as a sender may repeat them.
   */
  first(estate: string, delivery: { readonly hook: string; readonly id: string }): Promise<boolean>;
  /** Keeps those that are not of our own calls, as the ledger knows them; returns those. */
  keep(estate: string, touches: readonly Touch[]): Promise<readonly Touch[]>;
  /** Who touched each object of a scope last. */
  newest(where: Where): Promise<ReadonlyMap<CloudId, TouchedBy>>;
}
