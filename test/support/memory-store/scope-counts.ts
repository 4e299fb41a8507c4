import { fieldOf, noCount, plus, sorts } from '../../../src/core/limits.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import type { ScopeCount, ScopeCounts } from '../../../src/ports/fleet-state.ts';
import { estateOf, type Memory } from './memory.ts';

export function memoryScopeCounts(memory: Memory, clock: Clock): ScopeCounts {
  const countIn = (estate: string, scope: string, generation: number): ScopeCount | undefined => {
    const { scopeCounts, countEpoch } = estateOf(memory, estate);
    const kept = scopeCounts.get(scope);
    const stands = kept?.generation === generation && kept.epoch === countEpoch;
    return stands && (kept.until === undefined || kept.until > clock.now()) ? kept : undefined;
  };
  return {
    epoch: async (estate) => estateOf(memory, estate).countEpoch,
    keep: async ({ estate, scope }, count) => void estateOf(memory, estate).scopeCounts.set(scope, count),
    fill: async ({ estate, scope }, count) => {
      if (countIn(estate, scope, count.generation) === undefined)
        estateOf(memory, estate).scopeCounts.set(scope, count);
    },
    others: async ({ estate, scope }, { generation }) => {
      const looked = [...estateOf(memory, estate).scopes].flatMap(([key, { looked: look }]) =>
        look === undefined || key === scope ? [] : [key],
      );
      const counted = looked.map((key) => countIn(estate, key, generation));
      const all = counted.flatMap((one) => one?.count ?? []);
      return {
        count: sorts.reduce(
          (sum, sort) =>
            plus(
              sum,
              sort,
              all.reduce((total, one) => total + one[fieldOf[sort]], 0),
            ),
          noCount,
        ),
        uncounted: looked.filter((_, at) => counted[at] === undefined).sort(),
      };
    },
  };
}
