import type { Verb } from '../core/action.ts';
import type { Address, Kind } from '../core/resource.ts';
import type { CallRecord } from './ledger.ts';

/** A line of a pass's timeline. `at`: ms since the epoch; of what has a duration, when it began. */
export type PassEntry = { readonly at: number } & (
  | ({ readonly what: 'call' } & PassCall)
  | { readonly what: 'wait'; readonly reason: PassWait; readonly detail: string; readonly durationMs: number }
  | { readonly what: 'listed'; readonly kind: Kind; readonly count: number }
  | { readonly what: 'planned'; readonly look: number; readonly actions: number; readonly findings: number }
  | ({ readonly what: 'sent' } & PassBatch)
  | ({ readonly what: 'settled' } & PassSettled)
  | ({ readonly what: 'withheld' } & PassWithheld)
);

/** A request to the cloud. `lanes`: the budgets that it spent. */
export interface PassCall extends CallRecord {
  readonly mutating: boolean;
  readonly lanes: readonly string[];
}

/**
 * `budget`: a lane was empty · `backoff`: the cloud failed · `ready`: a machine came up · `gone`: one went · `visible`: what was
 * written was not listed yet · `lease`: somebody else had the scope · `wave`: machines of a wave came up.
 */
export type PassWait = 'budget' | 'backoff' | 'ready' | 'gone' | 'visible' | 'lease' | 'wave';

/** Handed to the actuator together. `addresses`: the first of them. */
export interface PassBatch {
  readonly kind: Kind;
  readonly verb: Verb;
  readonly count: number;
  readonly addresses: readonly Address[];
}

/** `code` and `why`: of its failure; absent: it went well. */
export interface PassSettled {
  readonly kind: Kind;
  readonly verb: Verb;
  readonly address: Address;
  readonly code?: string;
  readonly why?: string;
}

export interface PassWithheld {
  readonly code: string;
  readonly address?: Address;
  readonly why: string;
}
