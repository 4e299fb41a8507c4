import type { Action, ScopePlan } from '../action.ts';
import type { Limits } from '../guards.ts';
import { shareBound } from '../share.ts';
import { unlessApproved } from './approve.ts';
import { plan } from './plan.ts';
import type { Choices, PlanInput, Policy } from './plan-input.ts';
import { hasRollouts } from './rollout-subject.ts';
import { type Count, type Tally, tally } from './tally.ts';
import { totalOf } from './total.ts';

/** What bounds an estate, and what it has used of it. */
export interface Bounds {
  readonly limits: Limits;
  /** Deletes and replaces of this generation so far, and of healing in the last 24 h. */
  readonly spent: Tally;
  /** What this generation would still delete and replace in scopes that are not planned with these. */
  readonly elsewhere?: Count;
  /** Resources that we own, over all scopes. */
  readonly owned: number;
  /** A person lets so many deletes and replaces pass, whatever the limits. */
  readonly allowDeletes?: number;
}

/**
 * Plans every scope of an estate, and withholds deletes and replaces where they would go over a limit: they count over
 * all scopes, so one scope alone cannot tell, and later waves count too. All of that sort wait, not only those beyond the
 * limit; the rest goes on.
 */
export function planEstate(inputs: readonly PlanInput[], bounds: Bounds): readonly ScopePlan[] {
  const steps = planByScope(inputs, bounds);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same, a scope at a time: whoever has other work does it in between. */
export function* planByScope(
  inputs: readonly PlanInput[],
  bounds: Bounds,
): Generator<undefined, readonly ScopePlan[], undefined> {
  const inAll = yield* each(inputs, (input) => ({ ...input.choices, atOnce: true }));
  const planned = tally(inAll.flatMap(({ actions }) => actions));
  const policies = (['generation', 'healing'] as const).flatMap((by) => overLimit(by, planned, bounds) ?? []);
  if (policies.length === 0 && !inputs.some(({ wanted }) => hasRollouts(wanted))) return inAll;
  return yield* each(inputs, ({ choices = {} }) => bounded(choices, policies));
}

function* each(
  inputs: readonly PlanInput[],
  choicesOf: (input: PlanInput) => Choices,
): Generator<undefined, readonly ScopePlan[], undefined> {
  const plans: ScopePlan[] = [];
  for (const input of inputs) {
    plans.push(plan({ ...input, choices: choicesOf(input) }));
    yield;
  }
  return plans;
}

/** What was approved counts like all else, and passes. */
const bounded = (choices: Choices, limits: readonly Policy[]): Choices => ({
  ...choices,
  policies: [...(choices.policies ?? []), ...limits.map((limit) => unlessApproved(limit, choices.approved))],
});

function overLimit(
  by: keyof Tally,
  planned: Tally,
  { limits, spent, owned, allowDeletes = 0, elsewhere = nothing }: Bounds,
): Policy | undefined {
  const others = by === 'generation' ? elsewhere : nothing;
  const deletes = planned[by].deletes + spent[by].deletes + others.deletes;
  const replaces = planned[by].replaces + spent[by].replaces + others.replaces;
  const all = deletes + replaces;
  if (all <= allowDeletes) return undefined;
  const share = shareBound(limits, owned) ?? Number.POSITIVE_INFINITY;
  const over = [
    ...(deletes > limits.deletes ? [`${deletes} deletes, the limit is ${limits.deletes}`] : []),
    ...(replaces > limits.replaces ? [`${replaces} replaces, the limit is ${limits.replaces}`] : []),
    ...(all > share ? [`${all} of ${owned} resources, the limit is ${share}`] : []),
  ];
  if (over.length === 0 || totalOf(planned[by]) === 0) return undefined;
  const whose = by === 'generation' ? 'this generation' : 'healing in the last 24 h';
  const ran = `${totalOf(spent[by])} already made${totalOf(others) > 0 ? `, ${totalOf(others)} in other scopes` : ''}`;
  const why = `${whose} would make ${over.join('; ')} (${ran}). Let it pass with --allow-deletes ${all}, or with: setpoint approve`;
  return (action) => (countsFor(action, by) ? { code: 'limit', why } : undefined);
}

const nothing: Count = { deletes: 0, replaces: 0 };

const countsFor = (action: Action, by: keyof Tally): boolean => totalOf(tally([action])[by]) > 0;
