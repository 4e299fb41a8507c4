import { type Budget, usedOf } from '../limits.ts';
import type { Tally } from './tally.ts';

/**
 * What has run of each budget, by the count that is further on: each of the two is held against the limits by itself. An approval
 * keeps it, so that the places that were taken before it are no part of those that it lets pass.
 */
export function ranBefore({ generation, healing }: Tally) {
  const ran = (budget: Budget): number => Math.max(usedOf(generation, budget), usedOf(healing, budget));
  return { ran: ran('deletes'), ranBeside: { creates: ran('creates'), closures: ran('closures') } };
}
