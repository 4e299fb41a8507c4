import type { Failure } from '../core/failure.ts';
import type { Ended, KeptTerms } from '../core/knowledge.ts';
import type { SignedCheckpoint, WitnessedCheckpoint } from '../core/ledger/chain.ts';
import type { Allowance, Sort } from '../core/limits.ts';
import type { Address, CloudId, Kind, ScopeKey } from '../core/resource.ts';

/**
 * The append-only record: a chain for each scope, and one for the notes of people. An intent is committed before the cloud is called; exactly one settlement follows it.
 * Intending the same action (address, verb) again while its intent is open returns that intent with `attempt` + 1.
 */
export interface Ledger {
  /**
   * One transaction: all or, where one is refused, only that one refused. Same order as `drafts`. Refused is what a limit
   * forbids, and an address where a higher generation than the reconcile's was applied or removed; and all but `forget` where the
   * guard epoch is no longer the reconcile's, or its guards ended by themselves; and what needs an approval that is spent or gone.
   */
  intend(reconcile: Reconcile, drafts: readonly IntentDraft[]): Promise<readonly Intended[]>;
  /**
   * One transaction: the entry, the new and released claims, and the applied values. A settlement that is repeated, word for word, changes
   * nothing.
   */
  settle(reconcile: Reconcile, settlements: readonly Settlement[]): Promise<void>;
  /** Something that is neither: an approval, a takeover, a pause. Returns its sequence number. */
  note(estate: string, note: Readonly<Record<string, unknown>>): Promise<number>;
  /**
   * The number of stricter decisions of people: pauses, withdrawn approvals, other generations. Cheap: read before every
   * request that changes something.
   */
  guardEpoch(estate: string): Promise<number>;
  /** The store's clock, ms since the epoch: windows, freezes and pauses begin and end by it. */
  now(): Promise<number>;
  /**
   * Open intents that were made under an older guard epoch than the newest: a call of theirs may be on its way. Asked after a word
   * was committed it names all that can still reach the cloud in spite of it.
   */
  onTheWay(estate: string): Promise<readonly OnTheWay[]>;
  entries(filter: LedgerFilter): AsyncIterable<LedgerEntry>;
}

/** Identifies the reconcile in every entry. The lease on `scope` has `epoch`. */
export interface Reconcile {
  readonly estate: string;
  readonly scope: ScopeKey;
  readonly reconcileId: string;
  readonly authority: Authority;
  readonly lease: { readonly holder: string; readonly epoch: number };
  /** The guard epoch under which it was judged what may be done. Left out: that in which the lease was taken. */
  readonly guardEpoch?: number;
  /** From then on it is judged again, by the store's clock: intents are refused as in another guard epoch. Absent: never. */
  readonly guardUntil?: number;
}

export interface Authority extends Allowance {
  readonly revision: string;
  readonly generation: number;
  readonly plan: string;
  readonly approver: string;
}

export interface IntentDraft {
  /** `tombstone`: the object is to be deleted later. It calls no cloud. */
  readonly verb: 'create' | 'update' | 'delete' | 'adopt' | 'forget' | 'tombstone';
  readonly subject: Subject;
  /** Field changes, or all attributes of a created or removed resource, so that a person can restore it. Secrets are hashes. */
  readonly details: Readonly<Record<string, unknown>>;
  /**
   * Takes a place in the estate's count: see `countOf` in core/plan/tally.ts. Drafts of one scope that
   * name the same `of` share one place: the rules of a document name it, both halves of a replacement the machine that goes.
   * Left out, the subject's id is meant, else its address.
   */
  readonly counts?: {
    readonly as: Sort;
    readonly by: 'generation' | 'healing';
    readonly of?: Address | CloudId;
  };
  /** The monthly cost that it adds to the estate's, where that has a limit. Absent: it adds none. */
  readonly raisesCostBy?: number;
  /** The approvals that it reserves: refused where no active one covers it any more, or one of those that it needs is gone. */
  readonly approval?: ApprovedAs;
}

/**
 * The digests of the planned action, and of its parts where it takes several calls. `joining`: the first step of a change of groups.
 * `needs`: the numbers of all approvals that the plan used; absent: any one is enough.
 */
export interface ApprovedAs {
  readonly digest: string;
  readonly halves: readonly string[];
  readonly joining?: true;
  readonly needs?: readonly number[];
}

export interface Subject {
  readonly kind: Kind;
  readonly address: Address;
  readonly id?: CloudId;
}

export type Intended =
  | { readonly ok: true; readonly intent: string; readonly attempt: number }
  | { readonly ok: false; readonly reason: 'limit' | 'generation' | 'guards' | 'approval'; readonly why: string };

export interface OnTheWay {
  readonly intent: string;
  readonly scope: ScopeKey;
  readonly address: Address;
  readonly verb: IntentDraft['verb'];
}

export interface Settlement {
  readonly intent: string;
  readonly outcome: { readonly ok: true } | { readonly ok: false; readonly failure: Failure };
  /** False leaves the intent open: the call may have happened, and a later observation looks for it. */
  readonly closes: boolean;
  readonly effects: readonly Effect[];
  readonly calls: readonly CallRecord[];
}

/**
 * An effect of a settlement on the knowledge in the store. It never sets the applied state back to an intent of a lower
 * generation.
 */
export type Effect =
  | {
      readonly do: 'claim';
      readonly subject: Subject;
      readonly terms: KeptTerms;
      /** The launch attributes of a successor whose attributes are not applied yet. */
      readonly launched?: unknown;
    }
  | { readonly do: 'release'; readonly id: CloudId }
  /** We claim it no more, and yet know it if the cloud shows it again. */
  | { readonly do: 'end'; readonly subject: Subject; readonly as: Ended['as'] }
  | {
      readonly do: 'apply';
      readonly address: Address;
      readonly attributes: unknown;
      readonly documents?: readonly Address[];
    }
  | { readonly do: 'unapply'; readonly address: Address }
  /** The object is to be deleted after this time. `by`: a person asked for it; else an approval or the mode let it pass. */
  | { readonly do: 'tombstone'; readonly subject: Subject; readonly forMs: number; readonly by?: 'person' };

/** One request to the cloud: the API's action, the cloud's request id, how long. */
export interface CallRecord {
  readonly action: string;
  readonly requestId?: string;
  readonly durationMs: number;
  readonly code?: string;
}

export interface LedgerFilter {
  readonly estate?: string;
  readonly address?: Address;
  readonly after?: number;
  readonly limit?: number;
}

export interface LedgerEntry {
  /** Unique in its estate. Those of one chain rise; of two chains the lower one may be seen later. */
  readonly seq: number;
  readonly at: number;
  readonly type: 'intent' | 'settlement' | 'note';
  readonly body: Readonly<Record<string, unknown>>;
  /** `of`: the scope, or `people` for notes; `number` counts in it. Absent in entries of the first version. */
  readonly chain: {
    readonly of?: string;
    readonly number?: number;
    readonly previous: string;
    readonly hash: string;
  };
}

/** The ledger of an estate as it is asked about, page by page. */
export interface EntryPages {
  page(query: EntryQuery): Promise<EntryPage>;
  /** The number of entries; of one address, where one is named. */
  count(estate: string, address?: Address): Promise<number>;
}

export interface EntryQuery {
  readonly estate: string;
  readonly filter: EntryFilter;
  readonly newestFirst: boolean;
  readonly limit: number;
  /** The number of the entry after which to go on, in that order. */
  readonly after?: number;
}

/** All of them must fit. `person`: the approver, or the person of the note. Times are ms since the epoch. */
export interface EntryFilter extends EntryMatch {
  readonly address?: Address;
  readonly types?: readonly LedgerEntry['type'][];
  readonly since?: number;
  readonly until?: number;
}

export interface EntryMatch {
  readonly verb?: string;
  readonly kind?: Kind;
  readonly person?: string;
  readonly reconcileId?: string;
}

/** `next`: the number after which to go on; absent: there are no more. A page may hold fewer than asked for, and have a next. */
export interface EntryPage {
  readonly entries: readonly LedgerEntry[];
  readonly next?: number;
}

/** A place outside the database and its folder that keeps signed checkpoints, so that nobody who rewrites the ledger rewrites them too. */
export interface Witness {
  /** For people; without secrets. */
  readonly name: string;
  /** Rejects where the witness did not take it. It may be sent again. */
  send(checkpoint: SignedCheckpoint): Promise<void>;
  /** Every checkpoint that it holds, of all ledgers. Rejects where it cannot be read. */
  read(): Promise<readonly WitnessedCheckpoint[]>;
}
