import { join } from 'node:path';
import type { ScopePlan } from '../core/action.ts';
import type { CompiledScope } from '../core/compile/compile.ts';
import { type Bounds, planByScope } from '../core/plan/estate.ts';
import type { Choices, PlanInput } from '../core/plan/plan-input.ts';
import type { PlanBound } from '../core/render/plan-json.ts';
import type { InForce } from '../estate/active-spec.ts';
import type { SourceState } from '../ports/sources.ts';
import type { Store } from '../ports/store.ts';
import type { Estate } from './estate.ts';
import { inTurns } from './in-turns.ts';

/** One scope, and all that a plan of it needs. */
export interface Viewed {
  readonly scope: CompiledScope;
  readonly input: PlanInput;
}

/** An estate looked at and planned. */
export interface Survey<V extends Viewed = Viewed> {
  readonly estate: Estate;
  readonly store: Store | undefined;
  readonly looked: readonly V[];
  /** One for each scope looked at, in the same order. */
  readonly plans: readonly ScopePlan[];
  readonly bound: PlanBound;
  readonly bounds: Bounds;
}

/** Plans what was seen, by the choices of the survey unless others are given. Leases are renewed meanwhile. */
export async function planAgain(
  { estate, looked, bounds }: Pick<Survey, 'estate' | 'looked' | 'bounds'>,
  choicesOf: (input: PlanInput) => Choices = ({ choices = {} }) => choices,
): Promise<readonly ScopePlan[]> {
  const inputs = looked.map(({ input }) => ({ ...input, choices: choicesOf(input) }));
  const plans = await inTurns(planByScope(inputs, bounds));
  return plans.map((plan) => namedFromHere(plan, estate.dir));
}

/** Documents by the path that a person sees from where the question was asked. */
export function namedFromHere(plan: ScopePlan, dir: string): ScopePlan {
  const actions = plan.actions.map((action) => ({
    ...action,
    documents: action.documents.map((document) =>
      document.file === '' ? document : { ...document, file: join(dir, document.file) },
    ),
  }));
  return { ...plan, actions };
}

/** What a plan is of. `held`: the sources whose newest state is not in force. */
export const boundOf = (estate: Estate, force: InForce, held: readonly SourceState[]): PlanBound => ({
  estate: estate.name,
  revision: estate.tree.revision,
  ...(force.generation === undefined ? {} : { generation: force.generation }),
  ...(force.serial === undefined ? {} : { serial: force.serial }),
  ...(held.length === 0 ? {} : { sources: held }),
});
