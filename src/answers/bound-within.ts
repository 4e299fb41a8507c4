import { seesAll } from '../core/access/sees-all.ts';
import type { PlanBound } from '../core/render/plan-json.ts';
import type { EstateAsked } from '../ports/answers.ts';

/** What a plan is of, for who asks: how many words and writes there have been is told to who sees all of the estate. */
export function boundWithin(bound: PlanBound, { estate, seen }: Pick<EstateAsked, 'estate' | 'seen'>): PlanBound {
  if (seesAll(seen, estate)) return bound;
  const { serial: _, ...rest } = bound;
  return rest;
}
