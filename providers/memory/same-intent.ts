import type { Mark } from '../../src/core/observed.ts';

/** Whether both were written for the same intent: then the object is what an earlier sending of that creation made. */
export const sameIntent = (found: Mark | undefined, mark: Mark): boolean =>
  found !== undefined &&
  found.estate === mark.estate &&
  found.store === mark.store &&
  found.address === mark.address &&
  found.intent === mark.intent;
