import type { Kind } from '../../src/core/resource.ts';
import type { Failpoint } from '../matrix/sides.ts';

/** Exactly where in its work a process is caught: at the first time that all of it holds. */
export interface Catch {
  readonly at: Failpoint;
  /** What is sent: a replacement is a deletion and then a creation. */
  readonly verb: 'create' | 'update' | 'delete';
  readonly kind: Kind;
  /** Within a batch: how many of its writes have been answered. */
  readonly answered: number;
  /** What is polled: an operation or a state `inside` the write, a machine's `state` after it, or the whole scope by a `look`. */
  readonly polled: 'inside' | 'state' | 'look';
  /** Which entry is appended. */
  readonly entry: 'intent' | 'settlement';
}
