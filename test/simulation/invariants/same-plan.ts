import { type Invariant, unique } from './invariant.ts';

/** Same inputs, in any order: byte-identical plan. */
export const samePlan: Invariant = {
  number: 12,
  name: 'same inputs, same plan',
  broken: ({ plans }) =>
    unique(
      plans.flatMap(([one, other]) => (one === other ? [] : [`${one.slice(0, 300)}… is not ${other.slice(0, 300)}…`])),
    ),
};
