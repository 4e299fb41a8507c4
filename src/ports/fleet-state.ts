import type { Address } from '../core/resource.ts';
import type { Approvals } from './approvals.ts';
import type { Backoffs } from './backoffs.ts';
import type { By } from './by.ts';
import type { Pauses } from './pauses.ts';
import type { Where } from './queue.ts';
import type { ScopeCounts } from './scope-counts.ts';

/** What workers tell each other, and people tell them: in the store, so that any worker may die. */
export interface FleetState {
  readonly trees: Trees;
  readonly requests: Requests;
  readonly pauses: Pauses;
  readonly approvals: Approvals;
  readonly rollouts: Rollouts;
  readonly quarantine: Quarantine;
  readonly backoffs: Backoffs;
  readonly counts: ScopeCounts;
}

/** Spec trees by revision, so that a pass needs no folder. Never changed once kept. */
export interface Trees {
  keep(estate: string, revision: string, tree: KeptTree): Promise<void>;
  read(estate: string, revision: string): Promise<KeptTree | undefined>;
}

/** As read: `specs` are texts, `userData` bytes in base64; paths within the tree. No secret is in a spec tree. */
export interface KeptTree {
  readonly specs: readonly { readonly path: string; readonly text: string }[];
  readonly userData: readonly { readonly path: string; readonly base64: string }[];
  /** That lies over the base; `specs` are of these two. */
  readonly overlay?: string;
}

/** Wishes for a pass now. A row, not a job: a pass that runs looks at it every second. */
export interface Requests {
  /** A later wish replaces an earlier one. */
  ask(where: Where, reason: string): Promise<void>;
  /** One query: the newest wish that no pass has answered yet, and the newest generation's number (0: none). */
  pulse(where: Where): Promise<Pulse>;
  /** Where a wish waits for an answer, over all estates. */
  unanswered(): Promise<readonly Where[]>;
  /** The pass that saw this wish has ended: later ones stay. One that was never made answers none. */
  answered(where: Where, wish: number): Promise<void>;
}

/** `wish`: only ever rising; 0: none. */
export interface Pulse {
  readonly wish: number;
  readonly reason?: string;
  readonly generation: number;
}

/** How far a generation has come in a scope. */
export interface Rollouts {
  /** The newest generation that came wholly into force here: what healing returns to. 0: none. */
  standing(where: Where): Promise<number>;
  /** Whether any generation ever came wholly into force by a fleet on this database. */
  any(): Promise<boolean>;
  /** Never lower than it stands. */
  stand(where: Where, generation: number): Promise<void>;
  /** Progressive rollouts that stopped, and wait for a person. */
  stopped(where: Where): Promise<readonly StoppedRollout[]>;
  /** A document's newest stop replaces an earlier one; one of a lower generation than that changes nothing. */
  stop(where: Where, rollout: StoppedRollout): Promise<void>;
  /**
   * Lets it go on: of all documents of the scope where none is named. Writes a note into the ledger, in the same transaction;
   * where nothing had stopped, nothing is written.
   */
  resume(where: Where, by: By, document?: Address): Promise<void>;
}

/** `why`: what failed, for people. */
export interface StoppedRollout {
  readonly document: Address;
  readonly generation: number;
  readonly why: string;
}

/** Scopes whose passes fail in our own code: out of the way of the others until a person or a newer generation comes. */
export interface Quarantine {
  /** Where it already is in for this generation, `since` stays. */
  put(where: Where, why: string, generation: number): Promise<void>;
  /** Those in force; all estates where none is named. */
  list(estate?: string): Promise<readonly Quarantined[]>;
  /** `by`: a person, whose word is a note in the ledger, in the same transaction; where nothing was held, nothing is written. */
  release(where: Where, by?: By): Promise<void>;
}

export interface Quarantined extends Where {
  readonly why: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** The newest generation then: a newer one releases it. */
  readonly generation: number;
}
