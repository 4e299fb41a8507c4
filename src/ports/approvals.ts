import type { By } from './by.ts';
import type { Where } from './queue.ts';

/** A person's word that lets pass what modes and limits withhold. Given with a note in the ledger, in the same transaction. */
export interface Approvals {
  give(approval: ApprovalDraft): Promise<Approval>;
  /**
   * Those of this scope that have not run out, and of the newest generation. `actions`: those that are not spent; of a replacement
   * that is half done, also the other half.
   */
  inForce(where: Where): Promise<readonly Approval[]>;
  /** All of the newest generation, of every scope, oldest first: those that have run out too, as what they let pass has run. */
  given(estate: string): Promise<readonly Approval[]>;
  /** Lets nothing more pass, from this moment; with a note in the ledger. Undefined: there is none of this number in force. */
  withdraw(estate: string, seq: number, by: By): Promise<Approval | undefined>;
}

/**
 * Bound to what was shown: `digest` is the plan's, `actions` are the digests of its actions. Another before-value makes
 * another digest, so what has moved since is not approved.
 */
export interface ApprovalDraft extends Where {
  readonly generation: number;
  readonly digest: string;
  readonly actions: readonly string[];
  /** Deletes and replaces among them, which pass whatever the limits. */
  readonly destroys: number;
  /** New machines among them, which pass likewise; absent: none. */
  readonly creates?: number;
  /** Closures among them of rules that nobody wrote, which pass likewise; absent: none. */
  readonly closures?: number;
  readonly by: ApprovedBy;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** `authorsUnknown`: nobody could say whether the person made some of it. */
export interface ApprovedBy {
  readonly person: string;
  readonly reason: string;
  readonly authorsUnknown?: true;
}

export interface Approval extends ApprovalDraft {
  /** Of its note in the ledger. */
  readonly seq: number;
  /** What the estate had deleted and replaced by then: by the generation, or by healing where that is more. */
  readonly ran: number;
  /** The same of new machines and closures; absent where an earlier version wrote it down. */
  readonly ranBeside?: { readonly creates: number; readonly closures: number };
}
