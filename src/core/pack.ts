import type { Action } from './action.ts';
import type { Kind } from './resource.ts';

/** Most actions of one call, by kind and what is sent; what is not named goes singly. Data of each provider. */
export type BatchLimits = Readonly<Partial<Record<`${Kind}/${Sent}`, number>>>;

/** What is sent to a cloud: adoption is an update, a replacement is a delete and then a create. */
export type Sent = 'create' | 'update' | 'delete';

/** Actions that one call may carry. */
export interface Batch {
  readonly kind: Kind;
  readonly verb: Action['verb'];
  readonly actions: readonly Action[];
}
