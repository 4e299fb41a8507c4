import { type Action, beginsGrace } from '../core/action.ts';
import { type Desired, isClaimedInStore } from '../core/desired.ts';
import type { FieldChange } from '../core/diff.ts';
import { type Ended, isStoppedByUs, type Knowledge, powerOf, type Settled } from '../core/knowledge.ts';
import type { TouchedBy } from '../core/last-modified.ts';
import type { Observed } from '../core/observed.ts';
import { isJoining } from '../core/order/moves.ts';
import { countOf } from '../core/plan/tally.ts';
import type { Address, CloudId, Kind } from '../core/resource.ts';
import type { Effect, IntentDraft, Subject } from '../ports/ledger.ts';

/** One thing to intend, send and settle. A replacement is two: its delete and its create. */
export interface Item {
  readonly action: Action;
  readonly verb: IntentDraft['verb'];
}

/** The details of an intent in the store, so that any reconcile that finds it open can settle it. */
export interface DraftDetails extends WantedDetails {
  readonly changes?: readonly FieldChange[];
  /** The address it had until now. */
  readonly was?: Address;
  /** The reason of its removal. */
  readonly because?: string;
  /** Of a tombstone: the length of the grace, and that a person asked for it. */
  readonly graceMs?: number;
  readonly graceBy?: 'person';
  /** A launch: the machine whose place it takes. */
  readonly successorOf?: CloudId;
  /** The end of a predecessor: its successor, as it was requested. */
  readonly succeededBy?: { readonly attributes: unknown; readonly documents: readonly Address[] };
  readonly name?: string;
  /** Creations sent in one call carry one word: their marks name the intent of the first. */
  readonly batch?: string;
  /** Of how many creations that call consists; absent in records of the versions that did not say. */
  readonly batchSize?: number;
  /** The actor whose drift this heals. */
  readonly by?: TouchedBy;
  /** The first step of a change of groups: nothing is applied by it. */
  readonly joining?: true;
  /** An update that stops a running machine and starts it again. */
  readonly restarts?: true;
}

/** Absent where nothing is wanted any more. */
interface WantedDetails {
  readonly attributes?: unknown;
  readonly documents?: readonly Address[];
  readonly terms?: ClaimTerms;
}

type ClaimTerms = Extract<Effect, { readonly do: 'claim' }>['terms'];

/** `batch`: the call that a creation is sent in. `fixedMarks`: kinds whose mark cannot be written later. */
interface DraftContext {
  readonly knowledge: Knowledge;
  readonly batch: LaunchBatch;
  readonly fixedMarks: readonly Kind[];
}

interface LaunchBatch {
  readonly name: string;
  readonly size: number;
}

export function intentDraftOf(item: Item, context: DraftContext): IntentDraft {
  const { action, verb } = item;
  const { kind, address } = action;
  const id = subjectId(item);
  const counts = countsOf(item);
  return {
    verb,
    subject: { kind, address, ...(id === undefined ? {} : { id }) },
    details: { ...detailsOf(item, context), ...(action.by === undefined ? {} : { by: action.by }) },
    ...(counts === undefined ? {} : { counts }),
    ...costIncreaseIn(item),
  };
}

function subjectId({ action, verb }: Item): CloudId | undefined {
  if (verb === 'create') return undefined;
  if (action.verb === 'forget') return action.id;
  return 'observed' in action ? action.observed.id : undefined;
}

function detailsOf({ action, verb }: Item, { knowledge, batch, fixedMarks }: DraftContext): DraftDetails {
  switch (verb) {
    case 'create':
      return { ...creationOf(action), batch: batch.name, batchSize: batch.size };
    case 'update':
    case 'adopt': {
      const desired = desiredOf(action);
      const settled = knowledge.settled.get(observedOf(action).id);
      const terms = { ...termsOf(desired, false), ...keptOf(verb, settled, isClaimedInStore(desired, fixedMarks)) };
      const changes = 'changes' in action ? action.changes : [];
      if (isJoining(action)) return { attributes: desired.attributes, changes, joining: true };
      // why: a claim would state that the specs want the object, and would end its tombstone
      if (action.verb === 'update' && action.retires) return { ...wantedOf(desired), changes };
      const renamed = settled !== undefined && settled.address !== action.address;
      const was = renamed ? { was: settled.address } : {};
      return {
        ...wantedOf(desired),
        terms,
        changes,
        ...was,
        ...(restartsMachine(action, knowledge) ? { restarts: true } : {}),
      };
    }
    case 'delete': {
      const { attributes, name } = observedOf(action);
      const because = action.verb === 'delete' ? action.because : 'replaced';
      return { attributes, name, because, ...succeededBy(action) };
    }
    case 'tombstone':
      return { ...tombstoneOf(action) };
    case 'forget':
      return { because: 'gone' };
  }
}

/**
 * True of an update that stops a running machine and starts it again, and of one that goes on where such an update ended: both have one
 * intent, as long as it is open.
 */
export function restartsMachine(action: Action, knowledge: Pick<Knowledge, 'pending'>): boolean {
  if (action.verb !== 'update' || powerOf(action.desired.attributes) !== 'running') return false;
  const stops = action.effect === 'stops' && powerOf(action.observed.attributes) === 'running';
  return stops || isStoppedByUs(knowledge, action.address);
}

function tombstoneOf(action: Action): DraftDetails {
  if (!beginsGrace(action)) throw new Error(`${action.verb} ${action.address} begins no grace`);
  const { observed, because, grace } = action;
  const { attributes, name } = observed;
  return { attributes, name, because, graceMs: grace.forMs, ...(grace.by === undefined ? {} : { graceBy: grace.by }) };
}

/** The facts of an object that stay true, however often it is written. */
function keptOf(
  verb: 'update' | 'adopt',
  settled: Settled | undefined,
  isFixed: boolean,
): Pick<ClaimTerms, 'storeOnly' | 'takenFrom' | 'adopted'> {
  // why: the mark of the store that it was taken over from stays on it
  const takenFrom = isFixed ? settled?.terms.takenFrom : undefined;
  return {
    storeOnly: settled?.terms.storeOnly ?? (verb === 'adopt' && isFixed),
    ...(takenFrom === undefined ? {} : { takenFrom }),
    ...(verb === 'adopt' || settled?.terms.adopted === true ? { adopted: true } : {}),
  };
}

/** All that a creation says of itself, whatever call it is sent in. */
export function creationOf(action: Action): DraftDetails {
  const desired = desiredOf(action);
  const taking = action.verb === 'replace' && action.surge ? { successorOf: action.observed.id } : {};
  const terms = { ...termsOf(desired, false), ...taking };
  return { ...wantedOf(desired), terms, name: desired.name, ...taking };
}

/** A successor of an earlier reconcile may differ from the present specs: then its own update records the applied values. */
function succeededBy(action: Action): Pick<DraftDetails, 'succeededBy'> {
  if (action.verb !== 'replace' || action.surge === undefined) return {};
  const { successor, asWanted } = action.surge;
  return successor !== undefined && asWanted !== true ? {} : { succeededBy: wantedOf(action.desired) };
}

const wantedOf = ({ attributes, documents }: Desired): NonNullable<DraftDetails['succeededBy']> => ({
  attributes,
  documents: documents.map(({ address }) => address),
});

function termsOf({ terms, documents }: Desired, storeOnly: boolean): ClaimTerms {
  const { deletionPolicy, protect, minReadyMs, authoritative, beforeDelete } = terms;
  const owners = [...new Set(documents.flatMap(({ owner }) => owner ?? []))].sort();
  return {
    ...{ deletionPolicy, protect, storeOnly },
    ...(owners.length === 0 ? {} : { owners }),
    ...(minReadyMs === undefined ? {} : { minReadyMs }),
    ...(authoritative ? { authoritative } : {}),
    ...(beforeDelete === undefined ? {} : { beforeDelete }),
  };
}

/** Only a planner that broke its own types could make these throw. */
export function desiredOf(action: Action): Desired {
  if ('desired' in action) return action.desired;
  throw new Error(`${action.verb} ${action.address} has nothing desired`);
}

export function observedOf(action: Action): Observed {
  if ('observed' in action) return action.observed;
  throw new Error(`${action.verb} ${action.address} has nothing observed`);
}

/** A replacement raises the cost with its first half. The first step of a change of groups raises nothing. */
function costIncreaseIn({ action, verb }: Item): Pick<IntentDraft, 'raisesCostBy'> {
  const { raisesCostBy } = action;
  if (raisesCostBy === undefined || isJoining(action)) return {};
  if (action.verb === 'replace' && (verb === 'create') !== (action.surge !== undefined)) return {};
  return { raisesCostBy };
}

/** A replacement takes its place with its first half; by surge both name the machine that goes, and share it. */
function countsOf({ action, verb }: Item): IntentDraft['counts'] {
  const counted = countOf(action);
  if (counted === undefined) return undefined;
  if (action.verb === 'replace') {
    if (action.surge) return { ...counted, of: action.observed.id };
    return verb === 'create' ? undefined : counted;
  }
  // why: a person who opens a port repeatedly makes another rule each time, and must not use up the limit for closing them
  if (counted.as === 'closure') return { ...counted, of: action.address };
  const document = action.kind === 'firewall-rule' ? action.documents[0]?.address : undefined;
  return { ...counted, ...(document === undefined ? {} : { of: document }) };
}

/** A successful intent, with the present id of its object. */
interface Fulfilled {
  readonly verb: IntentDraft['verb'];
  readonly kind: Kind;
  readonly address: Address;
  readonly id: CloudId;
  readonly details: DraftDetails;
}

/**
 * The effects on the store's knowledge.
 *
 *   create, update, adopt | the id is ours at this address · its attributes are applied, and none where it was before
 *   update that stops for | its attributes are applied, and its grace goes on
 *   a grace               |
 *   update that only joins| nothing: the update that follows it says what is applied
 *   create, a successor   | the id is ours there too; applied is what its predecessor has, as long as that stands
 *   delete                | the id is let go, and known if it shows again · nothing is applied any more
 *   delete, a predecessor | the same · its successor's attributes are applied
 *   delete of a twin, of  | the id is let go, and known if it shows again
 *   a withdrawn successor,|
 *   or once more          |
 *   tombstone             | the id is known to be deleted later
 *   forget                | the id is let go, and known if it shows again, unless a person forgot it
 */
export function effectsOf({ verb, kind, address, id, details }: Fulfilled): readonly Effect[] {
  switch (verb) {
    case 'create':
    case 'update':
    case 'adopt': {
      const { attributes, documents, terms, was, successorOf, joining } = details;
      if (joining) return [];
      const launched = successorOf === undefined ? {} : { launched: attributes };
      const effects: Effect[] = terms ? [{ do: 'claim', subject: { kind, address, id }, terms, ...launched }] : [];
      if (was !== undefined) effects.push({ do: 'unapply', address: was });
      if (successorOf !== undefined) return effects;
      return [...effects, { do: 'apply', address, attributes, ...(documents === undefined ? {} : { documents }) }];
    }
    case 'delete':
      return [ending({ kind, address, id }, 'deleted'), ...afterDelete(address, details)];
    case 'tombstone':
      return [tombstoneEffect({ kind, address, id }, details)];
    case 'forget':
      // why: a resource that a person forgot is ours no more, whatever shows of it
      return [details.because === 'gone' ? ending({ kind, address, id }, 'gone') : { do: 'release', id }];
  }
}

const tombstoneEffect = (subject: Subject, { graceMs = 0, graceBy: by }: DraftDetails): Effect => ({
  ...{ do: 'tombstone', subject, forMs: graceMs },
  ...(by === undefined ? {} : { by }),
});

/**
 * The store knows a rule by its container and content: a rule that somebody writes again is another one. Some clouds number rules and never
 * reuse a number. There a rule that seemed gone is known again once a listing shows it: a flickering listing must not make it a stranger's.
 */
const ending = (subject: Subject & { readonly id: CloudId }, as: Ended['as']): Effect => {
  const isNumbered = subject.id.includes('#');
  return subject.kind === 'firewall-rule' && !(as === 'gone' && isNumbered)
    ? { do: 'release', id: subject.id }
    : { do: 'end', subject, as };
};

function afterDelete(address: Address, { because, succeededBy }: DraftDetails): readonly Effect[] {
  if (because === 'twin' || because === 'again' || because === 'withdrawn') return [];
  if (because !== 'replaced') return [{ do: 'unapply', address }];
  return succeededBy === undefined ? [] : [{ do: 'apply', address, ...succeededBy }];
}

/**
 * The batch of an earlier launch of this address. Setpoint sends the same batch again, because the first call may still arrive.
 * Every machine of it then has the intent of the batch's first machine.
 */
export function earlierBatch(address: Address, { pending }: Knowledge): string | undefined {
  const before = pending.find((intent) => intent.verb === 'create' && intent.address === address);
  // why: this engine wrote the details of every intent
  return (before?.draft.details as DraftDetails | undefined)?.batch;
}

/** An item whose intent is committed. All of one sending are of one kind and verb. */
export interface Ready {
  readonly item: Item;
  readonly intent: string;
  readonly attempt: number;
}

/**
 * An intent that waited longer than this for a rate limit is intended again before it is sent, so that its age shows when it
 * was sent.
 */
export const freshMs = 30_000;
