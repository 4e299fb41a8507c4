import type { Action, WithholdCode } from '../core/action.ts';
import type { CompiledScope } from '../core/compile/compile.ts';
import { type Birth, isUnproven, minReadyOf } from '../core/knowledge.ts';
import type { StoppedWaves, Wanted } from '../core/plan/plan-input.ts';
import { isSameRollout, rolloutsToStop } from '../core/plan/rollout-stops.ts';
import type { Address } from '../core/resource.ts';
import type { Converged } from '../engine/converge.ts';
import type { OpenedEstate } from '../estate/load.ts';
import type { StoppedRollout } from '../ports/fleet-state.ts';
import type { Generation } from '../ports/knowledge.ts';
import type { Where } from '../ports/queue.ts';
import type { Store } from '../ports/store.ts';
import type { Generations } from './generations.ts';

/** The progressive rollouts that stopped here and are still in the specs. */
export async function stoppedRolloutsOf(
  where: Where,
  activeSpec: ActiveSpec,
  records: GenerationAccess,
): Promise<readonly StoppedWaves[]> {
  const all = await records.store.fleet.rollouts.stopped(where);
  const same = await Promise.all(all.map((one) => asksTheSame(one, activeSpec, { ...records, where })));
  return all.filter((_, at) => same[at]);
}

/** Reads earlier generations. */
export interface GenerationAccess {
  readonly store: Store;
  readonly generations: Generations;
}

async function asksTheSame(
  one: StoppedRollout,
  activeSpec: ActiveSpec,
  { where, store, generations }: GenerationAccess & { readonly where: Where },
): Promise<boolean> {
  if (one.generation === activeSpec.generation.number) return true;
  const then = await store.generations.numbered(where.estate, one.generation);
  if (then === undefined) return true;
  // why: its former specs cannot be read any more; a person can
  const opened = await generations.open(where.estate, then).catch(() => undefined);
  if (opened === undefined) return true;
  const scope = opened.compiled.scopes.find(({ scope: key }) => key === where.scope);
  return scope === undefined || isSameRollout(one, scope.wanted, activeSpec.scope.wanted);
}

/** Stops the rollout of a wave with permanent failures, until a person resumes it or the spec changes. */
export async function stopFailedRollouts(
  where: Where,
  activeSpec: ActiveSpec,
  { converged, planned }: Pick<ConvergeResult, 'converged' | 'planned'>,
  store: Store,
): Promise<void> {
  const failed = failuresOf(converged);
  if (failed.length === 0) return;
  const stops = rolloutsToStop(planned, failed, { wanted: activeSpec.scope.wanted, scope: where.scope });
  for (const stop of stops)
    await store.fleet.rollouts.stop(where, { ...stop, generation: activeSpec.generation.number });
}

const failuresOf = ({ rounds: reconciles }: Converged) =>
  reconciles.flatMap((reconcile) =>
    reconcile.failed.flatMap(({ verb, address, failure, expected }) =>
      expected === 'person' ? [{ verb, address, message: failure.message }] : [],
    ),
  );

/** The time that starting machines get before the next check of their readiness. */
const startingMs = 3_000;
/** The same of machines that run, and must have been ready for longer. */
const provingMs = 10_000;

/** The ms until the next observation, where the next wave only waits for machines of this one to come up. */
export function msToNextWave(
  { converged: { last }, planned }: Pick<ConvergeResult, 'converged' | 'planned'>,
  wanted: Wanted,
  now: number,
): number | undefined {
  const rollouts = new Set(planned.filter(({ cause }) => cause !== 'drift').map(({ address }) => address));
  const held = (last?.plan.findings ?? []).flatMap((found) =>
    found.type === 'withheld' && rollouts.has(found.address) ? [found.code] : [],
  );
  if (!held.includes('wave') || held.some((code) => !patient.has(code))) return undefined;
  // why: withheld drift, as while healing is paused, may stay so for days
  const { resources = [], pending = [] } = last?.observation ?? {};
  if (pending.length > 0 || resources.some(({ condition }) => condition.state === 'pending')) return startingMs;
  const terms = new Map(wanted.desired.map((one) => [one.address, one.terms]));
  const isUnready = (birth: Birth): boolean => isUnproven(birth, minReadyOf(terms.get(birth.address) ?? {}), now);
  return last?.knowledge.births?.some(isUnready) ? provingMs : undefined;
}

/** Reasons that end without a person. */
const patient: ReadonlySet<WithholdCode> = new Set(['wave', 'depends', 'grace']);

/** A generation, and its specs of the scope. */
export interface ActiveSpec {
  readonly generation: Generation;
  readonly estate: OpenedEstate;
  readonly scope: CompiledScope;
}

export interface ConvergeResult {
  readonly converged: Converged;
  /** Addresses with a new spec that the cloud may not follow yet: a mode, a limit, a pause or a wave withholds it. */
  readonly waiting: ReadonlySet<Address>;
  /** All that its plans wanted to do, held or not, each once. */
  readonly planned: readonly Action[];
  /** Scopes that its last plan waits for, because nobody has counted yet what the generation would do there. */
  readonly uncounted: number;
}
