import type { History } from '../../providers/memory/cloud/history.ts';
import type { Inspection } from '../../providers/memory/cloud/inspect.ts';
import type { ScopePlan } from '../../src/core/action.ts';
import type { Desired } from '../../src/core/desired.ts';
import type { Progress } from '../../src/engine/control.ts';
import type { PlannedObservation } from '../../src/engine/converge.ts';
import type { LedgerEntry } from '../../src/ports/ledger.ts';

/** Everything that happened in one simulation, for the invariants to judge. */
export interface Trace {
  readonly cloud: { readonly history: History; readonly inspect: Inspection };
  readonly ledger: { readonly entries: readonly LedgerEntry[]; readonly problem: string | undefined };
  readonly runs: readonly RunTrace[];
  /** People's pauses. */
  readonly pauses: readonly PauseTrace[];
  /** After the quiet. */
  readonly end: EndTrace;
  /** Two texts of one plan, made from the same input in another order. */
  readonly plans: readonly (readonly [string, string])[];
  /** Of each plan, in order. */
  readonly costs: readonly CostTrace[];
}

/** At the price of 1 for a machine: the cost as limits count it, and the known machines that stand. */
export interface CostTrace {
  readonly counted: number;
  readonly machines: number;
}

/** One process's run over the scope. Times are ms since the epoch. */
export interface RunTrace {
  /** The caller in the cloud's history. */
  readonly name: string;
  readonly generation: number;
  readonly desired: readonly Desired[];
  /** Every mutating request as it left, before any pause of the process. */
  readonly sent: readonly SentTrace[];
  /** Every request as it was let go, reads too. */
  readonly asked: readonly AskedTrace[];
  /** The time when it was told to stop, and the time of its end. */
  readonly stop: { readonly at: number; readonly ended: number } | undefined;
  /** It stood still right before a creation, which left when its intent may have been closed. */
  readonly late?: boolean;
  /** The basis of each of its plans, in order. */
  readonly looks?: readonly LookTrace[];
  /** Planned deletions and changes that did not happen. `seq` is of the last call before that was known. */
  readonly stuck?: readonly StuckTrace[];
  /** All that it told of its progress. */
  readonly told: readonly Progress[];
}

/** `seq`: of the last call before it planned. `shown`: ids of all that its look showed. */
export interface LookTrace {
  readonly seq: number;
  readonly plan: ScopePlan;
  readonly shown: ReadonlySet<string>;
}

export interface StuckTrace {
  readonly seq: number;
  readonly address: string;
}

export interface SentTrace {
  readonly at: number;
  readonly action: string;
  readonly leased: boolean;
}

/** `machines`: that it moves; 0 where it is about none. */
export interface AskedTrace {
  readonly at: number;
  readonly action: string;
  readonly machines: number;
}

export interface EndTrace {
  readonly desired: readonly Desired[];
  /** Seen without faults. */
  readonly sight: PlannedObservation;
  readonly outcome: string;
  /** Mutating requests of the reconcile after convergence. */
  readonly writes: number;
}

/** Times are ms since the epoch. `address`: absent: everything of the estate. */
export interface PauseTrace {
  readonly id: number;
  readonly from: number;
  readonly until: number;
  readonly address?: string;
}
