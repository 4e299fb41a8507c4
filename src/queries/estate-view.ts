import { join } from 'node:path';
import type { ScopePlan } from '../core/action.ts';
import type { CompiledScope } from '../core/compile/compile.ts';
import { auditLogSenders } from '../core/documents/estate.ts';
import { kindNames } from '../core/kinds/kinds.ts';
import type { Knowledge } from '../core/knowledge.ts';
import type { Observation } from '../core/observed.ts';
import { type Bounds, planEstateInSteps } from '../core/plan/estate.ts';
import type { Choices, PlanInput } from '../core/plan/plan-input.ts';
import type { PlanBound } from '../core/render/plan-json.ts';
import type { ScopeKey } from '../core/resource.ts';
import { withUnrecorded } from '../engine/converge.ts';
import { type ActiveConstraints, activeConstraints } from '../estate/active-spec.ts';
import { inTurns } from '../estate/in-turns.ts';
import { type Estate, placedIn, providerOf } from '../estate/load.ts';
import type { ScopeLook } from '../ports/queries.ts';
import type { SourceState } from '../ports/sources.ts';
import type { Store } from '../ports/store.ts';
import { costOf } from './cost.ts';

/** A view by the newest observations in the store, without a call of a cloud. */
export type StoredEstateView = EstateView & { readonly store: Store };

/** The last observation of each scope in the specs, and the plan of it. */
export async function estateViewOf(estate: Estate, store: Store): Promise<StoredEstateView> {
  const [constraints, held, observations] = await Promise.all([
    activeConstraints(estate, store),
    heldSources(estate.name, store),
    store.inventory.latest(estate.name),
  ]);
  const { holds, bounds } = constraints;
  const looked = await scopeViews(
    { estate, observations, choices: { ...constraints.choices, holds }, asKnown: asFarAsKnown },
    store,
  );
  const plans = await planAgain({ estate, looked, bounds });
  const bound = boundOf(estate, constraints, held);
  return { estate, store, looked, plans, bound: withCost(bound, { estate, looked, plans, bounds }), bounds };
}

interface Observed {
  readonly estate: Estate;
  readonly observations: readonly Observation[];
  readonly choices?: Choices;
  /** The observation with the writes since. Absent: as it was. */
  readonly asKnown?: (observation: Observation, known: Knowledge) => Observation;
}

/** Each scope in the specs as it was observed last, without a plan. */
export async function scopeViews(
  { estate, observations, choices, asKnown = (observation) => observation }: Observed,
  store: Pick<Store, 'inventory'>,
): Promise<readonly ScopeView[]> {
  const seen = new Map(observations.map((one) => [one.scope, one]));
  return Promise.all(
    estate.scopes.map(async (scope): Promise<ScopeView> => {
      // why: read after the observation, so that it includes later writes
      const known = await store.inventory.knowledge(estate.name, scope.scope);
      const observation = asKnown(seen.get(scope.scope) ?? neverLooked(scope.scope), known);
      const knowledge = await withUnrecorded(known, observation, store.inventory);
      const provided = { ...providedBy(scope, estate), ...(choices === undefined ? {} : { choices }) };
      return { scope, input: { wanted: scope.wanted, observation, isStored: true, knowledge, ...provided } };
    }),
  );
}

function providedBy(scope: CompiledScope, estate: Estate) {
  const { dialect, batches } = providerOf(scope, estate);
  return { dialect, batches };
}

/** An observation does not show writes after its start: neither their old state, nor their absence. */
function asFarAsKnown(observation: Observation, { settled, ended = new Map() }: Knowledge): Observation {
  const since = [...settled].filter(([, { lastWriteAt }]) => lastWriteAt > observation.at).map(([id]) => id);
  const letGo = [...ended].filter(([, { at }]) => at > observation.at).map(([id]) => id);
  if (since.length === 0 && letGo.length === 0) return observation;
  const written = new Set([...since, ...letGo]);
  return {
    ...observation,
    resources: observation.resources.filter(({ id }) => !written.has(id)),
    pending: [...new Set([...observation.pending, ...since])],
  };
}

/** True where Setpoint wrote or released something after the start of the observation. */
export const isWrittenSince = ({ observation: { at }, knowledge: { settled, ended } }: PlanInput): boolean =>
  [...settled.values()].some(({ lastWriteAt }) => lastWriteAt > at) ||
  [...(ended ?? new Map()).values()].some((one) => one.at > at);

/** Nothing is known of it, and so nothing of it is gone. */
const neverLooked = (scope: ScopeKey): Observation => ({
  scope,
  at: 0,
  resources: [],
  gaps: kindNames.map((kind) => ({ kind, code: 'never-looked', reason: 'no reconcile has observed this scope yet' })),
  pending: [],
  calls: 0,
});

export const lookOf = ({ scope: { scope, wanted }, input: { observation } }: ScopeView): ScopeLook => ({
  scope,
  targets: wanted.targets,
  ...(observation.at === 0 ? {} : { at: observation.at }),
  gaps: observation.gaps,
});

/** One scope, and all that a plan of it needs. */
export interface ScopeView {
  readonly scope: CompiledScope;
  readonly input: PlanInput;
}

/** An estate, observed and planned. */
export interface EstateView<V extends ScopeView = ScopeView> {
  readonly estate: Estate;
  readonly store: Store | undefined;
  readonly looked: readonly V[];
  /** One for each observed scope, in the same order. */
  readonly plans: readonly ScopePlan[];
  readonly bound: PlanBound;
  readonly bounds: Bounds;
}

/** Plans what was seen, by the choices of the survey unless others are given. Leases are renewed meanwhile. */
export async function planAgain(
  { estate, looked, bounds }: Pick<EstateView, 'estate' | 'looked' | 'bounds'>,
  choicesOf: (input: PlanInput) => Choices = ({ choices = {} }) => choices,
): Promise<readonly ScopePlan[]> {
  const pathOf = (file: string): string => join(estate.dir, file);
  const inputs = looked.map(({ input }) => ({ ...input, pathOf, choices: choicesOf(input) }));
  const plans = await inTurns(planEstateInSteps(inputs, bounds));
  return plans.map((plan) => namedFromHere(plan, estate.dir));
}

/** Documents by the path that a person sees from where the question was asked. */
export function namedFromHere(plan: ScopePlan, dir: string): ScopePlan {
  const actions = plan.actions.map((action) => ({
    ...action,
    documents: action.documents.map((document) => placedIn(dir, document)),
  }));
  return { ...plan, actions };
}

/** The revision and generation of a plan. `held`: the sources whose newest state is not active. */
export const boundOf = (estate: Estate, constraints: ActiveConstraints, held: readonly SourceState[]): PlanBound => ({
  estate: estate.name,
  revision: estate.tree.revision,
  generation: constraints.generation,
  serial: constraints.serial,
  ...(held.length === 0 ? {} : { sources: held }),
  ...looserGuardsOf(constraints),
  ...auditLogsOf(estate),
});

function looserGuardsOf({ looserGuards: guards }: ActiveConstraints): Pick<PlanBound, 'looserGuards'> {
  const looserGuards = guards?.() ?? [];
  return looserGuards.length === 0 ? {} : { looserGuards };
}

function auditLogsOf({ tree }: Estate): Pick<PlanBound, 'auditLogs'> {
  const { hooks = [] } = tree.estate?.value.spec ?? {};
  const clouds = new Set(hooks.flatMap(({ from }) => auditLogSenders.get(from) ?? []));
  return clouds.size === 0 ? {} : { auditLogs: [...clouds].sort() };
}

/** With the monthly cost, where the specs have prices. */
export function withCost(
  bound: PlanBound,
  view: Pick<EstateView, 'estate' | 'looked' | 'plans' | 'bounds'>,
): PlanBound {
  const cost = costOf(view);
  const limit = view.bounds.cost?.limit.monthly;
  return cost === undefined ? bound : { ...bound, cost: { ...cost, ...(limit === undefined ? {} : { limit }) } };
}

/** Sources whose newest state is not active: every answer about the estate lists them. */
export async function heldSources(estate: string, store: Store | undefined): Promise<readonly SourceState[]> {
  const states = (await store?.sources.states.list(estate)) ?? [];
  return states.filter(({ state }) => state !== 'followed');
}
