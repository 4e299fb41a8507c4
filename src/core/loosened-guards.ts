import { type ChangeCalendar, freezeSpan } from './change-windows.ts';
import { byStrictness } from './desired.ts';
import { type GracePeriods, graceLength, usualGrace } from './grace.ts';
import type { Guards } from './guards.ts';
import { kindNames } from './kinds/kinds.ts';
import { type CostLimit, fieldOf, type Limits, mostOf, sorts } from './limits.ts';
import type { PolicyRules } from './policy/rules.ts';
import { type RemediationGuards, remediations } from './remediation.ts';
import { type Paint, plain } from './render/wording.ts';
import { type Address, shortAddress } from './resource.ts';
import { listed, printable } from './text.ts';

/**
 * The guards that one generation has and a later one would have looser, for people: `limits.deletes 5 → 50`, `protect of network core`.
 * `isMeant`: of guards of documents only these; absent: all, and those of estate, targets and policies too. A policy, window or freeze
 * counts unless its fields show that it holds as much as before.
 */
export function loosenedGuards(
  before: Guards,
  after: Guards,
  isMeant?: (document: Address) => boolean,
): readonly string[] {
  const ofDocuments = documentsLoosened(before, after, isMeant ?? (() => true));
  if (isMeant !== undefined) return ofDocuments;
  return [
    ...limitsLoosened(before.limits, after.limits),
    ...ofDocuments,
    ...namedChanges(['policy', 'policies'], policiesLoosened(before.enforced, after.enforced)),
    ...namedChanges(['window', 'windows'], windowsLoosened(before.calendar?.windows, after.calendar?.windows)),
    ...namedChanges(['freeze', 'freezes'], freezesLoosened(before.calendar?.freezes, after.calendar?.freezes)),
    ...remediationLoosened(before.remediation?.scopes, after.remediation?.scopes),
    ...graceShortened(before.grace, after.grace),
  ];
}

function limitsLoosened(before: Limits, after: Limits): readonly string[] {
  const counted = sorts.map((sort) => [fieldOf[sort], mostOf(before, sort), mostOf(after, sort)] as const);
  const shareAfter = after.share ?? Number.POSITIVE_INFINITY;
  const isSameCurrency = before.cost?.currency === after.cost?.currency;
  const costAfter = after.cost !== undefined && isSameCurrency ? after.cost.monthly : Number.POSITIVE_INFINITY;
  return [
    ...counted.flatMap(([name, from, to]) => (to > from ? [`limits.${name} ${from} → ${to}`] : [])),
    ...(before.share !== undefined && shareAfter > before.share
      ? [`limits.share ${percent(before.share)} → ${after.share === undefined ? 'none' : percent(after.share)}`]
      : []),
    ...(before.cost !== undefined && costAfter > before.cost.monthly
      ? [`limits.cost ${costOf(before.cost)} → ${after.cost === undefined ? 'none' : costOf(after.cost)}`]
      : []),
  ];
}

const costOf = ({ monthly, currency }: CostLimit): string => `${monthly} ${currency}`;

const percent = (share: number): string => `${Math.round(share * 1000) / 10}%`;

function documentsLoosened(before: Guards, after: Guards, isMeant: (document: Address) => boolean): readonly string[] {
  const protectedAfter = new Set(after.protected);
  const loosened: (readonly [guard: string, document: Address])[] = [
    ...Object.entries({ ...before.ended, ...before.modes }).flatMap(([document, from]) => {
      const to = after.modes[document];
      return to !== undefined && byStrictness(from, to) < 0 ? [[`mode ${from} → ${to}`, document] as const] : [];
    }),
    ...before.protected.flatMap((document) => (protectedAfter.has(document) ? [] : [['protect', document] as const])),
    ...Object.entries(before.policies).flatMap(([document, from]) =>
      from === 'retain' && after.policies[document] === 'delete'
        ? [['deletionPolicy retain → delete', document] as const]
        : [],
    ),
    ...Object.entries(before.remediation?.documents ?? {}).flatMap(([document, from]) =>
      isRemediationLooser(from, remediationOf(document, after)) ? [['remediation', document] as const] : [],
    ),
  ];
  const meant = loosened.filter(([, document]) => isMeant(document));
  return [...Map.groupBy(meant, ([guard]) => guard)].map(([guard, all]) => {
    const names = [...new Set(all.map(([, document]) => shortAddress(document)))];
    return `${guard} of ${listed(names)}`;
  });
}

type Change = 'goes' | 'changes' | 'comes';

interface NamedChange {
  readonly name: string;
  readonly change: Change;
}

const changeOfMany: Readonly<Record<Change, string>> = { goes: 'go', changes: 'change', comes: 'come' };

function namedChanges(
  [one, many]: readonly [one: string, many: string],
  loosened: readonly NamedChange[],
): readonly string[] {
  return (['goes', 'changes', 'comes'] as const).flatMap((change) => {
    const names = loosened.filter((guard) => guard.change === change).map(({ name }) => name);
    if (names.length === 0) return [];
    return [
      names.length === 1 ? `${one} ${listed(names)} (${change})` : `${many} ${listed(names)} (${changeOfMany[change]})`,
    ];
  });
}

const policiesLoosened = (
  before: readonly PolicyRules[] = [],
  after: readonly PolicyRules[] = [],
): readonly NamedChange[] =>
  before.flatMap((policy): readonly NamedChange[] => {
    const { name } = policy;
    const now = after.find((one) => one.name === name);
    if (now === undefined) return [{ name, change: 'goes' }];
    return deniesAsMuch(policy, now) ? [] : [{ name, change: 'changes' }];
  });

/** True where the later policy has all of its rules for all of its resources, without a new exemption. */
const deniesAsMuch = (before: PolicyRules, after: PolicyRules): boolean =>
  before.kinds.every((kind) => after.kinds.includes(kind)) &&
  isWithin(before.targets, after.targets) &&
  before.rules.every((rule) => after.rules.some((other) => isRuleKept(rule, other))) &&
  after.exemptions.every((one) => before.exemptions.some((other) => isExemptionKept(other, one)));

type Rule = PolicyRules['rules'][number];
type Exemption = PolicyRules['exemptions'][number];

/** A denial does not replace an approval: deletions may need approval, and no denial of a resource is about them. */
function isRuleKept(before: Rule, after: Rule): boolean {
  if (before.warn !== undefined) return true;
  const { people = 1, role } = before.approvers ?? {};
  return (
    before.name === after.name &&
    before.deny === after.deny &&
    before.requireApproval === after.requireApproval &&
    (after.approvers?.people ?? 1) >= people &&
    (role === undefined || role === after.approvers?.role)
  );
}

const isExemptionKept = (before: Exemption, after: Exemption): boolean =>
  after.resources.every((glob) => before.resources.includes(glob)) &&
  isWithin(after.rules, before.rules) &&
  after.until <= before.until;

/** Absent: all. */
const isWithin = (names: readonly string[] | undefined, all: readonly string[] | undefined): boolean =>
  all === undefined || (names?.every((name) => all.includes(name)) ?? false);

type Windows = ChangeCalendar['windows'];
type Window = Windows[number];
type Freezes = ChangeCalendar['freezes'];
type Freeze = Freezes[number];

/** Targets may have windows and freezes of one name. */
const keyOf = ({ name, target }: Window | Freeze): string =>
  target === undefined ? name : `${name} of target ${target}`;

/**
 * Of the windows of one level, the estate or a target, one must be open: see `closedAt`.
 *
 *   a window                                                       | is listed
 *   ---------------------------------------------------------------+----------------------------------------------
 *   before: no later one of its level covers the same changes      | goes, or changes
 *   after: opens when those of its level before were not open      | comes, or changes
 *   after: the first of its level                                  | no: without it nothing was held there
 */
function windowsLoosened(before: Windows = [], after: Windows = []): readonly NamedChange[] {
  const known = new Set(before.map(keyOf));
  const kept = new Set(after.map(keyOf));
  const levelOf = (windows: Windows, { target }: Window): Windows => windows.filter((one) => one.target === target);
  const uncovered = before.filter((window) => !levelOf(after, window).some((later) => coversAll(later, window)));
  const opened = after.filter((window) => {
    const level = levelOf(before, window);
    // why: a rule of two owners is held by the windows of both, so even those of another owner count
    const isWithinAll = level.every((one) => isOpenWithin(window, one));
    return !isWithinAll && !level.some((one) => coversAll(one, window) && isOpenWithin(window, one));
  });
  const loosened = new Set([...uncovered, ...opened].map(keyOf));
  const names = [...new Set([...before, ...after].map(keyOf))].filter((name) => loosened.has(name));
  return names.map((name) => {
    if (!kept.has(name)) return { name, change: 'goes' };
    return { name, change: known.has(name) ? 'changes' : 'comes' };
  });
}

type Coverage = Pick<Window, 'owners' | 'targets'>;

const coversAll = (wide: Coverage, narrow: Coverage): boolean =>
  isWithin(narrow.owners, wide.owners) && isWithin(narrow.targets, wide.targets);

/** False also where nobody can tell, such as in another time zone. */
function isOpenWithin(window: Window, wide: Window): boolean {
  if (window.timeZone !== wide.timeZone) return false;
  const hours = minutesOf(window);
  const all = minutesOf(wide);
  return hours.from >= all.from && hours.to <= all.to && window.days.every((day) => wide.days.includes(day));
}

function minutesOf({ from, to }: Window): { readonly from: number; readonly to: number } {
  const [opens = 0, closes = 0] = [from, to].map((time) => {
    const [hours = 0, minutes = 0] = time.split(':').map(Number);
    return hours * 60 + minutes;
  });
  return { from: opens, to: closes < opens ? closes + 24 * 60 : closes };
}

/** All freezes hold: one is looser where no later one holds all that it did. Its reason holds nothing. */
const freezesLoosened = (before: Freezes = [], after: Freezes = []): readonly NamedChange[] =>
  before
    .filter((freeze) => !after.some((later) => freezesAll(later, freeze)))
    .map((freeze) => {
      const name = keyOf(freeze);
      return { name, change: after.some((later) => keyOf(later) === name) ? 'changes' : 'goes' };
    });

function freezesAll(wide: Freeze, narrow: Freeze): boolean {
  const all = freezeSpan(wide);
  const span = freezeSpan(narrow);
  const isPlaced = wide.target === undefined || wide.target === narrow.target;
  return isPlaced && coversAll(wide, narrow) && all.from <= span.from && span.to <= all.to;
}

type RemediationRecord = RemediationGuards['scopes'][string];

/** A document that has no record of its own has that of its scope. */
function remediationOf(document: Address, { remediation }: Guards): RemediationRecord | undefined {
  const own = remediation?.documents[document];
  if (own !== undefined) return own;
  return Object.entries(remediation?.scopes ?? {}).find(([scope]) => document.startsWith(`${scope}/`))?.[1];
}

const isRemediationLooser = (before: RemediationRecord, after: RemediationRecord = {}): boolean =>
  Object.entries(before).some(([key, from]) => {
    const to = Object.entries(after).find(([other]) => other === key)?.[1] ?? 'heal';
    return remediations.indexOf(from) < remediations.indexOf(to);
  });

const remediationLoosened = (
  before: RemediationGuards['scopes'] = {},
  after: RemediationGuards['scopes'] = {},
): readonly string[] =>
  Object.entries(before).flatMap(([scope, from]) =>
    isRemediationLooser(from, after[scope]) ? [`remediation of ${scope}`] : [],
  );

const graceShortened = (before: GracePeriods = usualGrace, after: GracePeriods = usualGrace): readonly string[] =>
  kindNames.flatMap((kind) =>
    after[kind] < before[kind]
      ? [`deletionGracePeriod of ${kind} ${graceLength(before[kind])} → ${graceLength(after[kind])}`]
      : [],
  );

/** The section of a plan, with `hint` below; undefined where no guard becomes looser. */
export const looserGuardsText = (
  looser: readonly string[] = [],
  { paint = plain, hint }: { readonly paint?: Paint; readonly hint?: string } = {},
): string | undefined =>
  looser.length === 0
    ? undefined
    : `${paint('strong', 'Looser guards:')} ${printable(looser).join('; ')}.${hint === undefined ? '' : `\n  ${hint}`}`;

export const looserGuardsHint =
  'They still hold in this generation; the next change of the specs is made without them. To keep them, restore them first.';
