import type { Action } from '../action.ts';
import { type BatchLimits, pack } from '../pack.ts';

/** Requests that these take, at least. What is only forgotten takes none. */
export const predictedCalls = (ordered: readonly Action[], limits: BatchLimits = {}): number =>
  pack(ordered, limits).filter(({ verb }) => verb !== 'forget').length;
