import type { BeforeDelete, DeletionPolicy, Desired, Terms } from './desired.ts';
import type { KeptHealing } from './fights.ts';
import type { Tombstone } from './grace.ts';
import type { HeardTouch } from './last-modified.ts';
import { canonical } from './ledger/canonical.ts';
import type { ImageFacts, Observation, Observed, OuterFilters } from './observed.ts';
import {
  type Address,
  type Attributes,
  type CloudId,
  documentOfReplica,
  type InstanceAttributes,
  type Kind,
} from './resource.ts';

/** The store's knowledge of one scope, as the planner needs it. Without a store: `withoutStore`. */
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
  /** The number of times in a row that an update of this address was settled and yet differed again; 3 is non-convergent. */
  readonly unstuck: ReadonlyMap<Address, number>;
  /** The number of resources that have existed at an address; absent: none. */
  readonly incarnations?: ReadonlyMap<Address, number>;
  /** Machines that were launched lately, and those of which none lived long: see `failedBirths`. Absent: none. */
  readonly births?: readonly Birth[];
  /** Objects that are to be deleted later. Absent: none. */
  readonly tombstones?: ReadonlyMap<CloudId, Tombstone>;
  /** Drift that was healed in the last 24 hours, by `fightKey`. Absent: none. */
  readonly healed?: ReadonlyMap<string, KeptHealing>;
  /** Of the newest observation. Absent: it has none. */
  readonly outerFilters?: OuterFilters;
  /** Facts of images, of the newest observation. Absent: it has none. */
  readonly images?: ImageFacts;
}

/**
 * Creations that were closed because nothing ever showed, by their intent. A process that was stopped just before it sent one of
 * them may send it still. Then the object bears that intent in its mark.
 */
interface LateCalls {
  readonly expiredIntents?: ReadonlyMap<string, PendingIntent>;
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

/**
 * The last modifier of each object that somebody else changed, by its name in the cloud's audit log. For people: it decides
 * nothing.
 */
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
  /** Of an adopted group: all rules in it were of documents once, so one that is of none is drift. */
  readonly authoritative?: true;
  /** The machine whose place it was launched to take; that one stands as long as the store knows it. */
  readonly successorOf?: CloudId;
  readonly owners?: readonly string[];
  /** Of a machine, where its specs said so when it was written last. */
  readonly minReadyMs?: number;
  /** As in the terms of its document when it was written last. */
  readonly beforeDelete?: BeforeDelete;
}

/** An intent without a settlement: its call may have happened. */
export interface PendingIntent {
  readonly intent: string;
  readonly attempt: number;
  readonly address: Address;
  readonly verb: 'create' | 'update' | 'delete' | 'adopt' | 'forget' | 'tombstone';
  readonly at: number;
  /** As it was intended, so that a settlement found later says what was sent, not what is wanted by then. */
  readonly draft: { readonly kind: Kind; readonly id?: CloudId; readonly details: Readonly<Record<string, unknown>> };
}

/**
 * True where an update of ours stopped the machine, and no observation has shown it running since. Its intent stays open until then:
 * to start the machine is the end of that update, and heals no drift. A spec that wants it stopped by now closes the intent: see
 * plan/restarts.ts.
 */
export const isStoppedByUs = (knowledge: Pick<Knowledge, 'pending'>, address: Address): boolean =>
  stoppedByUs(knowledge).has(address);

/** The addresses of such machines. Made once of one knowledge, as planners ask for each machine. */
export function stoppedByUs({ pending }: Pick<Knowledge, 'pending'>): ReadonlySet<Address> {
  const known = stopped.get(pending);
  if (known !== undefined) return known;
  const addresses = new Set(pending.filter(isRestarting).map(({ address }) => address));
  stopped.set(pending, addresses);
  return addresses;
}

const stopped = new WeakMap<readonly PendingIntent[], ReadonlySet<Address>>();

/** True of the open intent of an update that stops a machine and starts it again. */
export const isRestarting = ({ verb, draft }: PendingIntent): boolean =>
  verb === 'update' && draft.details['restarts'] === true;

/** The last applied state: distinguishes drift from rollout, and shows removals from a spec. */
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

/** A machine that ends sooner than this after its launch is a failed birth. */
export const youngMs = 900_000;
/** After so many failed births in a row nothing more is launched for a document, until it changes or a person resumes it. */
export const mostFailedBirths = 3;
/**
 * The time that a machine must have been ready before it counts, where its specs do not say; Kubernetes calls it
 * minReadySeconds.
 */
const defaultMinReadyMs = 60_000;

/** A machine that this store launched: while it is young or has not been ready yet, and afterwards if its birth failed. */
export interface Birth {
  readonly id: CloudId;
  readonly address: Address;
  /** As its launch was intended. */
  readonly attributes: InstanceAttributes;
  readonly generation: number;
  /** Milliseconds since the epoch, as are all moments here. */
  readonly launchedAt: number;
  /** Since when each look has found it ready, the cloud's own status checks included. */
  readonly readySince?: number;
  /** A look found it ready for as long as its specs ask for: its launch did not fail, whatever became of it. */
  readonly proven?: boolean;
  /** Proven, and all waves of its generation are done: its end counts for healing, and stops no rollout. */
  readonly isRolledOut?: boolean;
  /** The observed reason of its end, for people. */
  readonly failed?: string;
}

/** With the rollouts that have ended. `applied`: the newest generation that the scope applied, deletions in their grace apart. */
export const withEndedRollouts = (births: readonly Birth[], applied: number): readonly Birth[] =>
  births.map((birth) =>
    birth.proven === true && birth.generation <= applied ? { ...birth, isRolledOut: true } : birth,
  );

/**
 * An observation's verdict on one birth. `at`: since when it is ready. `wasReady`: it had been ready for long enough before it
 * ended.
 */
export type BirthVerdict =
  | { readonly id: CloudId; readonly as: 'ready'; readonly at: number; readonly proven: boolean }
  | { readonly id: CloudId; readonly as: 'unready' | 'survived' }
  | { readonly id: CloudId; readonly as: 'failed'; readonly why: string; readonly wasReady: boolean };

/**
 * The verdicts of an observation on recently launched machines. It does not hold the cloud's status checks: the caller must ask
 * about machines that run and were not ready before.
 *
 *   seen                                      | age          | verdict
 *   ------------------------------------------+--------------+------------------------------------------
 *   ended, being ended, stopped, or gone      | under 15 min | failed
 *   the same, and it was never ready          | any          | failed
 *   running, and ready for `minReady`         | any          | ready: proven
 *   the same, and it had been ready           | from 15 min  | survived: it lived long enough
 *   starting, and it was ready before         | any          | unready: `minReady` begins anew
 *   running, and ready before                 | from 15 min  | survived
 *   not listed, in a gap or too early to tell | any          | none
 */
export function birthVerdicts(observation: Observation, knowledge: Knowledge): readonly BirthVerdict[] {
  const undecided = (knowledge.births ?? []).filter(({ failed }) => failed === undefined);
  if (undecided.length === 0) return [];
  const resources = new Map(observation.resources.map((one) => [one.id, one]));
  // why: this store itself stops or ends it just now
  const written = new Set(knowledge.pending.flatMap(({ draft }) => draft.id ?? []));
  return undecided
    .filter(({ id }) => !written.has(id))
    .flatMap((birth) => verdictOf(birth, resources.get(birth.id), observation, knowledge));
}

function verdictOf(
  birth: Birth,
  observed: Observed | undefined,
  observation: Observation,
  knowledge: Knowledge,
): readonly BirthVerdict[] {
  const { id, readySince, launchedAt, proven = false } = birth;
  const ageMs = observation.at - launchedAt;
  const end = endOf(birth, observed, observation, knowledge);
  if (end !== undefined) {
    if (ageMs >= youngMs && readySince !== undefined) return [{ id, as: 'survived' }];
    return [{ id, as: 'failed', why: deathOf(birth, end, ageMs), wasReady: proven }];
  }
  if (observed === undefined || readySince === undefined) return [];
  if (observed.condition.state !== 'ready') return [{ id, as: 'unready' }];
  if (ageMs >= youngMs) return [{ id, as: 'survived' }];
  const minReadyMs = minReadyOf(knowledge.settled.get(id)?.terms ?? {});
  return proven || observation.at - readySince < minReadyMs ? [] : [{ id, as: 'ready', at: readySince, proven: true }];
}

/** The reason of its end, as the end of a sentence; undefined where it exists, or where the observation has a gap. */
function endOf(
  { id, address }: Birth,
  observed: Observed | undefined,
  { gaps, pending }: Observation,
  { applied }: Knowledge,
): string | undefined {
  if (observed === undefined) {
    const isUnsure = pending.includes(id) || gaps.some(({ kind }) => kind === 'instance');
    return isUnsure ? undefined : 'was gone';
  }
  const { state, reason } = observed.condition;
  const because = reason === undefined ? '' : ` (${reason})`;
  if (state === 'gone' || state === 'deleting') return `was ended${because}`;
  const wanted = powerOf(applied.get(address)?.attributes);
  return wanted === 'running' && powerOf(observed.attributes) === 'stopped' ? `had stopped${because}` : undefined;
}

export const powerOf = (attributes: object | undefined): InstanceAttributes['machine']['power'] | undefined =>
  // why: only machines have the key
  attributes !== undefined && 'machine' in attributes ? (attributes as InstanceAttributes).machine.power : undefined;

function deathOf({ id, proven }: Birth, end: string, ageMs: number): string {
  const when = `${id} ${end} when it was looked at ${Math.max(0, Math.round(ageMs / 1000))} s after its launch`;
  if (!proven) return `${when}, and had not been ready for long enough`;
  return `${when}, after it had been ready: whether it failed or somebody ended it is not known`;
}

/** The time that a machine must have been ready. */
export const minReadyOf = ({ minReadyMs }: Pick<Terms, 'minReadyMs'>): number => minReadyMs ?? defaultMinReadyMs;

/** True where it was launched lately and has not been ready for long enough. A machine that shall be stopped need not be. */
export function isUnproven({ attributes, readySince, failed }: Birth, minReadyMs: number, at: number): boolean {
  if (failed !== undefined || attributes.machine.power === 'stopped') return false;
  return readySince === undefined || at - readySince < minReadyMs;
}

/** The births of a document, and true where they were births of its present specs. */
const isBirthOf = ({ address, attributes }: Birth, desired: Desired | undefined): boolean =>
  desired?.address === address && canonical(desired.attributes) === canonical(attributes);

/** Failed births by document, of those documents that still ask for what was launched. Empty in most scopes. */
export function failedBirths(
  desired: readonly Desired[],
  { births = [] }: Pick<Knowledge, 'births'>,
): ReadonlyMap<Address, readonly Birth[]> {
  const failed = births.filter((birth) => birth.failed !== undefined);
  if (failed.length === 0) return new Map();
  const wanted = new Map(desired.flatMap((one) => (one.kind === 'instance' ? [[one.address, one] as const] : [])));
  const same = failed.filter((birth) => isBirthOf(birth, wanted.get(birth.address)));
  return Map.groupBy(same, ({ address }) => documentOfReplica(address));
}

/** The reason that a document's rollout stops: its failures, newest first. */
export function whyStopped(births: readonly Pick<Birth, 'launchedAt' | 'failed'>[]): string {
  const [last] = births.toSorted((a, b) => b.launchedAt - a.launchedAt);
  const many = births.length === 1 ? 'a new machine failed' : `${births.length} new machines in a row failed`;
  return `${many}: ${last?.failed ?? 'it ended'}`;
}

/** The code by which a creation is closed that no look showed in all the time a cloud may take. Its call may come late still. */
export const neverHappened = 'NeverHappened';
