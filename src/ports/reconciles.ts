import type { Bounds } from '../core/access/grant.ts';
import type { Verb } from '../core/action.ts';
import type { Address, Kind, ScopeKey } from '../core/resource.ts';
import type { CallRecord } from './ledger.ts';
import type { Where } from './queue.ts';
import type { ReconcileOutcome } from './telemetry.ts';

/** Passes as they went, for people who ask; never needed for correctness. Kept for a week, and at most so many of a scope. */
export interface Passes {
  /** From now on it is seen to run. */
  begin(pass: PassDraft): Promise<void>;
  /** Whether it was begun here or not. */
  end(pass: PassDraft, ending: PassEnding): Promise<void>;
  /** Newest first. */
  page(query: PassQuery): Promise<PassPage>;
  /** Undefined where there is none, or it lies outside of `seen`. */
  find(id: string, seen: readonly Bounds[]): Promise<ToldPass | undefined>;
  /** How the scopes of an estate stand, sorted by scope. */
  scopes(estate: string): Promise<readonly ScopePasses[]>;
}

/** Times are ms since the epoch. `reason`: who wished for it and why; absent: it was due, or there was more to do. */
export interface PassDraft extends Where {
  /** The `reconcileId` of logs and the ledger. */
  readonly id: string;
  readonly began: number;
  readonly reason?: string;
  readonly ground: PassGround;
}

/** What a pass rests on. `generation` 0 and `revision` '': it never came so far. */
export interface PassGround {
  readonly targets: readonly string[];
  readonly generation: number;
  readonly revision: string;
  /** Absent: it did not get it. */
  readonly lease?: { readonly holder: string; readonly epoch: number };
}

/** `nextAt`: when another one is due at the latest, where that is known. `quiet`: nothing was sent, and nothing went wrong. */
export interface PassEnding {
  readonly ended: number;
  readonly outcome: ReconcileOutcome;
  readonly why?: string;
  readonly nextAt?: number;
  readonly quiet: boolean;
  readonly account: PassAccount;
}

export interface PassAccount {
  readonly counts: PassCounts;
  readonly timeline: readonly PassEntry[];
  /** How many lines of each sort were too many to keep. */
  readonly rest: Readonly<Partial<Record<PassEntry['what'], number>>>;
}

/** `reads`, `writes`: requests to the cloud. `waitedMs`: the sum of all waits, some of which were at the same time. */
export interface PassCounts {
  readonly reads: number;
  readonly writes: number;
  readonly settled: number;
  readonly failed: number;
  readonly withheld: number;
  readonly waitedMs: number;
}

/** `state` `lost`: its worker lost the lease or died, and nobody wrote down how it ended. */
export interface KeptPass extends PassDraft {
  readonly state: 'running' | 'ended' | 'lost';
  readonly ending?: Omit<PassEnding, 'account' | 'quiet'> & { readonly counts: PassCounts };
}

/** `timeline`: of one that has ended. */
export interface ToldPass extends KeptPass {
  readonly timeline?: Pick<PassAccount, 'timeline' | 'rest'>;
}

export interface PassQuery {
  /** Who asks sees only what lies within one of these. */
  readonly seen: readonly Bounds[];
  readonly filter: PassFilter;
  readonly limit: number;
  /** The place after which to go on, as the page before gave it; opaque. */
  readonly after?: string;
}

/** `since`, `until`: when it began. */
export interface PassFilter {
  readonly estate?: string;
  readonly scope?: ScopeKey;
  readonly target?: string;
  readonly outcomes?: readonly ReconcileOutcome[];
  readonly since?: number;
  readonly until?: number;
}

export interface PassPage {
  readonly passes: readonly KeptPass[];
  /** For the next page; absent: this was the last. */
  readonly next?: string;
}

/** `running`: one that has begun and not ended. */
export interface ScopePasses {
  readonly scope: ScopeKey;
  readonly last?: KeptPass;
  readonly running?: Pick<PassDraft, 'id' | 'began'>;
}

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

/** A request to the cloud. `rate limits`: the budgets that it spent. */
interface PassCall extends CallRecord {
  readonly mutating: boolean;
  readonly lanes: readonly string[];
}

/**
 * `budget`: a rate limit was empty · `backoff`: the cloud failed · `ready`: a machine came up · `gone`: one went · `visible`: what was
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
