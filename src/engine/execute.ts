import type { Finding, ScopePlan, Verb } from '../core/action.ts';
import type { Failure } from '../core/failure.ts';
import type { Knowledge } from '../core/knowledge.ts';
import type { Observation } from '../core/observed.ts';
import type { Address, Kind } from '../core/resource.ts';
import type { EnginePorts, Site, Steering, Warrant } from './job.ts';

/** What a plan rests on, and the plan. */
export interface Task {
  readonly plan: ScopePlan;
  readonly observation: Observation;
  readonly knowledge: Knowledge;
}

/** What came of a plan. */
export interface Executed {
  readonly settled: readonly Settling[];
  readonly failed: readonly Failing[];
  /** Actions that were not sent: what they depend on failed, a limit refused them, or an atom was not verified. */
  readonly findings: readonly Finding[];
  /** `look`: an answer is missing or our view is stale. `stopped`: the caller or the lease ended it. */
  readonly then: 'done' | 'look' | 'stopped';
  readonly calls: { readonly reads: number; readonly writes: number };
}

export interface Settling {
  readonly kind: Kind;
  readonly verb: Verb;
  readonly address: Address;
}

export interface Failing extends Settling {
  readonly failure: Failure;
}

/** Carries out a plan: order, batches, intents, calls, settlements. Throws only when a store fails. */
export async function execute(
  _task: Task,
  _at: { readonly site: Site; readonly warrant: Warrant },
  _ports: EnginePorts,
  _steering: Steering,
): Promise<Executed> {
  throw new Error('not yet');
}
