import type { Budget } from '../ports/actuator.ts';

/** How much of a budget is used, and from when on. */
export interface LaneOptions {
  /** The fraction of the budget left to other users of the account, in [0,1); default 0. */
  readonly reserve?: number;
  /** By how much one request may reach the cloud later after its grant than another, ms; default 0. */
  readonly lateMs?: number;
  /** As if all of it had been spent just now; default false. */
  readonly empty?: boolean;
}

/**
 * What we use of a budget. Grants reach the cloud a little later, and not all by as much, so that more of them may come
 * together than went: a bucket holds back what it gains in that time (at most half of it), and what was spent in a window
 * comes back by so much later. `reserved`: what of the cloud's own count is for others. `counts`: as in a budget.
 */
export interface Shape {
  readonly capacity: number;
  /** What a bucket gains; 0 for a window. */
  readonly perMs: number;
  /** How long what was spent in a window counts; absent for a bucket. */
  readonly windowMs?: number;
  readonly reserved: number;
  readonly counts?: 'resources';
}

export function shapeOf(budget: Budget, { reserve = 0, lateMs = 0 }: LaneOptions): Shape {
  switch (budget.shape) {
    case 'bucket': {
      const perMs = (budget.perSecond * (1 - reserve)) / 1000;
      const ours = budget.capacity * (1 - reserve);
      const capacity = Math.max(1, ours - Math.min(perMs * lateMs, ours / 2));
      const { counts } = budget;
      return { capacity, perMs, reserved: budget.capacity * reserve, ...(counts === undefined ? {} : { counts }) };
    }
    case 'window': {
      const capacity = Math.max(1, Math.floor(budget.calls * (1 - reserve)));
      return { capacity, perMs: 0, windowMs: budget.windowMs + lateMs, reserved: budget.calls * reserve };
    }
  }
}
