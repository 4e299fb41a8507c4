import { type LaneOptions, shapeOf } from '../../engine/lane.ts';
import type { Cost } from '../../ports/actuator.ts';
import type { NamedShape } from './lanes.ts';

/** The lanes that this worker took from, and what Redis said last is left in each. */
export interface LaneBook {
  shapesOf(costs: readonly Cost[]): readonly NamedShape[];
  /** Undefined for one that was never taken from. */
  find(laneKey: string): NamedShape | undefined;
  noteLeft(lanes: readonly NamedShape[], left: readonly number[]): void;
  /** What of the cloud's `remaining` is ours, where that is less than we believe; it is believed from now on. */
  lowered(laneKey: string, remaining: number): number | undefined;
}

export function laneBook(budgets: LaneOptions): LaneBook {
  const known = new Map<string, NamedShape>();
  const believed = new Map<string, number>();
  return {
    shapesOf: (costs) =>
      costs.map(({ lane: { key, budget } }) => {
        const shape = known.get(key) ?? { key, shape: shapeOf(budget, budgets) };
        known.set(key, shape);
        return shape;
      }),
    find: (laneKey) => known.get(laneKey),
    noteLeft: (lanes, left) => {
      for (const [i, { key }] of lanes.entries()) believed.set(key, left[i] ?? 0);
    },
    lowered: (laneKey, remaining) => {
      const ours = Math.max(0, remaining - (known.get(laneKey)?.shape.reserved ?? 0));
      if (ours >= (believed.get(laneKey) ?? 0)) return undefined;
      believed.set(laneKey, ours);
      return ours;
    },
  };
}
