import type { Bounds } from './grant.ts';
import { reaches } from './reaches.ts';

/** Which of these estates one or another of the bounds reaches. */
export const reached = (within: readonly Bounds[], estates: readonly string[]): readonly string[] =>
  estates.filter((name) => within.some((bounds) => reaches(bounds, name)));
