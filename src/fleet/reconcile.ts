import type { Action, Finding, ScopePlan } from '../core/action.ts';
import type { CompiledScope } from '../core/compile/compile.ts';
import type { Observation } from '../core/observed.ts';
import { type Bounds, planEstate } from '../core/plan/estate.ts';
import type { PlanInput, Policy } from '../core/plan/plan-input.ts';
import { type Count, countOf } from '../core/plan/tally.ts';
import type { Address } from '../core/resource.ts';
import { type Converged, converge } from '../engine/converge.ts';
import type { Planner, Site, Steering } from '../engine/job.ts';
import { type OpenedEstate, providerOf } from '../estate/opened-estate.ts';
import type { Generation } from '../ports/inventory.ts';
import type { Lease } from '../ports/lease.ts';
import type { Where } from '../ports/queue.ts';
import type { Charter } from './charter.ts';
import { elsewhere } from './elsewhere.ts';
import type { Yard } from './yard.ts';

/** One scope, opened and leased, by the specs of one generation. */
export interface Scene {
  readonly where: Where;
  readonly reconcileId: string;
  readonly site: Site;
  readonly lease: Lease;
  readonly by: Spoken;
}

/** A generation, and what it says of the scope. */
export interface Spoken {
  readonly generation: Generation;
  readonly estate: OpenedEstate;
  readonly scope: CompiledScope;
}

export interface Reconciled {
  readonly converged: Converged;
  /** Where a spec has moved and the cloud may not follow yet: a mode, a limit, a pause or a wave holds it. */
  readonly waiting: ReadonlySet<Address>;
  /** All that its plans wanted to do, held or not, each once. */
  readonly planned: readonly Action[];
}

/** Converges with nobody there: what needs a person is withheld and found among the findings of the last plan. */
export async function reconcile(
  scene: Scene,
  charter: Charter,
  yard: Yard,
  { from, ...steering }: Steering & { readonly from?: Observation },
): Promise<Reconciled> {
  const { where, by, site, lease, reconcileId } = scene;
  const { store, limiter, clock } = yard;
  const planned = new Map<string, Action>();
  const { number, revision } = by.generation;
  const authority = { revision, generation: number, ...charter.authority };
  const pass = { ...where, reconcileId, authority, lease: { holder: lease.holder, epoch: lease.epoch } };
  const noted = { ...charter, policies: [noting(planned), ...charter.policies] };
  const plan = plannerOf(by, noted, () => elsewhere(where, by, charter, store));
  const converged = await converge(
    { site, warrant: { pass, lease }, plan, ...(from === undefined ? {} : { from }) },
    { ...store, limiter, clock, random: Math.random },
    steering,
  );
  return { converged, waiting: waitingOf(converged, planned), planned: [...planned.values()] };
}

/** Whether all that the specs ask of the scope is in force there, as far as anybody can see it. */
export function isInForce({ converged: { outcome, last }, waiting }: Reconciled): boolean {
  if (outcome !== 'done' || waiting.size > 0 || last === undefined) return false;
  return !last.plan.findings.some(({ type }) => undone.has(type));
}

const undone: ReadonlySet<Finding['type']> = new Set([
  'blocked',
  'non-convergent',
  'incomplete',
  'wrong-account',
  'foreign-store',
]);

/** Limits count over all scopes of the estate: `others` tells of those that are not this one. */
function plannerOf({ scope, estate }: Spoken, { bounds, ...charter }: Charter, others: () => Promise<Count>): Planner {
  const { dialect, batches } = providerOf(scope, estate);
  const { policies, modesBefore, approved, stopped } = charter;
  const choices = { unattended: true, policies, modesBefore, approved, stopped };
  return async (observation, knowledge) => {
    const input = { wanted: scope.wanted, observation, knowledge, dialect, batches, choices };
    const alone = planOf(input, bounds);
    if (!alone.actions.some((action) => countOf(action)?.by === 'generation')) return alone;
    return planOf(input, { ...bounds, elsewhere: await others() });
  };
}

function planOf(input: PlanInput, bounds: Bounds): ScopePlan {
  const [plan] = planEstate([input], bounds);
  if (plan === undefined) throw new Error('one input, one plan');
  return plan;
}

/** Lets everything pass, and remembers it: a finding tells only that something was withheld. */
const noting =
  (planned: Map<string, Action>): Policy =>
  (action) => {
    planned.set(keyOf(action.verb, action.address), action);
    return undefined;
  };

const keyOf = (verb: string, address: Address): string => `${verb} ${address}`;

function waitingOf({ last }: Converged, planned: ReadonlyMap<string, Action>): ReadonlySet<Address> {
  const findings = last?.plan.findings ?? [];
  return new Set(
    findings.flatMap((found) =>
      found.type === 'withheld' && planned.get(keyOf(found.action, found.address))?.cause === 'rollout'
        ? [found.address]
        : [],
    ),
  );
}
