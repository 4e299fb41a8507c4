import { type Bounds, covers } from './grant.ts';

/** Nothing stands between somebody and all of an estate. */
export const seesAll = (seen: readonly Bounds[], estate: string): boolean =>
  seen.some((bounds) => covers(bounds, { estate }));
