import type { OutOfSyncCount } from '../core/inventory/row.ts';
import type { LostLedger } from '../core/knowledge.ts';
import type { HeardTouch, Touch } from '../core/last-modified.ts';
import type { AnyCheckpoint, SignedCheckpoint, WitnessedCheckpoint } from '../core/ledger/chain.ts';
import type { Unsigned, Verdict } from '../core/ledger/verification.ts';
import type { ViolationCount } from '../core/policy/rules.ts';
import type { CloudId, ScopeKey } from '../core/resource.ts';
import type { Events } from './events.ts';
import type { Figures } from './figures.ts';
import type { FleetState } from './fleet-state.ts';
import type { Rows } from './inventory-rows.ts';
import type { Generations, Inventory } from './knowledge.ts';
import type { Leases } from './leases.ts';
import type { Effect, EntryPages, Ledger, Reconcile } from './ledger.ts';
import type { KeptOperations } from './provider.ts';
import type { Proposals } from './queries.ts';
import type { Where } from './queue.ts';
import type { Reconciles } from './reconciles.ts';
import type { Authors, Sources } from './sources.ts';
import type { Tokens } from './tokens.ts';

/** Everything that outlives a process: one database. */
export interface Store {
  readonly ledger: Ledger;
  readonly inventory: Inventory;
  readonly generations: Generations;
  readonly leases: Leases;
  readonly operations: KeptOperations;
  readonly rows: Rows;
  readonly events: Events;
  readonly reconciles: Reconciles;
  readonly figures: Figures;
  readonly entryPages: EntryPages;
  readonly tokens: Tokens;
  readonly idempotentResponses: IdempotentResponses;
  readonly proposals: Proposals;
  readonly authors: Authors;
  readonly fleet: FleetState;
  readonly sources: Sources;
  readonly touches: Touches;
  readonly estates: Estates;
  readonly audit: Audit;
  readonly health: StoreHealth;
  /** Signs the chains that this store wrote to, and lets go of the database. */
  close(): Promise<void>;
}

/** The availability of the database, from small queries and from the errors of others. */
export interface StoreHealth {
  /** Rejects where the database answers no question. */
  readable(): Promise<void>;
  /** Rejects where it takes no writes: it is read-only, or its disk is full. Leaves one row for each process. */
  writable(): Promise<void>;
  /** Absent: the error is a fault of ours. */
  failureOf(error: unknown): StoreFailure | undefined;
}

/**
 * A failure that is the database's own.
 *
 *   as          | what it is                                          | what to do
 *   ------------+-----------------------------------------------------+----------------------------
 *   unavailable | no connection, no room, an I/O error, a shutdown    | wait until it takes writes
 *   conflict    | a deadlock, a serialisation failure, a lock in use  | do it again
 *   cancelled   | a statement that we ended, or that took too long    | do it again
 */
export interface StoreFailure {
  readonly as: 'unavailable' | 'conflict' | 'cancelled';
  /** The database's code, for people; never where it is. */
  readonly code: string;
}

export interface Estates {
  /** The identity of this database: a UUID made with it, written into every mark. */
  readonly store: string;
  list(): Promise<readonly string[]>;
  /** Rejects where the connections for writes do not answer. */
  alive(): Promise<void>;
  /** The number of intents without a settlement, by cloud, over all estates. */
  openIntents(): Promise<readonly { readonly cloud: string; readonly count: number }[]>;
  /** The number of rules of policies that objects break as they stand: a rule and an object are one violation. Default: over all estates. */
  violations(estate?: string): Promise<readonly ViolationCount[]>;
  /** The number of resources that are not in sync, by cloud, status and criticality, over all estates. */
  outOfSync(): Promise<readonly OutOfSyncCount[]>;
  /** The number of objects that an estate claims, by scope, those that its specs no longer name included; sorted by scope. */
  holdings(estate: string): Promise<readonly { readonly scope: ScopeKey; readonly resources: number }[]>;
  /**
   * One transaction: a note with the reason, and the claims on the ids accepted. The last applied state of the scope is forgotten, as
   * it may be out of date: observations confirm it anew. Returns the note's sequence number.
   */
  takeover(reconcile: Reconcile, accepted: readonly Accepted[], reason: string): Promise<number>;
}

export type Accepted = Extract<Effect, { readonly do: 'claim' }>;

/** Entries may be unsigned for so long before `verify` calls the ledger unproven: five turns of a signer. */
export const defaultUnsignedLimitMs = 300_000;

/** `witness`: every checkpoint that a witness holds; absent: none is compared. */
export interface VerifyOptions {
  readonly witness?: readonly WitnessedCheckpoint[];
  readonly unsignedLimitMs?: number;
}

/** Proof that the ledger is whole. */
export interface Audit {
  /** The number of the newest entry, 0 before the first: the serial of a plan. */
  head(estate: string): Promise<number>;
  verify(estate: string, how?: VerifyOptions): Promise<Verdict>;
  /** One line of JSON per entry, from the first: enough to verify it with no database. */
  export(estate: string): AsyncIterable<string>;
  /**
   * Signs the heads of all chains, in the database and outside it, for witnesses to be sent; undefined where no head has moved.
   * Rejects where another key signs, and where the ledger is shorter than its newest checkpoint.
   */
  checkpoint(estate: string): Promise<SignedCheckpoint | undefined>;
  /** The checkpoints of an estate that database and folder know. */
  checkpoints(estate: string): Promise<readonly AnyCheckpoint[]>;
  /** How far signatures reach, by the records of the database. It verifies nothing. */
  reach(estate: string): Promise<SignatureReach>;
  /** The estates with entries that no checkpoint covers. */
  unsigned(): Promise<readonly UnsignedEstate[]>;
  /** Makes the key of this process the one that signs; `onlyFirst`: where none does yet. Returns the fingerprint of the one that does. */
  claimKey(when?: 'onlyFirst'): Promise<string>;
  /** The fingerprint of this process's key. */
  ownKey(): Promise<string>;
  /**
   * The estates whose ledger ends before a checkpoint in the folder of this process, or before one that another process found: after a
   * restored backup, or a failover to a replica that lagged. Records what it finds, for all processes: see `Knowledge.lost`.
   */
  lost(): Promise<readonly LostCheckpoints[]>;
  /**
   * Signs the ledger as it is, and with it that the entries of the lost checkpoints are given up. Only a process whose folder has those
   * checkpoints can do it. Rejects where nothing is lost.
   */
  acceptLoss(estate: string): Promise<SignedCheckpoint>;
  /** Sends witnesses the checkpoints that they have not taken; returns the witnesses that failed. */
  deliver(): Promise<readonly Undelivered[]>;
}

/**
 * `head`: the newest entry; 0: none. `signedUpTo`: signatures cover each entry up to this one; 0: none. `checkpoint`: the newest. `unsigned`:
 * absent where signatures cover all. `lostCheckpoint`: the newest signed one, where the database lost it.
 */
export interface SignatureReach {
  readonly head: number;
  readonly signedUpTo: number;
  readonly checkpoint?: Pick<SignedCheckpoint, 'number' | 'at'>;
  readonly unsigned?: Unsigned;
  readonly lostCheckpoint?: number;
}

/** `words`: entries of people among `entries`. `checkpoint`: the number of the estate's newest checkpoint; 0: none. */
export interface UnsignedEstate {
  readonly estate: string;
  readonly entries: number;
  readonly words: number;
  readonly checkpoint: number;
}

/** `held`, `signed`: numbers of the newest checkpoint in the database, 0 for none, and of the newest outside it. */
export interface LostCheckpoints extends LostLedger {
  readonly estate: string;
}

/** A witness that has not taken its checkpoints. `waiting`: how many. */
export interface Undelivered {
  readonly witness: string;
  readonly waiting: number;
  readonly reason: string;
}

/**
 * Kept answers for requests with an Idempotency-Key, for as long as callers may repeat them: a day. Of several requests that
 * come with one key at once, in any processes, one is the first.
 */
export interface IdempotentResponses {
  /** `forMs`: a first request that neither ended nor was dropped by then counts as dead: the next one is first. */
  begin(asked: NamedRequest, forMs: number): Promise<Begun>;
  /** The kept answer; undefined: done, and the answer is not to be kept. Does nothing where `attempt` was superseded. */
  end(name: string, attempt: string, response: KeptResponse | undefined): Promise<void>;
  /** Nothing was done: the next one with this name is the first. Nothing where `attempt` was superseded. */
  drop(name: string, attempt: string): Promise<void>;
}

/** `name`: of the caller and their key, a hash. `digest`: of the request, so that another request by this name is noticed. */
export interface NamedRequest {
  readonly name: string;
  readonly digest: string;
}

export type Begun =
  | { readonly as: 'first'; readonly attempt: string }
  | { readonly as: 'running' }
  /** The name stands for something else. */
  | { readonly as: 'other' }
  | { readonly as: 'done'; readonly response: KeptResponse | undefined };

export interface KeptResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Changes that clouds reported, believed because of their authenticated sender. Kept for 90 days. */
export interface Touches {
  /**
   * False: this delivery was taken before, and nothing is done. `hook` and `id` name the delivery; ids are kept for as long as a sender may
   * repeat them.
   */
  first(estate: string, delivery: { readonly hook: string; readonly id: string }): Promise<boolean>;
  /**
   * Returns the changes that are not of our own calls, by the ledger, and keeps each object's last modifier. A change that
   * claims to be ours (core/last-modified.ts) is returned, and names nobody. So is an event that comes before its call is settled.
   */
  keep(estate: string, touches: readonly Touch[]): Promise<readonly Touch[]>;
  /** The last modifier of each object in a scope: nobody where that was a call of our own. */
  newest(where: Where): Promise<ReadonlyMap<CloudId, HeardTouch>>;
}
