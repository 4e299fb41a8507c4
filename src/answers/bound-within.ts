import { seesAll } from '../core/access/grant.ts';
import type { PlanBound } from '../core/render/plan-json.ts';
import type { EstateAsked } from '../ports/answers.ts';

/**
 * What a plan is of, for who asks. To whoever does not see all of the estate it says neither how many words and writes there have
 * been, nor whose specs are held back and why: only that some are, and since when.
 */
export function boundWithin(bound: PlanBound, { estate, seen }: Pick<EstateAsked, 'estate' | 'seen'>): PlanBound {
  if (seesAll(seen, estate)) return bound;
  const { serial: _, sources, ...rest } = bound;
  return { ...rest, ...(sources && { sources: sources.map(({ state, since }) => ({ state, since })) }) };
}
