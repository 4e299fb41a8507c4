import type { Invariant } from './invariant.ts';
import { makersOf } from './ownership.ts';

/**
 * After quiescence at most one live object per address, parts counted; what people copied is not ours. The parts of a
 * network that nobody wants any more, and that people still use, are left as they are until it may go.
 */
export const noDuplicate: Invariant = {
  number: 1,
  name: 'no duplicate',
  broken: (trace) => {
    const makers = makersOf(trace);
    const wanted = new Set(trace.end.desired.map(({ address }) => address));
    const ours = trace.cloud.inspect
      .live()
      .filter(
        ({ id, mark, part }) => mark && makers.get(id) !== 'outside' && (!part || wanted.has(mark.address ?? '')),
      );
    const byAddress = Map.groupBy(ours, ({ type, part, mark }) => `${part ?? type} of ${mark?.address}`);
    return [...byAddress].flatMap(([what, objects]) =>
      objects.length > 1 ? [`${what}: ${objects.map(({ id }) => id).join(', ')}`] : [],
    );
  },
};
