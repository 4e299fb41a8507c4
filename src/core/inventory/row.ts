import { type Criticality, criticalityOf } from '../criticality.ts';
import type { DeletionPolicy, DocumentRef, Mode } from '../desired.ts';
import { diff, type FieldChange } from '../diff.ts';
import type { Exposure } from '../effect/exposure.ts';
import { refsOf } from '../kinds/kinds.ts';
import type { TouchedBy } from '../last-modified.ts';
import { canonical } from '../ledger/canonical.ts';
import type { Origin, Part } from '../observed.ts';
import type { IgnoreTerms } from '../plan/plan-input.ts';
import type { BrokenRule } from '../policy/rules.ts';
import type { Address, Attributes, Cloud, CloudId, Kind, Labels, Ref, ScopeKey } from '../resource.ts';

/**
 * The status of a resource in the inventory; the first that fits:
 *
 *   status    | when
 *   ----------+------------------------------------------------------------------------------------------------------
 *   Paused    | a person holds still what would be done
 *   Failed    | the last attempt failed, and a person must act; or updates do not stick
 *   Settling  | written, or begun, and not to be seen on the cloud yet
 *   Blocked   | what it needs is not there, not known, or not allowed: a block, a limit, protection, a stopped rollout
 *   Missing   | it was there, is wanted, and is gone behind our back
 *   Pending   | the specs have moved, and the cloud has not been brought along yet
 *   Drifted   | the cloud has moved behind our back
 *   Orphan    | ours, and no document wants it any more
 *   Unmanaged | nobody claims it, or somebody else does
 *   InSync    | as wanted
 */
export const statuses = [
  'InSync',
  'Drifted',
  'Missing',
  'Pending',
  'Settling',
  'Blocked',
  'Failed',
  'Unmanaged',
  'Orphan',
  'Paused',
] as const;

export type Status = (typeof statuses)[number];

/** Resources with a status other than InSync. */
export interface OutOfSyncCount {
  readonly cloud: string;
  readonly status: string;
  readonly criticality: string;
  readonly count: number;
}

/** One line of the inventory: a resource that is wanted, an object that stands on a cloud, or both. Plain data. */
export interface Row {
  /** Unique in its scope, and the same for as long as it is the same thing: its address, else `<kind> <id>`. */
  readonly key: string;
  readonly place: Place;
  readonly called: Called;
  readonly whose: RowOwnership;
  readonly state: State;
  readonly sides: Sides;
  /** The rules of policies that the object breaks as it stands on the cloud; absent where it breaks none. */
  readonly violations?: readonly BrokenRule[];
  /** The answer whether the internet reaches an existing machine, by the observed rules, routes and addresses. */
  readonly exposed?: Exposure;
}

/** `region`: its region, zone or location; '' where it is global. `targets`: names of those that lie in its scope and that it is of. */
export interface Place {
  readonly scope: ScopeKey;
  readonly cloud: Cloud;
  readonly account: string;
  readonly region: string;
  readonly kind: Kind;
  readonly targets: readonly string[];
}

/** `name`: of the object, else of the document. `labels`: as seen, else as wanted. */
export interface Called {
  readonly name: string;
  /** Present where it is ours. */
  readonly address?: Address;
  /** The id of the existing object. */
  readonly id?: CloudId;
  readonly labels: Labels;
}

/** `owner`: of its documents, or of those that it had; never read from a label on the cloud, which anyone may write. */
export interface RowOwnership {
  readonly claim: Claim;
  readonly owner?: string;
  /** By its documents, else its container or target. Absent: normal. */
  readonly criticality?: Criticality;
  /** The documents that want it. */
  readonly documents: readonly DocumentRef[];
  /** The entry of a target that leaves it out of the findings: it is unmanaged. */
  readonly ignored?: IgnoreTerms;
}

/** The owner of an object. `none`: there is no object, and a document wants one. */
export type Claim =
  | 'ours'
  | 'orphan'
  | 'unmanaged'
  | 'copied-mark'
  | 'unrecorded-mark'
  | 'other'
  | 'foreign-store'
  | 'none';

/** `generation`: the newest that it was found to be in step with; 0: none. `by`: who changed it since we wrote it last. */
export interface State {
  readonly status: Status;
  /** A sentence for people; what to do next, where there is something to do. */
  readonly reason: string;
  /** Of the finding or the failure, where there is one. */
  readonly code?: string;
  readonly generation: number;
  readonly by?: TouchedBy;
}

/** The desired side, the observed side, and their diff. */
export interface Sides {
  readonly desired?: DesiredSide;
  readonly observed?: Sight;
  readonly diff: readonly FieldChange[];
  /** The next reconcile's action, or the one that it would do if nothing held it. */
  readonly next?: Next;
}

interface DesiredSide {
  readonly attributes: Attributes[Kind];
  readonly mode: Mode;
  readonly protect: boolean;
  readonly deletionPolicy: DeletionPolicy;
}

interface Sight {
  readonly attributes: Attributes[Kind];
  readonly state: 'ready' | 'pending' | 'deleting' | 'gone';
  readonly parts: readonly Part[];
  /** Absent where nothing on it shows its maker. */
  readonly origin?: Origin;
}

/** `held`: why it is not done. */
export interface Next {
  readonly verb: 'create' | 'update' | 'replace' | 'delete' | 'adopt' | 'forget';
  readonly cause: 'drift' | 'rollout' | 'unknown';
  readonly held?: string;
}

/** The references of a resource, observed or desired: networks, subnets, groups; addresses where they are ours, else ids. */
export function rowRefs({ place: { kind }, sides: { desired, observed } }: Row): readonly Ref[] {
  const sides = [desired, observed].flatMap((side) => (side === undefined ? [] : side.attributes));
  return [...new Set(sides.flatMap((attributes) => refsOf(kind, attributes)))];
}

/**
 * The line without what differs from look to look while nothing happens to it; the very line where there is nothing of that.
 * Two that are equal in this are one version. Not for people to read: they are told the line itself.
 */
export function steadyRow(row: Row): Row {
  const { state, sides } = row;
  const words = isOfCloud(state) ? [...said, ...counted] : counted;
  const generation = state.status === 'InSync' ? 0 : state.generation;
  const reason = without(words, state.reason);
  const next = sides.next?.held === undefined ? sides.next : { ...sides.next, held: without(words, sides.next.held) };
  if (generation === state.generation && reason === state.reason && next?.held === sides.next?.held) return row;
  return { ...row, state: { ...state, generation, reason }, sides: next === undefined ? sides : { ...sides, next } };
}

/** Its reason has words of its cloud in it. */
const isOfCloud = ({ status, code }: Row['state']): boolean => status === 'Failed' || code === 'not-observed';

/** Of an answer of a cloud: what is encoded, ids of the call, and when it was. No name that we or a cloud give is so long. */
const said: readonly RegExp[] = [
  /[\w+=-]{100,}/g,
  /(?<=(?:request|trace|correlation|tracking|activity|operation)[ _-]?id\W{1,4}(?:is )?['"]?)[\w-]+/gi,
  /\boperation-[\w-]{10,}/g,
  /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?/g,
  /\b\d{8}T\d{6}Z?/g,
];

/** Of a limit: how what counts against it spreads over the estate. What it comes to stays. */
const counted: readonly RegExp[] = [
  /\(\d+ already made(?:, \d+ in other scopes)?\)/g,
  /of \d+ resources(?=, the limit)/g,
];

const without = (words: readonly RegExp[], text: string): string =>
  words.reduce((rest, each) => rest.replace(each, '…'), text);

/** The changes between two versions of a resource: status, owner, desired and observed. */
export function versionChanges(from: Row, to: Row): readonly FieldChange[] {
  const [before, after] = [comparable(from), comparable(to)];
  const gone = diff(before, after).flatMap(({ field, from: now, to: was }) =>
    now === undefined ? [{ field, from: was }] : [],
  );
  return [...diff(after, before), ...gone];
}

const comparable = ({ called, whose, state, sides, violations, exposed }: Row): object => ({
  status: state.status,
  claim: whose.claim,
  owner: whose.owner,
  criticality: whose.criticality,
  ignored: whose.ignored,
  name: called.name,
  address: called.address,
  id: called.id,
  desired: sides.desired && { ...sides.desired.attributes, mode: sides.desired.mode, protect: sides.desired.protect },
  observed: sides.observed && { ...sides.observed.attributes, state: sides.observed.state },
  violations: violations?.map(({ policy, rule }) => `${policy}/${rule}`),
  exposed: exposed?.answer,
});

/** The code of all that lies where no target reaches any more: how old its look is, is no measure of an answer. */
export const leftCode = 'no-target';

/**
 * The lines of a scope that no target names any more, told from what is kept of them: nothing is wanted there, and nobody looks.
 * A resource of ours is an orphan. A desired resource that does not exist has no line.
 */
export const leftRows = (rows: readonly Row[]): readonly Row[] => rows.flatMap(leftRow);

function leftRow({ key, place, called, whose, state, sides: { observed } }: Row): readonly Row[] {
  if (observed === undefined) return [];
  const { claim, owner } = whose;
  const isOurs = claim === 'ours' || claim === 'orphan';
  return [
    {
      ...{ key, place, called },
      whose: {
        claim: isOurs ? 'orphan' : claim,
        ...(isOurs && owner !== undefined ? { owner } : {}),
        ...criticalityOf([whose]),
        documents: [],
      },
      state: leftState(state, isOurs),
      sides: { observed, diff: [] },
    },
  ];
}

const unseen = 'No target names this place any more, so Setpoint no longer observes it';

const leftState = ({ generation, by }: State, isOurs: boolean): State => ({
  status: isOurs ? 'Orphan' : 'Unmanaged',
  reason: isOurs
    ? `${unseen}. Bring the target back, or let it go with: setpoint forget ADDRESS.`
    : `${unseen}. It is not ours, and may be gone by now.`,
  code: leftCode,
  generation,
  ...(by === undefined ? {} : { by }),
});

/**
 * A failed action, or one withheld because of a failure, stays so until it is tried again: an observation without an attempt
 * does not make it Pending. `before`: as they are kept; any other difference there is another matter.
 */
export function carryOver(rows: readonly Row[], before: readonly Row[]): readonly Row[] {
  const stuck = new Map(before.filter(({ state }) => wasTried.has(state.status)).map((row) => [row.key, row]));
  if (stuck.size === 0) return rows;
  return rows.map((row) => {
    const was = stuck.get(row.key);
    if (was === undefined || !isToDo.has(row.state.status) || !isSame(row, was)) return row;
    return { ...row, state: was.state };
  });
}

const wasTried: ReadonlySet<Status> = new Set(['Failed', 'Blocked']);
const isToDo: ReadonlySet<Status> = new Set(['Pending', 'Drifted', 'Missing']);

const isSame = (row: Row, was: Row): boolean =>
  row.sides.next !== undefined &&
  row.sides.next.held === undefined &&
  canonical(intentOf(row)) === canonical(intentOf(was));

/** The intended action, without the reason that it was held for. */
const intentOf = ({ sides: { desired, diff, next } }: Row) => ({ desired, diff, verb: next?.verb, cause: next?.cause });
