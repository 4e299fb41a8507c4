import type { Action, ScopePlan } from '../core/action.ts';
import type { Holdings } from '../core/compile/dialect.ts';
import type { Knowledge } from '../core/knowledge.ts';
import type { Observation } from '../core/observed.ts';
import type { BatchLimits } from '../core/pack.ts';
import type { Policy } from '../core/plan/plan-input.ts';
import type { Call } from '../ports/actuator.ts';
import type { Clock } from '../ports/clock.ts';
import type { Inventory } from '../ports/inventory.ts';
import type { Lease } from '../ports/lease.ts';
import type { ApprovedAs, Ledger, Pass } from '../ports/ledger.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { KeptOperations } from '../ports/operations.ts';
import type { Session } from '../ports/provider.ts';
import type { Progress } from './progress.ts';

/** One scope, opened: where a pass looks and works. */
export interface Site {
  readonly session: Session;
  /** Whose the credentials must be, by the cloud's own word. */
  readonly account: string;
  readonly batches: BatchLimits;
  readonly holds: Pick<Holdings, 'fixedMarks' | 'oneByName'>;
  /** Text behind a hash, asked for at apply time only. */
  readonly secret: Call['secret'];
}

/** What the engine stands on. `random` answers in [0,1). */
export interface EnginePorts {
  readonly ledger: Ledger;
  readonly inventory: Inventory;
  readonly operations: KeptOperations;
  readonly limiter: Limiter;
  readonly clock: Clock;
  readonly random: () => number;
}

/** The right to write, and in whose name: what `Leases.acquire` gave, and what every ledger entry says. */
export interface Warrant {
  readonly pass: Pass;
  readonly lease: Lease;
  /** Absent: whatever people say after the lease was taken ends what was planned before. */
  readonly guard?: Guard;
}

/** The permissions that people give: pauses, approvals, modes and `protect`. Where they say something stricter, it is judged again. */
export interface Guard {
  /** The guard epoch under which plans are judged: read before anything that they are judged by. */
  readonly epoch: number;
  /** Judges these very actions by what people say at `epoch`, or later. */
  judge(actions: readonly Action[], epoch: number): Promise<Refusals>;
  /** By which approval it was planned; undefined: by none. */
  approvedAs?(action: Action): ApprovedAs | undefined;
}

/** Those that may not be done, and why. */
export type Refusals = ReadonlyMap<Action, Withholding>;

export type Withholding = NonNullable<ReturnType<Policy>>;

/** What is to do, by what is there and what is known: holds specs, policy, limits and approvals, and writes nothing. */
export type Planner = (observation: Observation, knowledge: Knowledge) => ScopePlan | Promise<ScopePlan>;

/** How a caller steers a running pass. */
export interface Steering {
  /** Aborting ends every wait within a second and sends nothing more; a request on its way is awaited. */
  readonly signal: AbortSignal;
  /** Asked at least every 15 s, and every second while something waits: `stop` ends the pass as an abort does. */
  readonly look?: () => Promise<'go' | 'stop'>;
  readonly tell?: (progress: Progress) => void;
}
