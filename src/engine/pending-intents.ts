import { diff, type FieldChange } from '../core/diff.ts';
import type { Failure } from '../core/failure.ts';
import { effectOf, kindNames } from '../core/kinds/kinds.ts';
import { isRestarting, type Knowledge, neverHappened, type PendingIntent, powerOf } from '../core/knowledge.ts';
import type { Observation, Observed } from '../core/observed.ts';
import { isHalfMade } from '../core/plan/claim.ts';
import type { Address, InstanceAttributes, Kind, Ref } from '../core/resource.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import type { Inventory } from '../ports/knowledge.ts';
import type { Settlement } from '../ports/ledger.ts';
import { apartMs, visibilityMs } from './absence.ts';
import { type IdIndex, idIndexOf } from './id-index.ts';
import { type DraftDetails, effectsOf, freshMs } from './intent.ts';
import { hasToken } from './replay.ts';

/**
 * Settles open intents by an observation of the scope; those that it cannot decide stay open.
 *
 *   verb          | seen                                | settled as
 *   --------------+-------------------------------------+---------------------------------------------
 *   create        | once, with its mark (or, where it   | done, with that id
 *                 | can bear none, as it was meant)     |
 *   create        | twice                               | open: the planner judges twins
 *   create        | a machine, gone, with its mark      | failed: it happened, and its token is spent
 *   create        | not, in a gap                       | open
 *   create        | not, in the window                  | open; a launch of which nothing shows: `unseen`
 *   create        | not, after the window               | never happened; a launch: open, to be sent `again`
 *   adopt         | as intended                         | done
 *   update        | what it changed is as intended      | done
 *   update, adopt | otherwise                           | open for the next plan; after the window: failed
 *   update that   | its machine, stopped                | open, until the machine runs or a spec wants it
 *   starts again  |                                     | stopped: see `endedByStop`
 *   delete        | not                                 | done
 *   delete        | still                               | open for the next plan; after the window: failed
 *   forget,       | –                                   | done
 *   tombstone     |                                     |
 *   create, which | once, with its mark, and nothing    | done, with that id: see `cameLate`
 *   never showed  | stands in its place                 |
 *
 * A launch has a token: whoever intended it first may have been stopped just before it was sent, and sends it still. Under the
 * one intent, and so the one token, the cloud makes nothing for whichever comes second. One that is `unseen` may be sent again word
 * for word, see replay.ts; after the window whatever is wanted by then is sent. `oneByName`: kinds that the cloud keeps unique by
 * name, see Holdings. `seenAt`: when a machine of an open launch first came to light, by the intent in its mark.
 */
export function resolvePendingIntents(
  observation: Observation,
  knowledge: Knowledge,
  oneByName: readonly Kind[] = [],
  seenAt: ReadonlyMap<string, number> = new Map(),
): ResolvedIntents {
  const scene = observedScopeOf(observation, knowledge, seenAt);
  const creations = knowledge.pending.filter(({ verb }) => verb === 'create');
  const findings = new Map<string, Found>();
  // why: parents first, so that what names them can be recognised by its content
  for (const kind of kindNames) {
    for (const intent of creations) if (intent.draft.kind === kind) findings.set(intent.intent, find(intent, scene));
  }
  const whole = wholeBatches(creations, findings, oneByName);
  const missed = creations.filter((intent) => isMissed(intent, findings.get(intent.intent) ?? unseen, scene));
  const again = new Set(missed.filter(({ draft }) => hasToken(draft.kind, oneByName)).map(({ intent }) => intent));
  const settlements = knowledge.pending.flatMap((intent) => {
    if (intent.verb !== 'create') return others(intent, scene);
    if (again.has(intent.intent)) return [];
    return created(intent, findings.get(intent.intent) ?? unseen, whole, scene);
  });
  const closed = [...(knowledge.expiredIntents?.values() ?? [])];
  // why: parents first here too, as a late object may stand in one that is late itself
  const late = kindNames.flatMap((kind) =>
    closed.filter(({ draft }) => draft.kind === kind).flatMap((intent) => cameLate(intent, scene)),
  );
  return {
    settlements: [...settlements, ...late],
    again,
    unseen: unseenLaunches(creations, findings, oneByName, scene),
  };
}

/** `again`: open creations that were looked for in vain, and may be sent once more under their intent. */
export interface ResolvedIntents {
  readonly settlements: readonly Settlement[];
  readonly again: ReadonlySet<string>;
  /** Launches in their window of which nothing shows, nor anything of their batch. */
  readonly unseen: ReadonlySet<string>;
}

function unseenLaunches(
  creations: readonly PendingIntent[],
  findings: ReadonlyMap<string, Found>,
  oneByName: readonly Kind[],
  scene: ObservedScope,
): ReadonlySet<string> {
  const launches = creations.filter(({ draft }) => hasToken(draft.kind, oneByName) && !scene.blind.has(draft.kind));
  const shown = launches.filter(({ intent }) => findings.get(intent)?.seen !== 'no').map(batchOf);
  const without = new Set([...shown, ...scene.showing]);
  return new Set(
    launches.filter((one) => !without.has(batchOf(one)) && !isOld(one, scene)).map(({ intent }) => intent),
  );
}

interface ObservedScope extends Index {
  readonly observation: Observation;
  readonly knowledge: Knowledge;
  readonly ids: IdIndex;
}

/** An index for repeated searches. */
interface Index extends Launches {
  readonly present: ReadonlyMap<string, Observed>;
  /** By kind and the address of the mark. */
  readonly marked: ReadonlyMap<string, readonly Observed[]>;
  /** Machines that are gone and still listed, by the address of the mark. */
  readonly dead: ReadonlyMap<string, readonly Observed[]>;
  /** Rules and subnets without a mark, by their container. */
  readonly bare: ReadonlyMap<Ref, readonly Bare[]>;
  readonly blind: ReadonlySet<Kind>;
}

interface Launches {
  readonly batches: ReadonlyMap<string, string>;
  /** Those of which a machine came to light not long ago: the others will. */
  readonly showing: ReadonlySet<string>;
}

/** `once`: it happened. `many`: it happened more than once. `gone`: it happened, and is no more. `no`: not seen. */
interface Found {
  readonly seen: 'once' | 'many' | 'gone' | 'no';
  readonly observed?: Observed;
}
const unseen: Found = { seen: 'no' };
const goneAgain: Found = { seen: 'gone' };

function observedScopeOf(
  observation: Observation,
  knowledge: Knowledge,
  seenAt: ReadonlyMap<string, number>,
): ObservedScope {
  const present = observation.resources.filter(({ condition: { state } }) => state === 'ready' || state === 'pending');
  return {
    observation,
    knowledge,
    ids: idIndexOf(observation, knowledge),
    present: new Map(present.map((resource) => [resource.id, resource])),
    // why: parts without their machine are no launch that went well
    marked: Map.groupBy(
      present.filter((one) => !isHalfMade(one)),
      ({ kind, signs }) => `${kind} ${signs.mark?.address ?? ''}`,
    ),
    dead: Map.groupBy(
      observation.resources.filter(({ kind, condition }) => kind === 'instance' && condition.state === 'gone'),
      ({ signs }) => signs.mark?.address ?? '',
    ),
    bare: Map.groupBy(present.filter(isBare), ({ kind, attributes }) => `${kind} ${placeOf(attributes)}`),
    batches: new Map(
      [...knowledge.pending, ...(knowledge.expiredIntents?.values() ?? [])].map((one) => [one.intent, batchOf(one)]),
    ),
    showing: new Set(
      knowledge.pending.flatMap((intent) => {
        const since = observation.at - (seenAt.get(intent.intent) ?? Number.NEGATIVE_INFINITY);
        return since < visibilityMs ? [batchOf(intent)] : [];
      }),
    ),
    blind: new Set(observation.gaps.map(({ kind }) => kind)),
  };
}

type Bare = Observed<'firewall-rule'> | Observed<'subnet'>;
const isBare = (one: Observed): one is Bare =>
  one.signs.mark === undefined &&
  (one.kind === 'firewall-rule' || (one.kind === 'subnet' && one.signs.parent !== undefined));

// why: this engine wrote the details of every intent
const detailsOf = ({ draft }: PendingIntent): DraftDetails => draft.details as DraftDetails;
const batchOf = (intent: PendingIntent): string => detailsOf(intent).batch ?? intent.intent;

function find(intent: PendingIntent, scene: ObservedScope): Found {
  const { settled } = scene.knowledge;
  const all = candidates(intent, scene);
  // why: an update may have settled it before the creation was; what bears its mark besides is a copy
  const own = all.filter(({ id }) => settled.get(id)?.address === intent.address);
  const [observed, second] = own.length > 0 ? own : all.filter(({ id }) => !settled.has(id));
  if (!observed) return isDead(intent, scene) ? goneAgain : unseen;
  if (second) return { seen: 'many' };
  scene.ids.add(intent.address, observed.id);
  return { seen: 'once', observed };
}

/** A machine that was replaced bears the address too, but not the intent. */
const isDead = (intent: PendingIntent, scene: ObservedScope): boolean =>
  (scene.dead.get(intent.address) ?? []).some((one) => isMarked(one, intent, scene));

function candidates(intent: PendingIntent, scene: ObservedScope): readonly Observed[] {
  const { kind } = intent.draft;
  const marked = scene.marked.get(`${kind} ${intent.address}`)?.filter((one) => isMarked(one, intent, scene)) ?? [];
  return kind === 'firewall-rule' || kind === 'subnet' ? [...marked, ...alike(intent, kind, scene)] : marked;
}

/** All machines of one launch bear the intent of its first. */
function isMarked(
  { signs: { mark } }: Observed,
  intent: PendingIntent,
  { knowledge, batches }: ObservedScope,
): boolean {
  if (mark?.estate !== knowledge.estate || mark.store !== knowledge.store || mark.address !== intent.address)
    return false;
  return mark.intent !== undefined && batches.get(mark.intent) === batchOf(intent);
}

/** Rules without a mark are known by their content, subnets by their block. */
function alike(intent: PendingIntent, kind: Bare['kind'], { ids, bare }: ObservedScope): readonly Observed[] {
  const { attributes } = detailsOf(intent);
  // why: this engine wrote the attributes of that kind there
  const meant = ids.resolve(kind, attributes as Bare['attributes']);
  if (meant === undefined) return [];
  return (bare.get(`${kind} ${placeOf(meant)}`) ?? []).filter(
    (one) => diff(contentOf(meant), one.attributes).length === 0,
  );
}

const placeOf = (attributes: Bare['attributes']): Ref =>
  'group' in attributes ? (attributes.group ?? attributes.network) : attributes.network;

/** The content that distinguishes it from its neighbours. */
function contentOf(attributes: Bare['attributes']): object {
  if ('cidr' in attributes) return { network: attributes.network, cidr: attributes.cidr };
  const { description: _, ...content } = attributes;
  return content;
}

/**
 * Launches of which every machine was found, alive or dead. Until then none is settled: the mark of all names the intent of the first. What
 * is made by its name is made alone, and bears its own.
 */
function wholeBatches(
  creations: readonly PendingIntent[],
  found: ReadonlyMap<string, Found>,
  oneByName: readonly Kind[],
): ReadonlySet<string> {
  const launched = creations.filter(({ draft }) => !oneByName.includes(draft.kind));
  const isSeen = ({ intent }: PendingIntent): boolean => ['once', 'gone'].includes(found.get(intent)?.seen ?? 'no');
  const broken = launched.filter((intent) => !isSeen(intent)).map(batchOf);
  const batches = new Set(creations.map(batchOf));
  for (const batch of broken) batches.delete(batch);
  return batches;
}

function created(
  intent: PendingIntent,
  { seen, observed }: Found,
  whole: ReadonlySet<string>,
  scene: ObservedScope,
): readonly Settlement[] {
  if (seen === 'many') return [];
  const sure = whole.has(batchOf(intent)) || isOld(intent, scene);
  if (observed) return sure ? [happened(intent, observed.id)] : [];
  if (seen === 'gone') return sure ? [failed(intent, 'Gone', 'it was made, and is gone again')] : [];
  if (!isMissed(intent, { seen }, scene)) return [];
  return [failed(intent, neverHappened, 'its mark was looked for until a cloud would have shown it, and is not there')];
}

const isMissed = (intent: PendingIntent, { seen }: Found, scene: ObservedScope): boolean =>
  seen === 'no' && !scene.blind.has(intent.draft.kind) && isOld(intent, scene);

/**
 * A process that was stopped between its last check and its call sends that call when it goes on, however late. The object bears the
 * intent that was closed meanwhile. Anybody can copy a mark, so nothing may differ that would replace or block the object; the rest of
 * a creation may be missing. And nothing else of ours may stand at its address but the machine whose place it takes. The planner judges
 * all others, as copies or twins. Only an object that is taken lends its id to its address: under a copy nothing else is recognised.
 */
function cameLate(intent: PendingIntent, scene: ObservedScope): readonly Settlement[] {
  const { settled } = scene.knowledge;
  const marked = scene.marked.get(`${intent.draft.kind} ${intent.address}`) ?? [];
  const [observed, second] = marked.filter((one) => isMarked(one, intent, scene) && !settled.has(one.id));
  if (observed === undefined || second !== undefined) return [];
  const { successorOf } = detailsOf(intent);
  const isTaken = [...scene.present.keys()].some(
    (id) => id !== successorOf && settled.get(id)?.address === intent.address,
  );
  if (isTaken || !isRecognised(intent, observed, scene)) return [];
  scene.ids.add(intent.address, observed.id);
  return [happened(intent, observed.id)];
}

function isRecognised(intent: PendingIntent, { kind, attributes }: Observed, { ids }: ObservedScope): boolean {
  // why: this engine wrote the attributes of this kind there
  const meant = ids.resolve(kind, detailsOf(intent).attributes as Observed['attributes']);
  if (meant === undefined) return false;
  return diff(meant, attributes).every((change) => !['replace', 'blocked'].includes(effectOf(kind, change)));
}

function others(intent: PendingIntent, scene: ObservedScope): readonly Settlement[] {
  const { kind, id = '' } = intent.draft;
  if (intent.verb === 'forget' || intent.verb === 'tombstone') return [happened(intent, id)];
  const observed = scene.present.get(id);
  if (!observed) {
    if (scene.blind.has(kind) || scene.observation.pending.includes(id)) return [];
    return [intent.verb === 'delete' ? happened(intent, id) : failed(intent, 'Gone', `${id} is gone`)];
  }
  // why: the start of the machine ends the update, also by a person: see `isStoppedByUs`
  if (detailsOf(intent).restarts && powerOf(observed.attributes) === 'stopped') return [];
  if (intent.verb !== 'delete' && isApplied(intent, observed, scene)) return [happened(intent, id)];
  if (!isOld(intent, scene)) return [];
  return [
    detailsOf(intent).restarts
      ? failed(intent, 'Unfinished', 'the machine runs, and the change was not made')
      : failed(intent, 'Unanswered', 'no answer came, and the resource differs from the request'),
  ];
}

/**
 * Closes the updates that stopped these machines, once none of their calls can come late: a spec wants the machines stopped by now, and so
 * they are. Nothing is left to start. A later start is a change that a spec asks for.
 */
export function endedByStop(
  stopped: readonly Address[],
  observation: Pick<Observation, 'at'>,
  { pending, applied }: Pick<Knowledge, 'pending' | 'applied'>,
): readonly Settlement[] {
  const ended = pending.filter((one) => isRestarting(one) && stopped.includes(one.address) && isPast(one, observation));
  return ended.map((intent): Settlement => {
    const { address } = intent;
    const { attributes, documents } = applied.get(address) ?? {};
    const settlement = failed(
      intent,
      'Overtaken',
      'a spec wants the machine stopped by now, and the change was not made',
    );
    if (attributes === undefined || powerOf(attributes) === undefined) return settlement;
    // why: of a machine
    const { machine, ...rest } = attributes as InstanceAttributes;
    const now = { ...rest, machine: { ...machine, power: 'stopped' } };
    return { ...settlement, effects: [{ do: 'apply', address, attributes: now, documents }] };
  });
}

function isApplied(intent: PendingIntent, observed: Observed, { ids }: ObservedScope): boolean {
  const { attributes, changes = [] } = detailsOf(intent);
  // why: this engine wrote the attributes of this kind there
  const meant = ids.resolve(observed.kind, attributes as Observed['attributes']);
  if (meant === undefined) return false;
  const differing = diff(meant, observed.attributes);
  if (intent.verb !== 'update') return differing.length === 0;
  if (isLeft(changes, meant, observed)) return false;
  if (differing.length === 0) return true;
  // why: other drift may be left alone; a mark and a name are no attributes, and prove nothing of the call
  const stated = new Set(diff(meant, {}).map(({ field }) => field));
  if (!changes.some(({ field }) => stated.has(field))) return false;
  const changed = new Set(changes.map(({ field }) => field));
  return !differing.some(({ field }) => changed.has(field));
}

/** True where a field that was to be removed is still as it was. */
function isLeft(changes: readonly FieldChange[], meant: object, { attributes }: Observed): boolean {
  const removed = changes.filter(({ from, to }) => from !== undefined && to === undefined);
  if (removed.length === 0) return false;
  const beyond = new Map(diff(attributes, meant).map(({ field, to }) => [field, to]));
  return removed.some(({ field, from }) => diff({ value: from }, { value: beyond.get(field) }).length === 0);
}

/** A call that left may show this late: it was sent at most `freshMs` after its intent. */
const isPast = ({ at }: PendingIntent, observation: Pick<Observation, 'at'>): boolean =>
  observation.at - at >= visibilityMs + freshMs;

const isOld = (intent: PendingIntent, { observation, showing }: ObservedScope): boolean =>
  isPast(intent, observation) && !(intent.verb === 'create' && showing.has(batchOf(intent)));

function happened(intent: PendingIntent, id: string): Settlement {
  const { verb, address, draft } = intent;
  const effects = effectsOf({ verb, kind: draft.kind, address, id, details: detailsOf(intent) });
  return { intent: intent.intent, outcome: { ok: true }, closes: true, effects, calls: [] };
}

function failed(intent: PendingIntent, code: string, message: string): Settlement {
  const failure: Failure = { kind: 'terminal', code, message };
  return { intent: intent.intent, outcome: { ok: false, failure }, closes: true, effects: [], calls: [] };
}

/**
 * Keeps back the verdict that a creation never happened until a second observation, some time after the first, confirms it: one
 * flickering listing must not lead to a second machine. Lives as long as one convergence.
 */
export function confirmMissing(clock: Clock): (settlements: readonly Settlement[]) => readonly Settlement[] {
  const missed = new Map<string, number>();
  return (settlements) => {
    const now = clock.now();
    const gone = settlements.filter(isNeverHappened);
    for (const intent of [...missed.keys()]) {
      // why: seen in between, or undecidable: only observations in a row count
      if (!gone.some((one) => one.intent === intent)) missed.delete(intent);
    }
    for (const { intent } of gone) if (!missed.has(intent)) missed.set(intent, now);
    return settlements.filter((one) => !isNeverHappened(one) || now - (missed.get(one.intent) ?? now) >= apartMs);
  };
}

const isNeverHappened = ({ outcome }: Settlement): boolean => !outcome.ok && outcome.failure.code === neverHappened;

/**
 * When a machine of each open launch first came to light, by the intent in its mark: a call may come so late that its age says
 * nothing, and the others of a launch that happened will show too.
 */
export async function launchesSeen(
  observation: Observation,
  { estate, pending }: Knowledge,
  inventory: Pick<Inventory, 'history'>,
): Promise<ReadonlyMap<string, number>> {
  const open = new Set(pending.filter(({ draft }) => draft.kind === 'instance').map(({ intent }) => intent));
  const one = new Map(
    observation.resources.flatMap(({ kind, id, signs: { mark } }) =>
      kind === 'instance' && mark?.intent !== undefined && open.has(mark.intent) ? [[mark.intent, id] as const] : [],
    ),
  );
  const seen = [...one].map(async ([intent, id]) => {
    const history = await inventory.history(estate, id);
    return [intent, history.at(-1)?.at ?? observation.at] as const;
  });
  return new Map(await Promise.all(seen));
}
