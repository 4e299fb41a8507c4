import type { CompiledScope } from '../core/compile/compile.ts';
import type { RowsInput } from '../core/inventory/rows.ts';
import type { Knowledge } from '../core/knowledge.ts';
import type { Observation } from '../core/observed.ts';
import { type Noting, noting } from '../core/plan/destructive-drift.ts';
import { planEstate } from '../core/plan/estate.ts';
import type { Choices, PlanInput } from '../core/plan/plan-input.ts';
import { approvedBy } from '../core/plan/policies.ts';
import type { Store } from '../ports/store.ts';
import { type InForce, inForce } from './in-force.ts';
import { keepRows } from './keep-rows.ts';
import { leaveScopes } from './leave-scopes.ts';
import { type OpenedEstate, providerOf } from './opened-estate.ts';
import { sha256 } from './sha256.ts';

/** One scope as it was seen, and what was tried there in vain. */
export interface SeenScope extends Pick<RowsInput, 'attempt'> {
  readonly scope: CompiledScope;
  readonly observation: Observation;
  readonly knowledge: Knowledge;
}

/**
 * Keeps what was seen as the lines of the inventory, as a worker would plan it: whatever a person let pass, chose or proposed is
 * left out. Scopes that these specs do not name are left. Nothing is kept where other specs are in force. Returns whether it was.
 */
export async function keepInForce(estate: OpenedEstate, seen: readonly SeenScope[], store: Store): Promise<boolean> {
  const current = await store.generations.current(estate.name);
  if (current?.revision !== estate.tree.revision) return false;
  const force = await inForce(estate, store);
  const noted = seen.map(noting);
  const inputs = await Promise.all(
    seen.map((one, i) => inputOf(one, { estate, store, force, noted: noted[i] ?? noting() })),
  );
  const plans = planEstate(inputs, force.bounds);
  for (const [i, { scope, attempt }] of seen.entries()) {
    const [input, plan] = [inputs[i], plans[i]];
    if (input === undefined || plan === undefined) continue;
    const where = { estate: estate.name, scope: scope.scope };
    const looked = { input, plan, planned: noted[i]?.planned() ?? [], generation: current.number };
    await keepRows(where, { ...looked, ...(attempt === undefined ? {} : { attempt }) }, store);
  }
  await leaveOthers(estate, seen, store);
  return true;
}

async function leaveOthers({ name, compiled }: OpenedEstate, seen: readonly SeenScope[], store: Store): Promise<void> {
  if (seen.length === 0) return;
  const scopes = compiled.scopes.map(({ scope }) => scope);
  await leaveScopes({ estate: name, scopes }, Math.max(...seen.map(({ observation }) => observation.at)), store);
}

interface Ground {
  readonly estate: OpenedEstate;
  readonly store: Store;
  readonly force: InForce;
  readonly noted: Noting;
}

async function inputOf({ scope, observation, knowledge }: SeenScope, ground: Ground): Promise<PlanInput> {
  const { dialect, batches } = providerOf(scope, ground.estate);
  const choices = await choicesIn(scope, ground);
  return { wanted: scope.wanted, observation, knowledge, dialect, batches, choices };
}

async function choicesIn({ scope }: CompiledScope, { estate, store, force, noted }: Ground): Promise<Choices> {
  const where = { estate: estate.name, scope };
  const [approvals, stopped] = await Promise.all([
    store.fleet.approvals.inForce(where),
    store.fleet.rollouts.stopped(where),
  ]);
  return {
    unattended: true,
    policies: [noted.policy, ...force.policies],
    approved: approvedBy(new Set(approvals.flatMap(({ actions }) => actions)), sha256),
    stopped: stopped.filter(({ generation }) => generation === force.generation),
    ...(force.modesBefore === undefined ? {} : { modesBefore: force.modesBefore }),
  };
}
