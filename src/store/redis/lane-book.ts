import { type RateLimitOptions, usableBudgetOf } from '../../engine/rate-limit.ts';
import type { Budget, Cost } from '../../ports/actuator.ts';
import type { LaneNow, NamedShape } from './lanes.ts';

/** The lanes that this worker took from, and what Redis said last is left in each. */
export interface LaneBook {
  shapesOf(costs: readonly Cost[]): readonly NamedShape[];
  /** Undefined for one that was never taken from. */
  find(laneKey: string): NamedShape | undefined;
  all(): readonly NamedShape[];
  note(lanes: readonly NamedShape[], now: readonly LaneNow[]): void;
  /** What of the cloud's `remaining` is ours, where that is less than we believe; it is believed from now on. */
  lowered(laneKey: string, remaining: number): number | undefined;
}

/** `isKept`: the database keeps the lane too. */
export function laneBook(budgets: RateLimitOptions, isKept: (budget: Budget) => boolean): LaneBook {
  const known = new Map<string, NamedShape>();
  const believed = new Map<string, number>();
  return {
    shapesOf: (costs) =>
      costs.map(({ lane: { key, budget } }) => {
        const shape = known.get(key) ?? {
          key,
          shape: usableBudgetOf(budget, budgets),
          ...(isKept(budget) && { kept: true }),
        };
        known.set(key, shape);
        return shape;
      }),
    find: (laneKey) => known.get(laneKey),
    all: () => [...known.values()],
    note: (lanes, now) => {
      for (const [i, { key }] of lanes.entries()) believed.set(key, now[i]?.left ?? 0);
    },
    lowered: (laneKey, remaining) => {
      const ours = Math.max(0, remaining - (known.get(laneKey)?.shape.reserved ?? 0));
      if (ours >= (believed.get(laneKey) ?? 0)) return undefined;
      believed.set(laneKey, ours);
      return ours;
    },
  };
}
