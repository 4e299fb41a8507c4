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
import type { ScopeKey } from '../core/resource.ts';
import { withUnrecorded } from '../engine/converge.ts';
import { countedCosts } from '../estate/active-spec.ts';
import { providerOf } from '../estate/load.ts';
import { sha256 } from '../estate/sha256.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import type { Where } from '../ports/queue.ts';
import type { Store } from '../ports/store.ts';
import type { ReconcileConstraints } from './reconcile-constraints.ts';
import type { ActiveSpec } from './rollouts.ts';

/** The other scopes of an estate, as its limits count them. */
interface OtherScopes {
  /** Their remaining changes of the generation, and the number of scopes without a count. */
  readonly changes?: { readonly count: Count; readonly uncounted: number };
  readonly cost?: Pick<CostBounds, 'scopes' | 'uncounted'>;
}

/** `generation`: of the newest specs. Their prices count for all scopes. `changes`, `cost`: true where the scope needs that limit. */
interface OthersAsked extends Pick<ActiveSpec, 'estate'> {
  readonly generation: number;
  readonly changes: boolean;
  readonly cost: boolean;
}

type Guards = Pick<ReconcileConstraints, 'bounds' | 'estateHolds' | 'counting' | 'choices'>;

/** The longest time that one reconcile counts other scopes, so that it stays within its slice. */
const countingMs = 5_000;

/**
 * Limits count over all scopes, and none waits for another's worker: each scope's own reconcile keeps its remaining changes and its
 * cost, and this is their sum. Where the generation, an approval or the end of a pause made counts void, it counts the scopes by
 * their last observations, for a few seconds, and the next reconcile goes on. It plans each of them once. A scope that was never
 * observed has nothing of ours.
 */
export async function otherScopes(
  where: Where,
  asked: OthersAsked,
  guards: Guards,
  { store, clock }: { readonly store: Pick<Store, 'inventory' | 'fleet'>; readonly clock: Clock },
): Promise<OtherScopes> {
  const { estate, changes, cost } = asked;
  const named = estate.compiled.scopes.map(({ scope }) => scope);
  if (cost) await store.fleet.costs.dropEmpty({ estate: where.estate, scopes: named });
  const before = {
    ...(changes ? { changes: await changesElsewhere(where, asked, store) } : {}),
    ...(cost ? { cost: await costElsewhere(where, asked, guards, store) } : {}),
  };
  const missing = new Set([...(before.changes?.uncounted ?? []), ...(before.cost?.uncounted ?? [])]);
  if (missing.size > 0) await fill(where, { before, missing }, { asked, guards, store, clock });
  const now = {
    changes: before.changes?.uncounted.length ? await changesElsewhere(where, asked, store) : before.changes,
    cost: before.cost?.uncounted.length ? await costElsewhere(where, asked, guards, store) : before.cost,
  };
  return {
    ...(now.changes === undefined
      ? {}
      : { changes: { count: now.changes.count, uncounted: now.changes.uncounted.length } }),
    ...(now.cost === undefined ? {} : { cost: now.cost }),
  };
}

interface ChangesElsewhere {
  readonly count: Count;
  readonly uncounted: readonly ScopeKey[];
}

async function changesElsewhere(
  where: Where,
  { estate, generation }: OthersAsked,
  { fleet }: Pick<Store, 'fleet'>,
): Promise<ChangesElsewhere> {
  const { count, uncounted } = await fleet.counts.others(where, { generation });
  const named = new Set(estate.compiled.scopes.map(({ scope }) => scope));
  return { count, uncounted: uncounted.filter((scope) => named.has(scope)) };
}

type CostElsewhere = Required<Pick<CostBounds, 'scopes' | 'uncounted'>>;

async function costElsewhere(
  { scope: own }: Where,
  { estate, generation }: OthersAsked,
  { bounds }: Guards,
  store: Pick<Store, 'fleet'>,
): Promise<CostElsewhere> {
  if (bounds.cost === undefined) return { scopes: [], uncounted: [] };
  const { scopes, uncounted } = await countedCosts(estate, store, bounds.cost.prices, generation);
  return { scopes, uncounted: uncounted.filter((scope) => scope !== own) };
}

interface Missing {
  readonly before: { readonly changes?: ChangesElsewhere; readonly cost?: CostElsewhere };
  /** Scopes without a count or a cost. */
  readonly missing: ReadonlySet<ScopeKey>;
}

interface Filling {
  readonly asked: OthersAsked;
  readonly guards: Guards;
  readonly store: Pick<Store, 'inventory' | 'fleet'>;
  readonly clock: Clock;
}

async function fill(
  { estate: name, scope: own }: Where,
  { before, missing }: Missing,
  { asked: { estate, generation }, guards, store, clock }: Filling,
): Promise<void> {
  const { counts, costs } = store.fleet;
  const withoutCount = new Set(before.changes?.uncounted);
  const withoutCost = new Set(before.cost?.uncounted);
  const costBefore = new Map(before.cost?.scopes.map((one) => [one.scope, one.monthly]));
  const until = clock.now() + countingMs;
  for (const other of fromOwn(
    estate.compiled.scopes.filter(({ scope }) => missing.has(scope)),
    own,
  )) {
    if (clock.now() >= until) break;
    const where = { estate: name, scope: other.scope };
    const look = await lastLook(name, { other, estate, guards }, store);
    const left = look && remaining(look);
    if (withoutCount.has(other.scope)) {
      const count = left === undefined ? noCount : tally(left.actions).generation;
      await counts.fill(where, { generation, ...guards.counting, count });
    }
    if (guards.bounds.cost === undefined || left === undefined || !withoutCost.has(other.scope)) continue;
    // why: nobody knows whether that scope carries out its savings
    const counted = countedCost(left.input, { plan: [], all: left.actions }, guards.bounds.cost);
    await costs.fill(where, { generation, ...counted }, costBefore.get(other.scope));
  }
}

/** Beginning behind the scope itself, so that workers who count at once do not count the same. */
function fromOwn(scopes: readonly CompiledScope[], own: ScopeKey): readonly CompiledScope[] {
  const behind = scopes.findIndex(({ scope }) => scope > own);
  return behind < 0 ? scopes : [...scopes.slice(behind), ...scopes.slice(0, behind)];
}

interface Other {
  readonly other: CompiledScope;
  readonly estate: ActiveSpec['estate'];
  readonly guards: Guards;
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
  return { scope: other, estate, guards: { ...guards, approved }, observation, isStored: true, knowledge };
}

/** An observation of a scope, to count by. */
export interface Look {
  readonly scope: CompiledScope;
  readonly estate: ActiveSpec['estate'];
  readonly guards: Guards & Pick<ReconcileConstraints, 'approved'>;
  readonly observation: Observation;
  /** See PlanInput. */
  readonly isStored?: boolean;
  readonly knowledge: Knowledge;
}

/** Of one observation. It may be old, so actions under way or done since count as spent only. Later waves count too. */
export function remaining({ scope, estate, guards, observation, isStored, knowledge }: Look): Remaining {
  const { estateHolds: holds, approved } = guards;
  const choices = { ...guards.choices, unattended: true, atOnce: true, holds, approved };
  const { dialect } = providerOf(scope, estate);
  const input = { wanted: scope.wanted, observation, isStored, knowledge, dialect, choices };
  const { actions } = plan(input);
  const isBegun = underWay(actions, [knowledge]);
  return { input, actions: actions.filter((action) => !isBegun(action)) };
}

/** `actions`: all remaining actions of a scope, before limits withhold any. */
interface Remaining {
  readonly input: PlanInput;
  readonly actions: readonly Action[];
}

export const countsToGeneration = (action: Action): boolean => countOf(action)?.by === 'generation';
