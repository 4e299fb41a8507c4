import type { Invariant } from './invariant.ts';

/** Every wait ends within a second of a stop. Not one of the design's numbers: the engine's own promise. */
export const promptStop: Invariant = {
  number: 0,
  name: 'a stop is prompt',
  broken: ({ runs }) =>
    runs.flatMap(({ name, stop }) =>
      stop && stop.ended - stop.at > 1000 ? [`${name} took ${stop.ended - stop.at} ms to stop`] : [],
    ),
};
