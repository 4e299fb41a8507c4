import type { Grant } from './grant.ts';

/** Which of these estates the grants reach: one without bounds on estates reaches all of them. */
export const reached = (grants: readonly Grant[], estates: readonly string[]): readonly string[] =>
  estates.filter((name) => grants.some((grant) => grant.estates?.includes(name) ?? true));
