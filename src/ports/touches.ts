import type { CloudId } from '../core/resource.ts';
import type { HeardTouch, Touch } from '../core/touch.ts';
import type { Where } from './queue.ts';

/** What clouds told of changes, believed because of who sent it. Kept for 90 days. */
export interface Touches {
  /**
   * False: this delivery was taken before, and nothing is done. `hook` and `id`: whose delivery it is; ids are kept for as
   * long as a sender may repeat them.
   */
  first(estate: string, delivery: { readonly hook: string; readonly id: string }): Promise<boolean>;
  /**
   * Returns those that are not of our own calls, as the ledger knows them, and keeps who touched each object last. One that calls
   * itself ours (core/touch.ts) is returned, and names nobody. An event that comes before its call is settled is returned, too.
   */
  keep(estate: string, touches: readonly Touch[]): Promise<readonly Touch[]>;
  /** Who touched each object of a scope last: nobody where that was a call of our own. */
  newest(where: Where): Promise<ReadonlyMap<CloudId, HeardTouch>>;
}
