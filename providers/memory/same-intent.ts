import type { Mark } from '../../src/core/observed.ts';

/** True if both were written for the same intent: then an earlier attempt of that create made the object. */
export const sameIntent = (found: Mark | undefined, mark: Mark): boolean =>
  found !== undefined &&
  found.estate === mark.estate &&
  found.store === mark.store &&
  found.address === mark.address &&
  found.intent === mark.intent;
