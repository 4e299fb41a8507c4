import type { Action } from '../core/action.ts';
import type { CompiledScope } from '../core/compile/compile.ts';
import type { Knowledge } from '../core/knowledge.ts';
import { type Count, noCount } from '../core/limits.ts';
import type { Observation } from '../core/observed.ts';
import { type CostBounds, countedCost } from '../core/plan/cost-limit.ts';
import { underWay } from '../core/plan/estate.ts';
import { approvedBy } from '../core/plan/holds.ts';
import { plan } from '../core/plan/plan.ts';
import type { PlanInput } from '../core/plan/plan-input.ts';
import { countOf, tally } from '../core/plan/tally.ts';
import { withUnrecorded } from '../engine/converge.ts';
import { countedCosts } from '../estate/active-spec.ts';
import { providerOf } from '../estate/load.ts';
import { sha256 } from '../estate/sha256.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import type { ScopeCost } from '../ports/fleet-state.ts';
import type { Where } from '../ports/queue.ts';
import type { Store } from '../ports/store.ts';
import type { ReconcileConstraints } from './reconcile-constraints.ts';
import type { ActiveSpec } from './rollouts.ts';

/**
 * The remaining changes of a generation in the other scopes of its estate. `uncounted`: the number of scopes without a count.
 */
interface OtherScopesCount {
  readonly count: Count;
  readonly uncounted: number;
}

type Guards = Pick<ReconcileConstraints, 'bounds' | 'estateHolds' | 'counting' | 'choices'>;

/** The longest time that one reconcile counts other scopes, so that it stays within its slice. */
const countingMs = 5_000;

/**
 * Limits count over all scopes, and none waits for another's worker: each scope's own reconcile keeps its remaining changes,
 * and this is their sum. Where the generation, an approval or the end of a pause made counts void, it counts the scopes by
 * their last observations, for a few seconds, and the next reconcile goes on. A scope that was never observed has nothing of
 * ours to remove.
 */
export async function elsewhere(
  where: Where,
  { estate, generation: { number: generation } }: Pick<ActiveSpec, 'estate' | 'generation'>,
  guards: Guards,
  { store, clock }: { readonly store: Pick<Store, 'inventory' | 'fleet'>; readonly clock: Clock },
): Promise<OtherScopesCount> {
  const { counts } = store.fleet;
  const named = new Map(estate.compiled.scopes.map((one) => [one.scope, one]));
  const others = async () => {
    const { count, uncounted } = await counts.others(where, { generation });
    return { count, uncounted: uncounted.flatMap((scope) => named.get(scope) ?? []) };
  };
  const before = await others();
  if (before.uncounted.length === 0) return { count: before.count, uncounted: 0 };
  const until = clock.now() + countingMs;
  for (const other of fromOwn(before.uncounted, where)) {
    if (clock.now() >= until) break;
    const count = await countByLastObservation(where.estate, { other, estate, guards }, store);
    await counts.fill({ estate: where.estate, scope: other.scope }, { generation, ...guards.counting, count });
  }
  const { count, uncounted } = await others();
  return { count, uncounted: uncounted.length };
}

/** Beginning behind the scope itself, so that workers who count at once do not count the same. */
function fromOwn(scopes: readonly CompiledScope[], { scope }: Where): readonly CompiledScope[] {
  const behind = scopes.findIndex((one) => one.scope > scope);
  return behind < 0 ? scopes : [...scopes.slice(behind), ...scopes.slice(0, behind)];
}

interface Other {
  readonly other: CompiledScope;
  readonly estate: ActiveSpec['estate'];
  readonly guards: Guards;
}

async function countByLastObservation(
  name: string,
  other: Other,
  store: Pick<Store, 'inventory' | 'fleet'>,
): Promise<Count> {
  const look = await lastLook(name, other, store);
  return look === undefined ? noCount : remainingCount(look);
}

async function lastLook(
  name: string,
  { other, estate, guards }: Other,
  { inventory, fleet }: Pick<Store, 'inventory' | 'fleet'>,
): Promise<Look | undefined> {
  const { scope } = other;
  const [observation] = await inventory.latest(name, scope);
  if (observation === undefined) return undefined;
  // why: read after the observation, so that it includes later deletions
  const knowledge = await withUnrecorded(await inventory.knowledge(name, scope), observation, inventory);
  const approvals = await fleet.approvals.active({ estate: name, scope });
  const approved = approvedBy(new Set(approvals.flatMap(({ actions }) => actions)), sha256);
  return { scope: other, estate, guards: { ...guards, approved }, observation, knowledge };
}

/**
 * The cost of the estate's other scopes, for its limit. Scopes that are not counted in this generation are counted by their last
 * observations, for a few seconds, and the next reconcile goes on.
 */
export async function costElsewhere(
  where: Where,
  { estate, generation }: CostAsked,
  guards: Guards,
  { store, clock }: { readonly store: Store; readonly clock: Clock },
): Promise<Pick<CostBounds, 'scopes' | 'uncounted'>> {
  const { bounds } = guards;
  if (bounds.cost === undefined) return {};
  await store.fleet.costs.dropEmpty({ estate: where.estate, scopes: estate.compiled.scopes.map(({ scope }) => scope) });
  const counted = await countedCosts(estate, store, bounds.cost.prices, generation);
  const missing = (counted.uncounted ?? []).filter((scope) => scope !== where.scope);
  if (missing.length === 0) return counted;
  const named = new Map(estate.compiled.scopes.map((one) => [one.scope, one]));
  const before = new Map(counted.scopes?.map((one) => [one.scope, one.monthly]));
  const until = clock.now() + countingMs;
  for (const other of fromOwn(
    missing.flatMap((scope) => named.get(scope) ?? []),
    where,
  )) {
    if (clock.now() >= until) break;
    const look = await lastLook(where.estate, { other, estate, guards }, store);
    if (look === undefined) continue;
    await store.fleet.costs.fill(
      { estate: where.estate, scope: other.scope },
      { generation, ...remainingCost(look, bounds.cost) },
      before.get(other.scope),
    );
  }
  return countedCosts(estate, store, bounds.cost.prices, generation);
}

/** `generation`: of the newest specs, by whose prices all scopes are counted. */
interface CostAsked extends Pick<ActiveSpec, 'estate'> {
  readonly generation: number;
}

function remainingCost(look: Look, cost: CostBounds): Omit<ScopeCost, 'generation'> {
  const { actions, input } = remaining(look);
  // why: nobody knows whether that scope does what saves
  return countedCost(input, { plan: [], all: actions }, cost);
}

/** An observation of a scope, to count by. */
export interface Look {
  readonly scope: CompiledScope;
  readonly estate: ActiveSpec['estate'];
  readonly guards: Guards & Pick<ReconcileConstraints, 'approved'>;
  readonly observation: Observation;
  readonly knowledge: Knowledge;
}

/** Of one observation. It may be old, so actions under way or done since count as spent only. Later waves count too. */
export function remaining({ scope, estate, guards, observation, knowledge }: Look): Remaining {
  const { estateHolds: holds, approved } = guards;
  const choices = { ...guards.choices, unattended: true, atOnce: true, holds, approved };
  const { dialect } = providerOf(scope, estate);
  const input = { wanted: scope.wanted, observation, knowledge, dialect, choices };
  const { actions } = plan(input);
  const isBegun = underWay(actions, [knowledge]);
  return { input, actions: actions.filter((action) => !isBegun(action)) };
}

/** `actions`: all that a scope would still do, whatever limits withhold. */
interface Remaining {
  readonly input: PlanInput;
  readonly actions: readonly Action[];
}

const remainingCount = (look: Look): Count => tally(remaining(look).actions).generation;

export const countsToGeneration = (action: Action): boolean => countOf(action)?.by === 'generation';
