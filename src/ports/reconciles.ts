import type { Bounds } from '../core/access/grant.ts';
import type { DoneVerb } from '../core/action.ts';
import type { Address, Kind, ScopeKey } from '../core/resource.ts';
import type { CallRecord } from './ledger.ts';
import type { Where } from './queue.ts';
import type { ReconcileOutcome } from './telemetry.ts';

/** Reconciles as they went, for people who ask; never needed for correctness. Kept for a week, and at most so many of a scope. */
export interface Reconciles {
  /** From now on it is seen to run. */
  begin(reconcile: ReconcileDraft): Promise<void>;
  /** Records the end, whether or not `begin` was recorded. */
  end(reconcile: ReconcileDraft, ending: ReconcileEnding): Promise<void>;
  /** Newest first. */
  page(query: ReconcileQuery): Promise<ReconcilePage>;
  /** Undefined where there is none, or it lies outside of `seen`. */
  find(id: string, seen: readonly Bounds[]): Promise<ReconcileDetails | undefined>;
  /** The reconciles of an estate's scopes, sorted by scope. */
  scopes(estate: string): Promise<readonly ScopeReconciles[]>;
}

/**
 * Times are ms since the epoch. `reason`: the actor of the request and the reason; absent: it was due, or there was more to do.
 */
export interface ReconcileDraft extends Where {
  /** The `reconcileId` of logs and the ledger. */
  readonly id: string;
  readonly began: number;
  readonly reason?: string;
  readonly ground: ReconcileGround;
}

/** The specs that a reconcile rests on. `generation` 0 and `revision` '': it never came so far. */
export interface ReconcileGround {
  readonly targets: readonly string[];
  readonly generation: number;
  readonly revision: string;
  /** Absent: it did not get it. */
  readonly lease?: { readonly holder: string; readonly epoch: number };
}

/** `nextAt`: when another one is due at the latest, where that is known. `quiet`: nothing was sent, and nothing went wrong. */
export interface ReconcileEnding {
  readonly ended: number;
  readonly outcome: ReconcileOutcome;
  readonly why?: string;
  readonly nextAt?: number;
  readonly quiet: boolean;
  readonly account: ReconcileAccount;
}

export interface ReconcileAccount {
  readonly counts: ReconcileCounts;
  readonly timeline: readonly ReconcileEntry[];
  /** The number of entries of each sort that were too many to keep. */
  readonly rest: Readonly<Partial<Record<ReconcileEntry['what'], number>>>;
}

/** `reads`, `writes`: requests to the cloud. `waitedMs`: the sum of all waits, some of which were at the same time. */
export interface ReconcileCounts {
  readonly reads: number;
  readonly writes: number;
  readonly settled: number;
  readonly failed: number;
  readonly withheld: number;
  readonly waitedMs: number;
}

/** `state` `lost`: its worker lost the lease or died, and nobody wrote down how it ended. */
export interface KeptReconcile extends ReconcileDraft {
  readonly state: 'running' | 'ended' | 'lost';
  readonly ending?: Omit<ReconcileEnding, 'account' | 'quiet'> & { readonly counts: ReconcileCounts };
}

/** `timeline`: of one that has ended. */
export interface ReconcileDetails extends KeptReconcile {
  readonly timeline?: Pick<ReconcileAccount, 'timeline' | 'rest'>;
}

export interface ReconcileQuery {
  /** The caller sees only what lies within one of these. */
  readonly seen: readonly Bounds[];
  readonly filter: ReconcileFilter;
  readonly limit: number;
  /** The place after which to go on, as the page before gave it; opaque. */
  readonly after?: string;
}

/** `since`, `until`: when it began. */
export interface ReconcileFilter {
  readonly estate?: string;
  readonly scope?: ScopeKey;
  readonly target?: string;
  readonly outcomes?: readonly ReconcileOutcome[];
  readonly since?: number;
  readonly until?: number;
}

export interface ReconcilePage {
  readonly reconciles: readonly KeptReconcile[];
  /** For the next page; absent: this was the last. */
  readonly next?: string;
}

/** `running`: one that has begun and not ended. */
export interface ScopeReconciles {
  readonly scope: ScopeKey;
  readonly last?: KeptReconcile;
  readonly running?: Pick<ReconcileDraft, 'id' | 'began'>;
}

/** A line of a reconcile's timeline. `at`: ms since the epoch; its beginning, where it has a duration. */
export type ReconcileEntry = { readonly at: number } & (
  | ({ readonly what: 'call' } & ReconcileCall)
  | { readonly what: 'wait'; readonly reason: ReconcileWait; readonly detail: string; readonly durationMs: number }
  | { readonly what: 'listed'; readonly kind: Kind; readonly count: number }
  | { readonly what: 'planned'; readonly look: number; readonly actions: number; readonly findings: number }
  | ({ readonly what: 'sent' } & ReconcileBatch)
  | ({ readonly what: 'settled' } & ReconcileSettled)
  | ({ readonly what: 'withheld' } & ReconcileWithheld)
);

/** A request to the cloud. `rate limits`: the budgets that it spent. */
interface ReconcileCall extends CallRecord {
  readonly mutating: boolean;
  readonly lanes: readonly string[];
}

/**
 * `budget`: a rate limit was empty · `backoff`: the cloud failed · `ready`: a machine came up · `gone`: one went · `visible`: what was
 * written was not listed yet · `lease`: somebody else had the scope · `wave`: machines of a wave came up.
 */
export type ReconcileWait = 'budget' | 'backoff' | 'ready' | 'gone' | 'visible' | 'lease' | 'wave';

/** Handed to the actuator together. `addresses`: the first of them. */
export interface ReconcileBatch {
  readonly kind: Kind;
  readonly verb: DoneVerb;
  readonly count: number;
  readonly addresses: readonly Address[];
}

/** `code` and `why`: of its failure; absent: it went well. */
export interface ReconcileSettled {
  readonly kind: Kind;
  readonly verb: DoneVerb;
  readonly address: Address;
  readonly code?: string;
  readonly why?: string;
}

export interface ReconcileWithheld {
  readonly code: string;
  readonly address?: Address;
  readonly why: string;
}
