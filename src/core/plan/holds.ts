import { type Action, type Deletion, isRestart } from '../action.ts';
import {
  type ChangeCalendar,
  type ChangeWindow,
  type Closed,
  type Covered,
  closedAt,
  isFreeze,
  weekdays,
  zonedMoment,
} from '../change-windows.ts';
import { parseCidr } from '../cidr.ts';
import type { RuleRoom } from '../compile/dialect.ts';
import { type Mode, strictest } from '../desired.ts';
import { actionDigest, type Hash } from '../digest.ts';
import { groupByMany } from '../group-by-many.ts';
import { type Birth, failedBirths, mostFailedBirths, powerOf, whyStopped } from '../knowledge.ts';
import type { Observed } from '../observed.ts';
import type { PauseDraft, PauseSubject } from '../pause.ts';
import { formatMoment } from '../render/wording.ts';
import { type Address, documentOfReplica, type RuleAttributes } from '../resource.ts';
import { onlyNarrows } from './narrowing.ts';
import { type Allowed, type Approved, allowedBy, type Hold, type PlanInput, type Wanted } from './plan-input.ts';
import type { World } from './world.ts';

/**
 * `observe` only reads; without a person only `enforce` acts, and what a person approved. What was in mode `plan` in the generation
 * before is so in this one too: no commit lifts its own guard. Forgetting what is gone is no write to a cloud.
 */
export function modeHold({ wanted, choices = {} }: Pick<PlanInput, 'wanted' | 'choices'>): Hold {
  const { unattended = false, approved = () => false, modesBefore } = choices;
  return (action) => {
    if (action.verb === 'forget') return undefined;
    const mode = modeOf(action, wanted);
    if (mode === 'observe') return { code: 'mode', why: 'its mode is observe: read only.' };
    if (action.verb === 'delete' && (action.because === 'again' || isAllowed(action))) return undefined;
    const wasPlan = documentsOf(action).some((address) => modesBefore?.(address) === 'plan');
    if ((mode === 'enforce' && !wasPlan) || !unattended || approved(action)) return undefined;
    return { code: 'mode', why: `its mode ${mode === 'plan' ? 'is plan' : before}: a person ${applies}` };
  };
}

/** A person let its grace begin, and with it its end. */
const isAllowed = ({ grace }: Deletion): boolean => grace !== undefined && grace.phase !== 'begins' && grace.allowed;

const before = 'was plan in the previous generation, and the looser mode counts from the next one';
const applies = 'applies it, or approves it with: setpoint approve --reason "…"';

/** `protect` holds for the document's own word and, in the store, beyond it. A network's default group is protected by its cloud. */
export function protectHold({ knowledge, wanted }: PlanInput): Hold {
  return (action) => {
    if (action.verb !== 'delete' && action.verb !== 'replace') return undefined;
    if (action.verb === 'delete' && (action.because === 'twin' || action.because === 'again')) return undefined;
    if (isDefaultGroup(action.observed))
      return {
        code: 'protect',
        why: 'it is the default group of its network: no cloud deletes it alone, and it goes with its network. Release it with: setpoint forget.',
      };
    const stated = action.verb === 'replace' ? action.desired.terms.protect : isProtected(action, wanted);
    const kept = knowledge.settled.get(action.observed.id)?.terms.protect ?? false;
    if (!stated && !kept) return undefined;
    return {
      code: 'protect',
      why: `protected: no plan may ${action.verb} it. Set protect: false, apply that, then try again.`,
    };
  };
}

/** https://docs.aws.amazon.com/vpc/latest/userguide/default-security-group.html: deleting one is refused with CannotDelete. */
const isDefaultGroup = ({ kind, signs }: Observed): boolean =>
  kind === 'group' && signs.origin?.why === 'provider-default';

/** An adopted object that can bear no mark is ours by the store's records alone: too little to delete it by. */
export function storeOnlyHold({ knowledge }: PlanInput): Hold {
  return (action) => {
    if (action.verb !== 'delete' && action.verb !== 'replace') return undefined;
    if (!knowledge.settled.get(action.observed.id)?.terms.storeOnly) return undefined;
    return {
      code: 'adopted-in-store-only',
      why: 'it was adopted without a mark: no plan deletes it. Delete it by hand, or release it with: setpoint forget.',
    };
  };
}

/**
 * The documents that an action is about. A removal seldom names one: it is of its machine's document, though that wants
 * fewer, or of the network that it stands in. A group may have a document of its own, or have had one.
 */
export function documentsOf(action: Action): readonly Address[] {
  const documents = namedDocuments(action);
  // why: it has the address of its group, and what it said in the generation before still counts
  return action.kind === 'group' ? [...new Set([...documents, action.address])] : documents;
}

function namedDocuments(action: Action): readonly Address[] {
  if (action.documents.length > 0) return action.documents.map(({ address }) => address);
  if (action.verb !== 'delete') return [];
  const { kind, attributes } = action.observed;
  if (kind === 'instance') return [documentOfReplica(action.address)];
  return ['network' in attributes ? attributes.network : action.address];
}

/** The documents whose `protect` an action must heed. A network's is not of the rules in it: see `governing` in compile.ts. */
export const protectorsOf = (action: Action): readonly Address[] =>
  documentsOf(action).filter((address) => action.kind !== 'firewall-rule' || address.includes('/firewall-rule/'));

const isProtected = (action: Action, wanted: Wanted): boolean =>
  protectorsOf(action).some((address) => allowedBy(wanted, address)?.protect);

/**
 * Permits an unattended action of another generation only if this generation says `enforce`, and the action
 * destroys nothing that it protects, and starts no machine that it wants stopped.
 */
export const heedingHold =
  (wanted: Wanted): Hold =>
  (action) => {
    if (action.verb === 'forget') return undefined;
    const mode = saidMode(action, wanted);
    if (mode !== 'enforce') return { code: 'mode', why: `its mode is ${mode} in the newest generation.` };
    if (action.verb === 'update' && action.restarts && isWantedStopped(action.address, wanted))
      return { code: 'stale', why: 'the newest generation wants it stopped.' };
    const destroys = action.verb === 'replace' || action.verb === 'delete';
    if (!destroys || !isProtected(action, wanted)) return undefined;
    return { code: 'protect', why: 'it is protected in the newest generation.' };
  };

const isWantedStopped = (address: Address, { desired }: Wanted): boolean =>
  desired.some((one) => one.address === address && powerOf(one.attributes) === 'stopped');

/** The mode of its target, where no document names the resource any more. */
function modeOf(action: Action, wanted: Wanted): Mode {
  return action.verb === 'delete' || action.verb === 'forget' ? saidMode(action, wanted) : action.desired.terms.mode;
}

function saidMode(action: Action, wanted: Wanted): Mode {
  const said = documentsOf(action).flatMap((address) => allowedBy(wanted, address)?.mode ?? []);
  return said.length === 0 ? wanted.mode : strictest(said);
}

/**
 * Holds still what people have paused. The pauses are those in force: whether one has run out is not looked at here.
 *
 *   cause of an action | held by a pause of
 *   -------------------+-------------------
 *   drift              | healing, all; not where it lets go on what only narrows traffic
 *   rollout, unknown   | rollout, all
 *
 * A resource without a document keeps its former owner: by the generation before (`ownersBefore`, by document), and by the store.
 * It may be of any target of its scope, so a pause of one of these holds it. Forgetting what is gone is no write.
 */
export function pauseHold(
  pauses: readonly PauseDraft[],
  wanted: Wanted,
  ownersBefore: Readonly<Record<Address, string>> = {},
): Hold {
  // why: of several the one that ends last says until when
  const lastFirst = pauses.toSorted((a, b) => b.until - a.until);
  return (action) => {
    if (action.verb === 'forget') return undefined;
    const pause = lastFirst.find((one) => holdsBack(one, action) && isOf(one.of, action, { wanted, ownersBefore }));
    return pause === undefined ? undefined : { code: 'paused', why: sentence(pause) };
  };
}

function holdsBack({ what, letsNarrow = false }: PauseDraft, action: Action): boolean {
  const isDrift = action.cause === 'drift';
  if (what !== 'all' && what !== (isDrift ? 'healing' : 'rollout')) return false;
  return !(letsNarrow && isDrift && onlyNarrows(action));
}

interface Known {
  readonly wanted: Wanted;
  readonly ownersBefore: Readonly<Record<Address, string>>;
}

function isOf(subject: PauseSubject, action: Action, { wanted, ownersBefore }: Known): boolean {
  switch (subject.by) {
    case 'estate':
      return true;
    case 'address':
      return action.address === subject.name || documentsOf(action).includes(subject.name);
    case 'owner':
      return ownersOf(action, { wanted, ownersBefore }).includes(subject.name);
    case 'target':
      return targetsOf(action, wanted).includes(subject.name);
  }
}

function ownersOf(action: Action, { wanted, ownersBefore }: Known): readonly (string | undefined)[] {
  const said = spokenFor(action, wanted);
  return said.length === 0 ? formerOwners(action, ownersBefore) : said.map(({ owner }) => owner);
}

function targetsOf(action: Action, wanted: Wanted): readonly string[] {
  const said = spokenFor(action, wanted);
  return said.length === 0 ? wanted.targets : said.flatMap(({ targets }) => targets);
}

/** The calendar of a generation at a time, ms since the epoch. */
export interface CalendarNow {
  readonly calendar: ChangeCalendar;
  readonly now: number;
  /** It is of the generation before: documents count with their owners of then too, and renamed targets as such. */
  readonly isFormer?: boolean;
}

/**
 * Holds changes outside their windows and within freezes: see `closedAt`. Drift whose healing only narrows traffic is healed all
 * the same, and forgetting what is gone is no write.
 */
export function calendarHold(
  { calendar, now, isFormer = false }: CalendarNow,
  wanted: Wanted,
  ownersBefore: Readonly<Record<Address, string>> = {},
): Hold {
  const gone = Object.keys(calendar.scopes).filter((name) => !wanted.targets.includes(name));
  const coveredBy = (action: Action): Covered => {
    const owners = ownersOf(action, { wanted, ownersBefore });
    const targets = targetsOf(action, wanted);
    if (!isFormer) return { owners, targets };
    const renamed = gone.filter((name) => action.address.startsWith(`${calendar.scopes[name]}/`));
    return { owners: [...owners, ...formerOwners(action, ownersBefore)], targets: [...targets, ...renamed] };
  };
  const known = new Map<string, ReturnType<Hold>>();
  return (action) => {
    if (action.verb === 'forget' || isRestart(action) || (action.cause === 'drift' && onlyNarrows(action)))
      return undefined;
    const covered = coveredBy(action);
    const key = JSON.stringify(covered);
    if (!known.has(key)) known.set(key, heldBy(closedAt(calendar, covered, now), isFormer));
    return known.get(key);
  };
}

function heldBy(closed: Closed | undefined, isFormer: boolean): ReturnType<Hold> {
  if (closed === undefined) return undefined;
  const { by, opens } = closed;
  const then =
    opens === undefined
      ? 'It never opens: no other window is open then'
      : `It opens ${zonedMoment(opens, by.timeZone)}`;
  const place = by.target === undefined ? '' : ` of target ${by.target}`;
  const former = isFormer ? ` That is so ${inGenerationBefore}` : '';
  const end = `${then}.${former}${breakGlassHint}`;
  if (isFreeze(by)) return { code: 'freeze', why: `frozen by ${by.name}${place}: ${by.reason}. ${end}` };
  return { code: 'window', why: `outside the change window ${by.name}${place} (${hoursText(by)}). ${end}` };
}

/** The end of a reason that a person may pass. */
export const breakGlassHint = ' In an emergency: setpoint apply --break-glass --reason "…"';

/** `mon, tue 09:00 to 16:00 Europe/Berlin` */
const hoursText = ({ days, from, to, timeZone }: ChangeWindow): string =>
  `${days.length === weekdays.length ? 'every day' : days.join(', ')} ${from} to ${to} ${timeZone}`;

export const inGenerationBefore = 'in the generation before; that it is looser counts from the next one on.';

/** The terms of its documents, of those that still exist. */
const spokenFor = (action: Action, wanted: Wanted): readonly Allowed[] =>
  documentsOf(action).flatMap((address) => allowedBy(wanted, address) ?? []);

const formerOwners = (action: Action, before: Known['ownersBefore']): readonly (string | undefined)[] => [
  ...documentsOf(action).map((address) => before[address]),
  ...(action.verb === 'delete' ? (action.owners ?? []) : []),
];

function sentence({ what, of, person, until, reason, incident }: PauseDraft): string {
  const held = what === 'all' ? 'paused' : `${what} paused`;
  const subject = of.by === 'estate' ? 'the estate' : `${of.by} ${of.name}`;
  const named = incident === undefined ? '' : ` in incident ${incident}`;
  return `${held} for ${subject}${named} by ${person} until ${formatMoment(until)}: ${reason}. It resumes then. To resume earlier, run the line that setpoint status prints.`;
}

/**
 * Approvals in force, as the digests of the actions that a person was shown. What has moved since has another digest, and is not
 * approved. What they let pass, of all that withholds:
 *
 *   code                                          | lifted
 *   ----------------------------------------------+----------------------------------------------
 *   mode                                          | of `plan`; `observe` reads only, whoever asks
 *   limit                                         | yes
 *   destructive-drift                             | of the very action that was named: see destructive-drift.ts
 *   protect, retain, adopted-in-store-only, depends | no: the specs, or the store, say so
 *   data-disks                                    | no: a person detaches the disk first
 *   paused, wave, rollout-stopped                 | no: each has a word of its own to go on
 *   window, freeze                                | no: they end by themselves
 */
export const approvedBy =
  (digests: ReadonlySet<string>, hash: Hash): Approved =>
  (action) =>
    digests.size > 0 && digests.has(actionDigest(action, hash));

/** The hold, but for what is approved. Asked only about what it withholds: a digest takes its time. */
export const unlessApproved =
  (hold: Hold, approved: Approved = () => false): Hold =>
  (action) => {
    const reason = hold(action);
    return reason === undefined || approved(action) ? undefined : reason;
  };

/**
 * Holds launches whose like failed at birth. A document that asks for something else has no failed births: it begins anew.
 *
 *   failed births in a row | rollout            | healing
 *   -----------------------+--------------------+---------
 *   none                   | passes             | passes
 *   1 or 2                 | held               | passes: what stands as specified comes back
 *   3 and more             | held               | launches are held
 *
 * A machine that ends after its rollout counts for launches only: a person may have ended it.
 */
export function failedBirthsHold({ wanted, knowledge }: PlanInput): Hold {
  const failed = failedBirths(wanted.desired, knowledge);
  if (failed.size === 0) return () => undefined;
  return (action) => {
    const document = documentOfReplica(action.address);
    const births = action.kind === 'instance' ? (failed.get(document) ?? []) : [];
    if (births.length === 0) return undefined;
    if (births.length >= mostFailedBirths && isLaunch(action))
      return { code: 'failed-launches', why: `nothing more is launched: ${wayOn(document, births)}` };
    const stopping = births.filter(({ isRolledOut }) => !isRolledOut);
    if ((!isLaunch(action) && action.verb !== 'update') || action.cause === 'drift') return undefined;
    return stopping.length === 0
      ? undefined
      : { code: 'rollout-stopped', why: `stopped: ${wayOn(document, stopping)}` };
  };
}

const isLaunch = ({ verb }: Action): boolean => verb === 'create' || verb === 'replace';

const wayOn = (document: Address, births: readonly Birth[]): string =>
  `${whyStopped(births)}. To resume: setpoint resume --rollout-of ${document} --reason "…"; to go back: commit the former spec.`;

/** An action that a cloud refused. `until`: ms since the epoch. */
interface BackedOff {
  readonly failures: number;
  readonly said: string;
  readonly until: number;
}

/** The first wait, and the longest. */
const firstMs = 60_000;
const longestMs = 3_600_000;

/** 1, 2, 4, … minutes, up to an hour. `failures`: in a row, this one included. */
export const backoffMs = (failures: number): number => Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1));

/** Withholds what the cloud refused a while ago, and says what it said. `of`: what is kept of this very action, while it waits. */
export const backoffHold =
  (of: (action: Action) => BackedOff | undefined): Hold =>
  (action) => {
    const held = of(action);
    if (held === undefined) return undefined;
    const times = held.failures === 1 ? 'refused it' : `refused it ${held.failures} times in a row`;
    const again = new Date(held.until).toISOString();
    return {
      code: 'backoff',
      why: `the cloud ${times}: ${held.said} Setpoint retries after ${again}. It retries at once after a change of the resource or its spec, an approval, a resume or a reconcile request.`,
    };
  };

/**
 * Holds new rules for which their container has no room beside those that stand, before any of them is sent. New rules are added before
 * those that they replace go, so both need room at once. Undefined where everything fits.
 *
 * A container that holds more than it should tells that its quota was raised: then only the cloud knows the room.
 */
export function ruleQuotaHold(actions: readonly Action[], world: World): Hold | undefined {
  const { room } = world.input.dialect.rules;
  const created = actions.filter(isNewRule);
  if (room === undefined || created.length === 0) return undefined;
  const keysOf = keysBy(room);
  const adding = groupByMany(created, ({ desired }) => keysOf(desired.attributes));
  const standing = countStanding(world, keysOf);
  const most = world.input.wanted.rulesPerContainer ?? room.most;
  const full = new Map<Action, string>();
  for (const [key, added] of adding) {
    const stand = standing.get(key) ?? 0;
    if (stand + added.length <= most || stand > most) continue;
    const why = reasonFor({ key, stand, added: added.length, most }, room);
    for (const action of added) full.set(action, why);
  }
  if (full.size === 0) return undefined;
  return (action) => {
    const why = full.get(action);
    return why === undefined ? undefined : { code: 'quota', why };
  };
}

type NewRule = Extract<Action, { readonly verb: 'create' }> & {
  readonly desired: { readonly attributes: RuleAttributes };
};

const isNewRule = (action: Action): action is NewRule => action.verb === 'create' && action.kind === 'firewall-rule';

const containerOf = ({ group, network }: RuleAttributes): string => group ?? network;

/** The keys that a rule counts under: a peer that is no block counts as both families. */
function keysBy({ apart }: RuleRoom): (rule: RuleAttributes) => readonly string[] {
  const byFamily = (peers: readonly string[]): readonly string[] => {
    const families = peers.flatMap((peer) => parseCidr(peer)?.family ?? [4, 6]);
    return [...new Set(families)].map((family) => ` IPv${family}`);
  };
  return (rule) => {
    const direction = apart.includes('direction') ? ` ${rule.match.direction}` : '';
    const families = apart.includes('family') ? byFamily(rule.match.peers) : [''];
    return families.map((family) => `${containerOf(rule)}${direction}${family}`);
  };
}

function countStanding(
  { claimed }: World,
  keysOf: (rule: RuleAttributes) => readonly string[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { observed } of claimed) {
    if (observed.kind !== 'firewall-rule') continue;
    // why: the kind was just checked
    for (const key of keysOf(observed.attributes as RuleAttributes)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

interface Fullness {
  readonly key: string;
  readonly stand: number;
  readonly added: number;
  readonly most: number;
}

const reasonFor = ({ key, stand, added, most }: Fullness, { quota, container }: RuleRoom): string =>
  `${key} holds ${stand} rules and would get ${added} more; ${container} takes ${most}. Setpoint adds new rules before it removes the rules that they replace, so it sends none of them. Raise the quota "${quota}" and state it as quotas.rulesPerGroup of the target, or put the new rules into another group.`;
