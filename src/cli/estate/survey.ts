import { join } from 'node:path';
import type { ScopePlan } from '../../core/action.ts';
import { type Bounds, planEstate } from '../../core/plan/estate.ts';
import type { Choices, PlanInput } from '../../core/plan/plan-input.ts';
import type { PlanBound } from '../../core/render/plan-json.ts';
import type { Address } from '../../core/resource.ts';
import { inForce } from '../../estate/in-force.ts';
import type { Store } from '../../ports/store.ts';
import type { Context } from '../context.ts';
import type { Estate } from './estate.ts';
import { leftAlone, tellLeftAlone } from './left-alone.ts';
import { type Looked, look } from './look.ts';
import { heldSources, tellHeldSources } from './source-words.ts';

/** An estate looked at and planned. */
export interface Survey {
  readonly estate: Estate;
  readonly store: Store | undefined;
  readonly looked: readonly Looked[];
  /** One for each scope looked at, in the same order. */
  readonly plans: readonly ScopePlan[];
  readonly bound: PlanBound;
  readonly bounds: Bounds;
}

/** What a person lets pass or chose, beyond the specs. */
export interface Grant {
  readonly allowDeletes?: number;
  readonly prune?: ReadonlySet<Address>;
}

/** Looks at every scope, plans, and hands both on; the scopes' sessions are closed afterwards, whatever happened. */
export async function withSurvey<T>(
  { estate, store, grant = {} }: { readonly estate: Estate; readonly store: Store | undefined; readonly grant?: Grant },
  context: Context,
  work: (survey: Survey) => Promise<T>,
): Promise<T> {
  const force = await inForce(estate, store);
  const looked = await look(estate, store, context);
  try {
    const choices: Choices = {
      policies: force.policies,
      ...(force.modesBefore === undefined ? {} : { modesBefore: force.modesBefore }),
      ...(grant.prune === undefined ? {} : { prune: grant.prune }),
    };
    const chosen = looked.map((one) => ({ ...one, input: { ...one.input, choices } }));
    const bounds = {
      ...force.bounds,
      ...(grant.allowDeletes === undefined ? {} : { allowDeletes: grant.allowDeletes }),
    };
    const plans = planAgain({ estate, looked: chosen, bounds });
    const held = await heldSources(estate.name, store);
    tellHeldSources(held, context);
    tellLeftAlone(await leftAlone(estate, store), context);
    const bound = {
      estate: estate.name,
      revision: estate.tree.revision,
      ...(force.generation === undefined ? {} : { generation: force.generation }),
      ...(force.serial === undefined ? {} : { serial: force.serial }),
      ...(held.length === 0 ? {} : { sources: held }),
    };
    return await work({ estate, store, looked: chosen, plans, bound, bounds });
  } finally {
    await Promise.all(looked.map(({ site }) => site.session.close()));
  }
}

/** Plans what was seen, by the choices of the survey unless others are given. */
export const planAgain = (
  { estate, looked, bounds }: Pick<Survey, 'estate' | 'looked' | 'bounds'>,
  choicesOf: (input: PlanInput) => Choices = ({ choices = {} }) => choices,
): readonly ScopePlan[] =>
  planEstate(
    looked.map(({ input }) => ({ ...input, choices: choicesOf(input) })),
    bounds,
  ).map((plan) => namedFromHere(plan, estate.dir));

/** Documents by the path that a person sees from where the command runs. */
export function namedFromHere(plan: ScopePlan, dir: string): ScopePlan {
  const actions = plan.actions.map((action) => ({
    ...action,
    documents: action.documents.map((document) =>
      document.file === '' ? document : { ...document, file: join(dir, document.file) },
    ),
  }));
  return { ...plan, actions };
}
