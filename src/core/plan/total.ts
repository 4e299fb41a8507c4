import type { Count, Tally } from './tally.ts';

export const totalOf = ({ deletes, replaces }: Count): number => deletes + replaces;

/** What has run by the count that is further on: each of the two is held against the limits by itself. */
export const ranOf = ({ generation, healing }: Tally): number => Math.max(totalOf(generation), totalOf(healing));
