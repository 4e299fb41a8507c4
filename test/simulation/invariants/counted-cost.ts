import { type Invariant, unique } from './invariant.ts';

/** The cost of a scope counts each machine that the store knows, whatever an observation misses. */
export const countedCost: Invariant = {
  number: 16,
  name: 'the counted cost is of all machines',
  broken: ({ costs }) =>
    unique(
      costs.flatMap(({ counted, machines }) =>
        counted < machines ? [`${machines} machines stand, and ${counted} are counted`] : [],
      ),
    ),
};
