import type { ScopePlan } from '../../src/core/action.ts';
import { plan } from '../../src/core/plan/plan.ts';
import type { PlanInput } from '../../src/core/plan/plan-input.ts';
import type { Draw } from './draw.ts';

/** The plan, and the same made from its input in another order: both as text. */
export function twice(input: PlanInput, made: ScopePlan, draw: Draw): readonly [string, string] {
  const { wanted, observation, knowledge } = input;
  const shuffled: PlanInput = {
    ...input,
    wanted: { ...wanted, desired: shuffle(wanted.desired, draw) },
    observation: { ...observation, resources: shuffle(observation.resources, draw) },
    knowledge: {
      ...knowledge,
      settled: new Map(shuffle([...knowledge.settled], draw)),
      ...(knowledge.tombstones && { tombstones: new Map([...knowledge.tombstones].toReversed()) }),
    },
  };
  return [JSON.stringify(made), JSON.stringify(plan(shuffled))];
}

function shuffle<T>(items: readonly T[], draw: Draw): readonly T[] {
  return items
    .map((item) => ({ item, at: draw.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
