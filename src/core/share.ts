import type { Limits } from './guards.ts';

/** Below this many resources a share says nothing: one of nine would be 11%. */
const shareFrom = 20;

/** 0.29 × 100 is 28.999999999999996 in binary. */
const rounding = 1e-9;

/** How many of `owned` resources the share lets go; undefined where it does not bind. */
export const shareBound = ({ share }: Limits, owned: number): number | undefined =>
  share === undefined || owned < shareFrom ? undefined : Math.floor(share * owned + rounding);
