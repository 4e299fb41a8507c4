import type { Bounds } from '../core/access/grant.ts';
import type { ScopeKey } from '../core/resource.ts';
import type { PassEntry } from './pass-entry.ts';
import type { Where } from './queue.ts';
import type { PassOutcome } from './telemetry.ts';

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
  readonly outcome: PassOutcome;
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
  readonly outcomes?: readonly PassOutcome[];
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
