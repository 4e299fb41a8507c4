import type { BatchLimits } from '../core/batches.ts';
import type { CloudCredential } from '../core/cloud-credential.ts';
import type { Dialect } from '../core/compile/dialect.ts';
import type { Desired } from '../core/desired.ts';
import type { FieldChange } from '../core/diff.ts';
import type { Failure, Result } from '../core/failure.ts';
import type { Touch } from '../core/last-modified.ts';
import type { AddressedMark, ImageFacts, Mark, Observed, OuterFilters } from '../core/observed.ts';
import type { Address, Cloud, CloudId, Kind, ListedSetting, ScopeKey } from '../core/resource.ts';
import type { Clock } from './clock-and-log.ts';
import type { Request } from './limiter.ts';

/** One cloud: the exports of a folder under providers/. The SDK loads in `open`, not before. */
export interface Provider {
  readonly cloud: Cloud;
  readonly dialect: Dialect;
  /** The most actions of one call: calls are packed by it, and predicted from it. */
  readonly batches: BatchLimits;
  /**
   * Loads the SDK, which a session would do else. Its package holds the loop for some 100 ms, so a worker asks for it before it holds
   * a lease. Absent: there is none.
   */
  load?(): Promise<void>;
  /** `clock`: the session waits by it while the cloud takes its time, as for a machine to stop. */
  open(target: Access, clock: Clock): Promise<Session>;
  /**
   * The changes in one event of the cloud's audit log, as its event service delivers it; none where it names nothing of ours.
   * Never throws.
   */
  touches?(event: unknown): readonly Touch[];
}

/** One scope of one cloud, with its credentials. */
export interface Session {
  readonly scope: ScopeKey;
  /**
   * The owner of these credentials, as the cloud reports it: an account, a project, a subscription. Called before the first
   * listing.
   */
  identify(call: Call): Promise<Result<string>>;
  /**
   * Asked after `identify`, and before the first listing. The failures of those regions that the cloud does not have; each names its own.
   * Absent: `identify` checks that, or the cloud has any. Once the cloud was found to have a region, this process asks for it no more.
   */
  checkRegions?(regions: readonly string[], call: Call): Promise<Result<readonly Failure[]>>;
  /** Listings of several kinds may share requests; a session is opened for one reconcile. */
  readonly actuators: { readonly [K in Kind]: Actuator<K> };
  /**
   * Checks that such a machine can be launched, before anything is changed for it. A session need not repeat a check that
   * succeeded.
   */
  canLaunch?(question: LaunchQuestion, call: Call): Promise<LaunchAnswer>;
  /**
   * Lists the filters besides rules that decide on the traffic of these subnets. The answer contains a failed listing; nothing is thrown.
   * Absent: the cloud has no such filters.
   */
  outerFilters?(subnets: readonly Observed<'subnet'>[], call: Call): Promise<OuterFilters['subnets']>;
  /**
   * Facts of these images, each once. One that the cloud does not know, and a call that failed, are in `unread`, and throw nothing.
   * Absent: the cloud has no facts of images.
   */
  imageFacts?(images: readonly string[], call: Call): Promise<Pick<ImageFacts, 'read' | 'unread'>>;
  /** Awaits what an earlier process began and kept (`Call.operations`): before the first listing, and each is dropped as it ends. */
  resume?(kept: readonly KeptOperation[], call: Call): Promise<void>;
  close(): Promise<void>;
}

export interface KeptOperation {
  readonly id: string;
  readonly state: string;
}

/** The access to a scope. The user has allowed `endpoint`. */
export interface Access {
  readonly scope: ScopeKey;
  readonly account: string;
  readonly region: string;
  readonly endpoint?: string;
  /** Left out: the SDK's own default chain. */
  readonly credentials?: Credentials;
}

/** Exactly one of the two. */
export interface Credentials {
  /** AWS: the role to assume with the credentials that the process has. */
  readonly assumeRole?: string;
  /** The text of a secret, of the scope's own cloud: a function, so that no log, JSON or error of an Access shows it. */
  readonly secret?: () => CloudCredential;
}

/** A listing that ended early or was refused: thrown by `list`, becomes a gap. `failure` shows whether a retry may help. */
export class ListingFailed extends Error {
  readonly code: string;
  readonly failure: Failure | undefined;
  constructor(code: string, message: string, failure?: Failure) {
    super(message);
    this.name = 'ListingFailed';
    this.code = code;
    this.failure = failure;
  }
}

/**
 * Reads and changes one kind of resource in one scope of one cloud.
 *
 * Laws, run by one conformance suite over every provider and kind:
 * - Every write takes a batch and answers with exactly one result per item, in order, even where the cloud can do only
 *   one at a time. Expected failures are values, never throws; only an aborted or refused `admit` throws.
 * - All writes may be repeated safely: a create with the same token finds the first one's object; updating to what is
 *   already there and deleting what is gone succeed.
 * - What `list` returns after a `create` diffs empty against what was asked.
 * - `list` yields every object of the kind, ours or not; a failed or short listing throws `ListingFailed`, never ends early.
 */
export interface Actuator<K extends Kind = Kind> {
  list(call: Call): AsyncIterable<readonly Observed<K>[]>;
  /** Looks for these ids by name; `undefined` is the cloud's own word that it is gone. */
  read(ids: readonly CloudId[], call: Call): Promise<readonly Result<Observed<K> | undefined>[]>;
  /**
   * Machines only: the results of the cloud's own status checks for these running machines. Absent where a cloud has no checks: there a
   * running machine has passed.
   */
  health?(ids: readonly CloudId[], call: Call): Promise<readonly Result<Health>[]>;
  /**
   * Kinds that hold other resources: some of the resources in this one, for people. Asked only after the cloud refused to delete it. Absent
   * where such a refusal names them.
   */
  usersOf?(id: CloudId, call: Call): Promise<Result<readonly string[]>>;
  create(batch: readonly Creation<K>[], call: Call): Promise<readonly Result<Observed<K>>[]>;
  update(batch: readonly Revision<K>[], call: Call): Promise<readonly Result<void>[]>;
  delete(batch: readonly Removal<K>[], call: Call): Promise<readonly Result<void>[]>;
}

/** `checking`: not passed, or not yet. `failed`: it will not come up by itself. `detail`: in the cloud's words. */
export type Health = { readonly state: 'passed' } | { readonly state: 'checking' | 'failed'; readonly detail: string };

/** `token`: stable for the intent and attempt; sent as ClientToken or requestId where there is one. Refs are resolved to cloud ids. */
export interface Creation<K extends Kind = Kind> {
  readonly token: string;
  readonly mark: AddressedMark;
  readonly desired: Desired<K>;
}

/** `mark` is given when it must be (re)written: adoption, rename, takeover, a new deletion policy. Refs are resolved to cloud ids. */
export interface Revision<K extends Kind = Kind> {
  readonly desired: Desired<K>;
  readonly observed: Observed<K>;
  readonly changes: readonly FieldChange[];
  readonly mark?: Mark;
}

export interface Removal<K extends Kind = Kind> {
  readonly id: CloudId;
  readonly observed: Observed<K>;
}

/** Given to every call. */
export interface Call {
  readonly signal: AbortSignal;
  /**
   * Awaited before each request to the cloud: spends the rate limit's budget and, for a write, checks the lease.
   * Throws when the reconcile must stop; then nothing may be sent.
   */
  admit(request: Request): Promise<void>;
  /** Told after each request, answered or not: for the ledger, the call count and the rate limit's speed. */
  report(request: Request, answer: Answer): void;
  /**
   * Text behind a hash, resolved at apply time only: user data, keys, a password. Never logged, never stored.
   * Throws `SecretUnread` where a secret in it cannot be had: let it pass, the engine makes a failure of it.
   */
  secret(address: Address): Promise<Launch>;
  /** The moment by the store's clock, which all workers share; absent where there is no store. */
  storeTime?(): StoreTime;
  /** Settings of networks and subnets to list besides: each may cost a listing of its own. Absent: none. */
  readonly settings?: ReadonlySet<ListedSetting>;
  /** The store of running long operations; absent where there is no store. */
  readonly operations?: Operations;
}

/** One moment, ms since the epoch: its earliest and its latest value. A write is dated by `latest`, a wait measured by `earliest`. */
export interface StoreTime {
  readonly earliest: number;
  readonly latest: number;
}

/** Operations that a cloud carries out after it has answered: kept so that the next process awaits what this one began. */
export interface Operations {
  /** `id`: the provider's own, stable for one operation. `state`: its SDK resumes a poller from it; no secret. Written over. */
  keep(id: string, state: string): Promise<void>;
  drop(id: string): Promise<void>;
}

export interface Launch {
  readonly userData?: string;
  readonly access?: { readonly user: string; readonly sshKeys: readonly string[]; readonly password?: string };
}

export interface Answer {
  readonly requestId?: string;
  readonly durationMs: number;
  readonly failure?: Failure;
  /** The rest of the budgets as the cloud reports it, `rate limit` being a rate limit's key. */
  readonly remaining?: readonly { readonly rateLimit: string; readonly amount: number }[];
}

/** A machine that is to be made, or to take another size, as far as a cloud can be asked about it before anything is changed. */
export interface LaunchQuestion {
  /** Of the machine: it names the zone on Google Cloud, the resource group on Azure. */
  readonly address: Address;
  /** Absent: it exists already and boots from its present data. */
  readonly image?: string;
  readonly size: string;
  /** Absent: it does not stand yet. */
  readonly subnet?: CloudId;
  /**
   * True where it stands beside all others: then it needs a free address there, and quota. One that takes the place of another
   * after its end does not.
   */
  readonly needsRoom: boolean;
  readonly publicIp: boolean;
}

/**
 * `impossible`: by the cloud's own word, and nothing but a change of the spec or of the cloud helps. `unknown`: the cloud could not be
 * asked, as for want of a permission: that says nothing of the machine.
 */
export type LaunchAnswer =
  | { readonly as: 'possible' }
  | { readonly as: 'impossible' | 'unknown'; readonly failure: Failure };

/** Long-running operations of the clouds, kept while they run: they outlive the process that began them. */
export interface KeptOperations {
  /** Oldest first. */
  list(estate: string, scope: ScopeKey): Promise<readonly KeptOperation[]>;
  /** Written over where the id is known. */
  keep(estate: string, scope: ScopeKey, operation: KeptOperation): Promise<void>;
  drop(estate: string, scope: ScopeKey, id: string): Promise<void>;
}
