import { type Action, heldAs, isHeldByGrace, type ScopePlan, verbKey } from '../core/action.ts';
import type { Knowledge } from '../core/knowledge.ts';
import type { Observation } from '../core/observed.ts';
import { countedCost, raisesCost } from '../core/plan/cost-limit.ts';
import { actionRecorder } from '../core/plan/destructive-drift.ts';
import { type Bounds, planEstateInSteps } from '../core/plan/estate.ts';
import { isUnfinished } from '../core/plan/findings.ts';
import { heedingHold, unlessApproved } from '../core/plan/holds.ts';
import type { Hold, PlanInput, Wanted } from '../core/plan/plan-input.ts';
import { tally } from '../core/plan/tally.ts';
import { eitherBefore } from '../core/remediation.ts';
import type { Address } from '../core/resource.ts';
import type { Progress, ReconcileControl } from '../engine/control.ts';
import { type Converged, converge, type PlannedObservation } from '../engine/converge.ts';
import type { Planner, Site } from '../engine/ports.ts';
import { pausesNow } from '../estate/active-spec.ts';
import { inTurns } from '../estate/in-turns.ts';
import { providerOf } from '../estate/load.ts';
import { policiesHold } from '../estate/policies.ts';
import { imagesIn, siteOn } from '../estate/session.ts';
import type { KeptScopeCost } from '../ports/fleet-state.ts';
import type { Lease } from '../ports/leases.ts';
import type { Where } from '../ports/queue.ts';
import { healingWatch } from './fights.ts';
import type { Generations } from './generations.ts';
import { countsToGeneration, type Look, otherScopes, remaining } from './other-scopes.ts';
import { guardOf, type ReconcileConstraints } from './reconcile-constraints.ts';
import type { PlanningResult } from './recorder.ts';
import type { ActiveSpec, ConvergeResult } from './rollouts.ts';
import type { WorkerContext } from './worker-context.ts';

/** One scope, opened and leased, by the specs of one generation. */
export interface ScopeContext {
  readonly where: Where;
  readonly reconcileId: string;
  readonly site: Site;
  readonly lease: Lease;
  readonly activeSpec: ActiveSpec;
}

/** `from`: an observation made just before. `onPlanned` receives each observation as it was planned. */
interface Beginning {
  readonly from?: Observation;
  readonly onPlanned?: (looked: PlanningResult) => void;
}

/** Converges without a person: changes that need one are withheld, and are among the findings of the last plan. */
export async function convergeScope(
  scene: ScopeContext,
  reconcileConstraints: ReconcileConstraints,
  context: WorkerContext,
  { from, onPlanned, ...steering }: ReconcileControl & Beginning,
): Promise<ConvergeResult> {
  const { where, activeSpec, site, lease, reconcileId } = scene;
  const { store, limiter, clock } = context;
  const noted = actionRecorder();
  const { number, revision } = activeSpec.generation;
  const authority = { revision, generation: number, ...reconcileConstraints.authority };
  const reconcile = { ...where, reconcileId, authority, lease: { holder: lease.holder, epoch: lease.epoch } };
  const healings = healingWatch(store.fleet.fights);
  const holds = [...reconcileConstraints.holds, healings.hold];
  const look = observationPlanner(scene, { ...reconcileConstraints, holds }, context);
  const notify = (event: Progress): void => {
    healings.progressed(event);
    steering.notify?.(event);
  };
  let uncounted = 0;
  const plan: Planner = async (observation, knowledge) => {
    const looked = await look(observation, knowledge);
    // why: holds were asked about the deletions of machines that are stopped for their grace
    for (const action of [...looked.planned, ...looked.plan.actions.filter(isStopForGrace)]) noted.hold(action);
    healings.planned(looked.plan.actions);
    uncounted = looked.uncounted;
    onPlanned?.(looked);
    return looked.plan;
  };
  const converged = await converge(
    {
      site,
      authorization: { reconcile, lease, guard: guardOf(activeSpec, reconcileConstraints) },
      plan,
      from,
    },
    { ...store, limiter, clock, random: Math.random },
    { ...steering, notify },
  );
  await healings.keep(where, activeSpec.scope.wanted);
  const planned = noted.planned();
  return { converged, waiting: waitingOf(converged, planned), planned, uncounted };
}

const isStopForGrace = (action: Action): boolean => heldAs(action) !== action;

/** The resources whose deletion waits for the end of its grace. A scope without any is fully applied where `isApplied` is true. */
export const inGraceIn = ({ converged: { last } }: ConvergeResult): readonly Address[] =>
  (last?.plan.findings ?? []).flatMap((found) => (isHeldByGrace(found) ? [found.address] : []));

/** True where the scope applies all of its specs, but for deletions that wait for the end of their grace, as far as the observation shows. */
export function isApplied({ converged: { outcome, last }, waiting }: ConvergeResult): boolean {
  if (outcome !== 'done' || waiting.size > 0 || last === undefined) return false;
  return !last.plan.findings.some((found) => found.type !== 'withheld' && isUnfinished(found));
}

/**
 * Plans one observation as a reconcile does, and keeps the remaining changes of the generation in the scope, and its cost. Limits
 * count over all scopes of the estate: until all are counted, limited actions wait.
 */
export function observationPlanner(
  scene: Pick<ScopeContext, 'where' | 'lease' | 'activeSpec'>,
  reconcileConstraints: ReconcileConstraints,
  context: Pick<WorkerContext, 'store' | 'clock'>,
): (observation: Observation, knowledge: Knowledge) => Promise<PlanningResult & { readonly uncounted: number }> {
  const { where, activeSpec } = scene;
  const { scope, estate, generation } = activeSpec;
  const { dialect, batches } = providerOf(scope, estate);
  const { bounds, approved, stopped } = reconcileConstraints;
  const { cost, ...counts } = bounds;
  const isNewest = reconcileConstraints.generation === generation.number;
  return async (observation, knowledge) => {
    const noted = actionRecorder();
    const holds = [noted.hold, ...reconcileConstraints.holds];
    const choices = { ...reconcileConstraints.choices, unattended: true, holds, approved, stopped };
    const input = { wanted: scope.wanted, observation, knowledge, dialect, batches, choices };
    const alone = await planOf(input, counts);
    const planned = noted.planned();
    const look = { scope, estate, guards: reconcileConstraints, observation, knowledge };
    const rest = isNewest ? remainingIn(look, planned) : [];
    if (isNewest) {
      const count = tally(rest).generation;
      const { counting } = reconcileConstraints;
      await context.store.fleet.counts.keep(where, { generation: generation.number, ...counting, count });
    }
    const others = await limitedElsewhere(alone, input, { scene, reconcileConstraints, context });
    const waits = others.uncounted === 0 ? [] : [unlessApproved(untilCounted(others.uncounted), approved)];
    const together = { ...input, choices: { ...choices, holds: [...holds, ...waits] } };
    const plan = others.bounds === undefined ? alone : await planOf(together, { ...counts, ...others.bounds });
    if (cost !== undefined) {
      const done = { plan: plan.actions, all: rest };
      const { plannedIncrease, ...counted } = countedCost(input, done, cost);
      const costNow = { generation: reconcileConstraints.generation, ...counted };
      // why: a former generation does not know the remaining rollouts of the newest one
      await keepCost(scene, isNewest ? { ...costNow, plannedIncrease } : costNow, context);
    }
    // why: a former generation does not know which machines shall be stopped by now
    const told = isNewest ? plan : { ...plan, keptStopped: undefined };
    return { input, planned, generation: generation.number, plan: told, uncounted: others.uncounted + others.uncosted };
  };
}

/** All actions that limits count; empty where the plan has none. */
function remainingIn(look: Look, planned: readonly Action[]): readonly Action[] {
  const { cost } = look.guards.bounds;
  const isLimited = planned.some((one) => countsToGeneration(one) || (cost !== undefined && one.kind === 'instance'));
  return isLimited ? remaining(look).actions : [];
}

const keepCost = (
  { where, lease: { holder, epoch } }: Pick<ScopeContext, 'where' | 'lease'>,
  cost: KeptScopeCost,
  { store }: Pick<WorkerContext, 'store'>,
): Promise<void> => store.fleet.costs.keep({ ...where, lease: { holder, epoch } }, cost);

interface Planning {
  readonly scene: Pick<ScopeContext, 'where' | 'activeSpec'>;
  readonly reconcileConstraints: ReconcileConstraints;
  readonly context: Pick<WorkerContext, 'store' | 'clock'>;
}

/**
 * `bounds`: the used and planned counts of the other scopes; absent: nothing here is limited. `uncounted`, `uncosted`: the numbers of
 * scopes that are still to be counted.
 */
interface LimitedElsewhere {
  readonly bounds?: Pick<Bounds, 'elsewhere' | 'cost'>;
  readonly uncounted: number;
  readonly uncosted: number;
}

async function limitedElsewhere(
  alone: ScopePlan,
  input: PlanInput,
  { scene: { where, activeSpec }, reconcileConstraints, context }: Planning,
): Promise<LimitedElsewhere> {
  const { generation, bounds } = reconcileConstraints;
  const asked = {
    estate: activeSpec.estate,
    generation,
    changes: generation === activeSpec.generation.number && alone.actions.some(countsToGeneration),
    cost: bounds.cost !== undefined && raisesCost(alone, input, bounds.cost),
  };
  if (!asked.changes && !asked.cost) return { uncounted: 0, uncosted: 0 };
  const { changes, cost } = await otherScopes(where, asked, reconcileConstraints, context);
  return {
    bounds: {
      ...(changes === undefined ? {} : { elsewhere: changes.count }),
      ...(bounds.cost === undefined ? {} : { cost: { ...bounds.cost, ...cost } }),
    },
    uncounted: changes?.uncounted ?? 0,
    uncosted: cost?.uncounted?.length ?? 0,
  };
}

const untilCounted =
  (uncounted: number): Hold =>
  (action) =>
    countsToGeneration(action)
      ? {
          code: 'limit',
          why: `limits count over all scopes of the estate, and ${uncounted} of them are still to be counted in this generation; it goes on by itself.`,
        }
      : undefined;

async function planOf(input: PlanInput, bounds: Bounds): Promise<ScopePlan> {
  const [plan] = await inTurns(planEstateInSteps([input], bounds));
  if (plan === undefined) throw new Error('one input, one plan');
  return plan;
}

/** Resources in their grace are left as they are: no former generation heals them. */
function waitingOf({ last }: Converged, planned: readonly Action[]): ReadonlySet<Address> {
  const findings = last?.plan.findings ?? [];
  const rollouts = new Set(
    planned.filter((action) => action.cause === 'rollout' && !isStopForGrace(action)).map(verbKey),
  );
  return new Set(
    findings.flatMap((found) =>
      found.type === 'withheld' &&
      found.code !== 'grace' &&
      found.cause !== 'drift' &&
      rollouts.has(verbKey({ verb: found.action, address: found.address }))
        ? [found.address]
        : [],
    ),
  );
}

/**
 * While a newer generation waits, drift goes back to the last applied specs: each address by the specs of the
 * generation that was applied there. Nothing else changes, and nothing is created or deleted that only those specs ask for.
 * Prohibitions of the newest generation hold for a former one too. A pause holds a resource if either generation gives it that
 * owner or target. Returns false if the reconcile was stopped.
 */
export async function healDrift(
  scene: ScopeContext,
  { waiting, converged }: ConvergeResult,
  means: HealContext,
  context: WorkerContext,
): Promise<boolean> {
  const { where, activeSpec } = scene;
  const { applied } = await context.store.inventory.knowledge(where.estate, where.scope);
  const generations = Map.groupBy(
    waiting,
    (address) => applied.get(address)?.generation ?? activeSpec.generation.number,
  );
  for (const number of [...generations.keys()].sort((a, b) => b - a)) {
    if (number === activeSpec.generation.number) continue;
    const former = await formerScopeContext(scene, number, means, context);
    if (former === undefined) continue;
    const { wanted } = activeSpec.scope;
    const reconcileConstraints = await healing(means.reconcileConstraints, wanted, async ({ policies = {} }) => {
      const denied = await policiesHold(activeSpec.estate, policies.before, former.activeSpec.estate);
      return [
        driftAt(new Set(generations.get(number))),
        heedingHold(wanted),
        await pausesNow(former.activeSpec.estate, context.store),
        ...(denied === undefined ? [] : [denied]),
      ];
    });
    const from = converged.last?.observation;
    const healed = await convergeScope(former, reconcileConstraints, context, {
      ...means.steering,
      ...(from === undefined ? {} : { from }),
    });
    if (healed.converged.last !== undefined) await means.healed?.(healed.converged.last);
    if (healed.converged.outcome === 'stopped') return false;
  }
  return true;
}

/**
 * The constraints of a reconcile with further holds, and with the remediations of the newest specs, now and after each refresh. Policies are about the resources of the generation that
 * it returns to, so their hold for the newest one's is left out.
 */
async function healing(
  reconcileConstraints: ReconcileConstraints,
  newest: Wanted,
  guards: (constraints: ReconcileConstraints) => Promise<readonly Hold[]>,
): Promise<ReconcileConstraints> {
  return {
    ...reconcileConstraints,
    choices: {
      ...reconcileConstraints.choices,
      remediationBefore: eitherBefore(
        reconcileConstraints.choices.remediationBefore,
        (document, key) => newest.documents.get(document)?.remediation?.[key]?.as,
      ),
    },
    holds: [
      ...reconcileConstraints.holds.filter((hold) => hold !== reconcileConstraints.policies?.hold),
      ...(await guards(reconcileConstraints)),
    ],
    again: async () => healing(await reconcileConstraints.again(), newest, guards),
  };
}

interface HealContext {
  readonly reconcileConstraints: ReconcileConstraints;
  readonly generations: Generations;
  readonly steering: ReconcileControl;
  /** Told of what was seen last by the specs of a former generation. */
  readonly healed?: (sight: PlannedObservation) => Promise<void>;
}

/** Absent: that generation was not kept, cannot be opened by this version or this worker, or said nothing of this scope. */
async function formerScopeContext(
  scene: ScopeContext,
  number: number,
  { generations, steering }: HealContext,
  { store, outside, telemetry }: WorkerContext,
): Promise<ScopeContext | undefined> {
  const { where, site } = scene;
  const generation = await store.generations.numbered(where.estate, number);
  if (generation === undefined) return undefined;
  // why: the newest generation has had its reconcile, and a former one must not fail it
  const estate = await generations.open(where.estate, generation).catch((error: unknown) => {
    telemetry.log.warn('cannot open the generation that healing returns to; healing waits', {
      ...where,
      generation: number,
      reason: String(error),
    });
  });
  if (estate === undefined) return undefined;
  const scope = estate.compiled.scopes.find((one) => one.scope === where.scope);
  if (scope === undefined) return undefined;
  const ports = { secrets: outside.secrets, signal: steering.signal };
  // why: the policies of the newest generation judge it, so they decide whether facts of images are read
  const images = site.images === undefined ? {} : { images: imagesIn(scope.wanted) };
  const former = { ...siteOn(site.session, scope, { estate, ports }), ...images };
  return { ...scene, site: former, activeSpec: { generation, estate, scope } };
}

const driftAt =
  (addresses: ReadonlySet<Address>): Hold =>
  (action) =>
    addresses.has(action.address) && action.cause === 'drift'
      ? undefined
      : { code: 'stale', why: 'a newer generation speaks of it' };
