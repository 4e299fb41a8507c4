import type { Finding, Verb } from '../core/action.ts';
import type { Failure } from '../core/failure.ts';
import type { Address, Kind } from '../core/resource.ts';
import type { CallRecord } from '../ports/ledger.ts';

/** What a pass is doing, for people who watch. Never needed for correctness. */
export type Progress =
  /** `seen` objects of `kind` so far; `complete` when its listing has ended. */
  | { readonly at: 'observing'; readonly kind: Kind; readonly seen: number; readonly complete: boolean }
  | { readonly at: 'planned'; readonly pass: number; readonly actions: number; readonly findings: number }
  | { readonly at: 'acting'; readonly kind: Kind; readonly verb: Verb; readonly addresses: readonly Address[] }
  | {
      readonly at: 'settled';
      readonly kind: Kind;
      readonly verb: Verb;
      readonly address: Address;
      /** Absent: it went well. */
      readonly failure?: Failure;
    }
  | { readonly at: 'withheld'; readonly finding: Finding }
  /** `forMs`: how long at least; `atMostMs`: until it is given up; where they are known. */
  | {
      readonly at: 'waiting';
      readonly why: Waiting;
      readonly detail: string;
      readonly forMs?: number;
      readonly atMostMs?: number;
    }
  /** A wait has ended; one of its kind may not have been told before it. `forMs`: how long it really was. */
  | { readonly at: 'waited'; readonly why: Waiting; readonly detail: string; readonly forMs: number }
  | ({ readonly at: 'called' } & Called);

/** A request to the cloud, answered or given up. `lanes`: keys of the budgets that it spent. `code`: of its failure. */
export interface Called extends CallRecord {
  readonly mutating: boolean;
  readonly lanes: readonly string[];
}

/** `budget`: a lane is empty; `backoff`: the cloud failed; `ready`: a machine comes up; `gone`: one goes; `visible`: what was written is not listed yet. */
export type Waiting = 'budget' | 'backoff' | 'ready' | 'gone' | 'visible';
