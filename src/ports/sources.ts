import type { By } from './by.ts';
/** Whoever holds the lease of this scope follows the sources of the estate. */
export const followScope = 'specs';

/** What workers and people tell each other about where the specs come from. */
export interface Sources {
  readonly states: SourceStates;
  readonly pins: Pins;
  readonly histories: Histories;
  readonly bells: Bells;
}

export interface SourceStates {
  /** Replaces what was told of this source; `since` stays while state and head do. */
  tell(estate: string, state: SourceDraft): Promise<void>;
  list(estate: string): Promise<readonly SourceState[]>;
}

/** `source`: a repository or folder as people name it, never with a credential in it. */
export interface SourceDraft {
  readonly source: string;
  /** The newest state that was seen there: a commit, or a folder's hash; absent: none yet. */
  readonly head?: string;
  readonly state: SourceCondition;
  /** What is wrong, where something is, and what to do; '' where nothing is. */
  readonly why: string;
}

export interface SourceState extends SourceDraft {
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/**
 * `followed`: its head is in force. `broken`: its specs are not sound. `unsigned`: a commit is not signed as the estate asks.
 * `rewritten`: what is in force is no ancestor of its head. `pinned`: a person holds another revision. `away`: it cannot be read.
 * In all but the first the last good generation stays.
 */
export type SourceCondition = 'followed' | 'broken' | 'unsigned' | 'rewritten' | 'pinned' | 'away';

/** An estate held at a revision: nothing is followed. Each verb writes a note into the ledger, in the same transaction. */
export interface Pins {
  pin(estate: string, revision: string, by: By): Promise<Pin>;
  current(estate: string): Promise<Pin | undefined>;
  /** The pin that ended; undefined, and nothing written, where there was none. */
  unpin(estate: string, by: By): Promise<Pin | undefined>;
}

export interface Pin {
  readonly revision: string;
  readonly by: By;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Rewritten histories that a person took on. A note in the ledger. */
export interface Histories {
  accept(estate: string, move: Rewriting, by: By): Promise<void>;
  isAccepted(estate: string, move: Rewriting): Promise<boolean>;
}

/** From the revision that is in force ('': none) to this head, and no other way there: who pushes by force could go back to it. */
export interface Rewriting {
  readonly head: string;
  readonly after: string;
}

/** That a repository may have moved: rung by webhooks, heard by whichever worker follows. */
export interface Bells {
  ring(estate: string): Promise<void>;
  /** How often it was rung; only ever rising. */
  rung(estate: string): Promise<number>;
}
