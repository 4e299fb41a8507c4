import type { Birth } from './births.ts';
import type { DeletionPolicy } from './desired.ts';
import type { Address, Attributes, CloudId, Kind } from './resource.ts';
import type { HeardTouch } from './touch.ts';

/** What the store knows of one scope, as the planner needs it. Without a store: `withoutStore`. */
export interface Knowledge extends LateCalls, Endings, Heard, Resumed, Unrecorded {
  readonly estate: string;
  /** Absent: there is no store, so a mark of our estate is taken at its word and every diff has cause `unknown`. */
  readonly store?: string;
  /**
   * When this was read, ms since the epoch by the store's clock. An observation that follows counts from here: by one clock, whatever
   * the clocks of the workers say, and as early as it may have been. Absent: there is no store.
   */
  readonly readAt?: number;
  readonly settled: ReadonlyMap<CloudId, Settled>;
  readonly pending: readonly PendingIntent[];
  readonly applied: ReadonlyMap<Address, Applied>;
  /** How often in a row an update of this address was settled and yet differed again; 3 is non-convergent. */
  readonly unstuck: ReadonlyMap<Address, number>;
  /** How often something has come to stand at an address; absent: never. */
  readonly incarnations?: ReadonlyMap<Address, number>;
  /** Machines that were launched lately, and those of which none lived long: see births.ts. Absent: none. */
  readonly births?: readonly Birth[];
}

/**
 * Creations that were closed because nothing ever showed, by their intent. A process that was stopped just before it sent one of
 * them may send it still. Then the object bears that intent in its mark.
 */
interface LateCalls {
  readonly neverShown?: ReadonlyMap<string, PendingIntent>;
}

/**
 * The ledger ends before a checkpoint that was signed: the database was restored from a backup, or fell back to a replica that lagged.
 * `held`, `signed`: numbers of the newest checkpoint in the database, 0 for none, and of the newest outside it. `signedAt`: when that
 * was signed, ms since the epoch.
 */
export interface LostLedger {
  readonly held: number;
  readonly signed: number;
  readonly signedAt: number;
}

/** Open creations that may be sent again: nothing waits for them, and each has its place in the limits. */
interface Resumed {
  readonly again?: readonly PendingIntent[];
}

/** Of the intents that marks on strange objects name: those that this store has no record of. See plan/lost-commits.ts. */
interface Unrecorded {
  readonly unrecorded?: ReadonlySet<string>;
  /** Of the whole estate, until a person accepts the loss. */
  readonly lost?: LostLedger;
}

/** Ids that this store settled and let go of, until reads by id prove them gone. */
interface Endings {
  readonly ended?: ReadonlyMap<CloudId, Ended>;
}

/** `deleted`: we deleted it, and the cloud said so · `gone`: it was proven gone behind our back. `at`: when that was settled. */
export interface Ended {
  readonly as: 'deleted' | 'gone';
  readonly address: Address;
  readonly kind: Kind;
  readonly at: number;
}

/** Who touched each object last that somebody else touched, by what the cloud's audit log calls it. For people: it decides nothing. */
interface Heard {
  readonly touches?: ReadonlyMap<CloudId, HeardTouch>;
}

/** An id that this store settled, adopted or took over. */
export interface Settled {
  readonly address: Address;
  readonly kind: Kind;
  readonly lastWriteAt: number;
  /** When an observation first saw it standing; absent: none has yet, and a listing may still miss it. */
  readonly seenAt?: number;
  readonly terms: KeptTerms;
}

/**
 * `takenFrom`: the store that it was taken over from, until our own mark is on it. `owners`: whose its documents were when it was
 * written last.
 */
export interface KeptTerms {
  readonly deletionPolicy: DeletionPolicy;
  readonly protect: boolean;
  readonly storeOnly: boolean;
  readonly takenFrom?: string;
  /** It keeps the name that it had. */
  readonly adopted?: true;
  /** The machine whose place it was launched to take; that one stands as long as the store knows it. */
  readonly successorOf?: CloudId;
  readonly owners?: readonly string[];
  /** Of a machine, where its specs said so when it was written last. */
  readonly minReadyMs?: number;
}

/** An intent without a settlement: its call may have happened. */
export interface PendingIntent {
  readonly intent: string;
  readonly attempt: number;
  readonly address: Address;
  readonly verb: 'create' | 'update' | 'delete' | 'adopt' | 'forget';
  readonly at: number;
  /** As it was intended, so that a settlement found later says what was sent, not what is wanted by then. */
  readonly draft: { readonly kind: Kind; readonly id?: CloudId; readonly details: Readonly<Record<string, unknown>> };
}

/** What was last applied: tells drift from rollout, and what was removed from a spec. */
export interface Applied<K extends Kind = Kind> {
  readonly attributes: Attributes[K];
  readonly generation: number;
  /** The documents that wanted it then. */
  readonly documents?: readonly Address[];
}

export const withoutStore = (estate: string): Knowledge => ({
  estate,
  settled: new Map(),
  pending: [],
  applied: new Map(),
  unstuck: new Map(),
});
