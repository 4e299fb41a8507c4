import type { Invariant } from './invariant.ts';
import { makersOf } from './ownership.ts';

/** After quiescence at most one live object per address, parts counted; what people copied is not ours. */
export const noDuplicate: Invariant = {
  number: 1,
  name: 'no duplicate',
  broken: (trace) => {
    const makers = makersOf(trace);
    const ours = trace.cloud.inspect.live().filter(({ id, mark }) => mark && makers.get(id) !== 'outside');
    const byAddress = Map.groupBy(ours, ({ type, part, mark }) => `${part ?? type} of ${mark?.address}`);
    return [...byAddress].flatMap(([what, objects]) =>
      objects.length > 1 ? [`${what}: ${objects.map(({ id }) => id).join(', ')}`] : [],
    );
  },
};
