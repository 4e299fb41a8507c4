import { load } from '../load.ts';
import type { Invariant } from './invariant.ts';

/** Every run had something to go by: an empty or unreadable tree is refused, so it never becomes one that wants nothing. */
export const emptyTree: Invariant = {
  number: 11,
  name: 'an empty tree deletes nothing',
  broken: ({ runs }) => [
    ...(load('') === undefined ? [] : ['an empty tree was accepted']),
    ...(load('kind: Estate\n  broken: [') === undefined ? [] : ['an unreadable tree was accepted']),
    ...runs.flatMap(({ name, generation }) => (generation >= 1 ? [] : [`${name} ran without an accepted revision`])),
  ],
};
