import type { ScopePlan } from '../core/action.ts';
import type { Observation } from '../core/observed.ts';
import type { Executed } from './execute.ts';
import type { EnginePorts, Site, Steering, Wanted, Warrant } from './job.ts';

/** One scope to converge. */
export interface Convergence {
  readonly site: Site;
  readonly warrant: Warrant;
  readonly wanted: Wanted;
  /** At most so many passes; default 5. Looks that only wait for a cloud to show what was written are not counted. */
  readonly passes?: number;
  /** How long to wait for that in all, ms; default 330,000: a little over the visibility window. */
  readonly patienceMs?: number;
}

/** What came of all passes. `plan` and `observation` are those of the last look: what is still to do, and what is there. */
export interface Converged {
  /**
   * `done`: nothing left to do that may be done · `failed`: only what failed or waits for a person is left ·
   * `unfinished`: out of passes or patience · `stopped`: by the caller, or the lease was lost.
   */
  readonly outcome: 'done' | 'failed' | 'unfinished' | 'stopped';
  readonly passes: readonly Executed[];
  readonly plan: ScopePlan;
  readonly observation: Observation;
}

/** Look, plan, act, and look again, until nothing is left to do. Records each observation in the inventory. */
export async function converge(_job: Convergence, _ports: EnginePorts, _steering: Steering): Promise<Converged> {
  throw new Error('not yet');
}
