import type { Bounds } from './grant.ts';

/** Whether any of an estate lies within the bounds: those without estates reach all. How far within it, `covers` tells. */
export const reaches = ({ estates }: Bounds, estate: string): boolean => estates?.includes(estate) ?? true;
