import type { Action, BlockCode, Deletion, Finding, ScopePlan, WithholdCode } from '../action.ts';
import { changeOf, type PlanCost } from '../cost/cost.ts';
import type { Desired } from '../desired.ts';
import type { FieldChange } from '../diff.ts';
import { graceLength } from '../grace.ts';
import { kindNames } from '../kinds/kinds.ts';
import { type Healing, healingIn } from '../plan/healing.ts';
import { reasonOfGap } from '../plan/plan.ts';
import { type Address, type Cloud, nameIn, type ScopeKey } from '../resource.ts';
import { compareText, printable } from '../text.ts';
import { deleteReasons } from './plan-json.ts';
import { bare, ruleText, short } from './rule-text.ts';
import { type Entry, type EntryVerb, entriesOf, summarise, summaryLine } from './summary.ts';
import { documentText, entryChanges } from './value-text.ts';
import {
  type Ago,
  contestedText,
  formatMoment,
  healingTexts,
  moment,
  type Paint,
  plain,
  remediationText,
  type Style,
  touchedText,
  unheardText,
} from './wording.ts';

interface PlanTextOptions {
  readonly revision: string;
  readonly paint?: Paint;
  /** Findings that only inform (unmanaged, orphan) are listed up to so many; default 20. */
  readonly most?: number;
  /** The text for the time of a change; default: the timestamp itself. */
  readonly ago?: Ago;
  /** Clouds whose audit logs reach Setpoint; default: none. */
  readonly auditLogs?: readonly Cloud[] | undefined;
  readonly cost?: PlanCost | undefined;
}

interface How {
  readonly paint: Paint;
  readonly ago: Ago;
}

/** `isHeard`: its cloud sends events, so that drift without an author says so. */
interface ScopeHow extends How {
  readonly isHeard: boolean;
  readonly healing: (one: Action | Finding) => Healing | undefined;
}

const symbols: Readonly<Record<EntryVerb, readonly [string, Style]>> = {
  create: ['+', 'add'],
  update: ['~', 'change'],
  replace: ['-/+', 'remove'],
  delete: ['-', 'remove'],
  adopt: ['+', 'add'],
  forget: ['·', 'dim'],
};

/** True where events tell of changes. `place`: a scope, or an address in it. */
export const isHeardIn = (place: ScopeKey | Address, auditLogs: readonly Cloud[] = []): boolean =>
  auditLogs.some((cloud) => place.startsWith(`${cloud}/`));

/** A plan for people: the verdict first, then each scope with its changes, then what is true and not acted on. */
export function planText(plans: readonly ScopePlan[], options: PlanTextOptions): string {
  const { revision, paint = plain, most = 20, ago = moment, auditLogs = [], cost } = options;
  const lines = [paint('strong', `Plan: ${summaryLine(summarise(plans), printable(revision))}`)];
  if (cost !== undefined) lines.push(costLine(cost));
  const unlisted = new Map<string, readonly string[]>();
  for (const { scope, actions, findings } of printable(plans)) {
    if (actions.length + findings.length === 0) continue;
    const why = nothingListed(findings);
    const shown = why === undefined ? findings : findings.filter((finding) => !restsOnListing(finding));
    if (why !== undefined) unlisted.set(why, [...(unlisted.get(why) ?? []), scope]);
    if (actions.length + shown.length === 0) continue;
    const how = { paint, ago, isHeard: isHeardIn(scope, auditLogs), healing: healingIn({ findings }) };
    lines.push('', paint('strong', scope), ...entriesOf(actions).flatMap((entry) => entryLines(entry, how)));
    lines.push(...findingLines(shown, how, most));
  }
  return [...lines, ...unlistedLines(unlisted, paint), ...keptGraceLines(plans, paint)].join('\n');
}

/** The way to keep the graces that a plan of a person cuts short. */
function keptGraceLines(plans: readonly ScopePlan[], paint: Paint): readonly string[] {
  const skips = (action: Action): boolean => action.verb === 'delete' && action.skipsGrace === true;
  const cut = deletedText(plans.flatMap(({ actions }) => actions.filter(skips)));
  const text = `Apply deletes ${cut} now, without the grace of workers. To keep the grace: setpoint apply --grace`;
  return cut === undefined ? [] : ['', paint('note', text)];
}

/** `3 machines and 1 other object`: the objects, rules apart, that these actions delete at once; undefined where there are none. */
export function deletedText(actions: readonly Action[]): string | undefined {
  const deleted = actions.filter((one) => one.kind !== 'firewall-rule' && deletesNow(one));
  const machines = deleted.filter(({ kind }) => kind === 'instance').length;
  const others = deleted.length - machines;
  const counted = (of: number, noun: string): readonly string[] =>
    of === 0 ? [] : [`${of} ${noun}${of === 1 ? '' : 's'}`];
  const parts = [...counted(machines, 'machine'), ...counted(others, machines === 0 ? 'object' : 'other object')];
  return parts.length === 0 ? undefined : parts.join(' and ');
}

/** An object that was in use goes, and its grace does not only begin. */
const deletesNow = (action: Action): boolean =>
  action.verb === 'delete' &&
  ['removed', 'scaled-down', 'pruned'].includes(action.because) &&
  (action.grace === undefined || action.grace.phase === 'ends');

/** `Cost: 126.40 USD a month, 15.18 more than now · limit 200.00 · not priced: 3 aws eu-west-1 disk gp3` */
export function costLine({ currency, before, after, unpriced, limit }: PlanCost): string {
  const change = changeOf({ before, after });
  const most = 3;
  const named = unpriced.slice(0, most).map(({ what, count }) => `${count} ${printable(what)}`);
  const rest = unpriced.length - most;
  const parts = [
    `Cost: ${unpriced.length === 0 ? '' : 'at least '}${after.toFixed(2)} ${currency} a month`,
    change === 0 ? ', as now' : `, ${Math.abs(change).toFixed(2)} ${change > 0 ? 'more' : 'less'} than now`,
    ...(limit === undefined ? [] : [` · limit ${limit.toFixed(2)}`]),
    ...(named.length === 0 ? [] : [` · not priced: ${named.join(', ')}${rest > 0 ? ` and ${rest} more kinds` : ''}`]),
  ];
  return parts.join('');
}

/** The one reason why a scope could not be listed at all: nobody there answers these credentials. */
function nothingListed(findings: readonly Finding[]): string | undefined {
  if (findings.some(({ type }) => type === 'wrong-account')) return undefined;
  const gaps = findings.flatMap((finding) => (finding.type === 'incomplete' ? [finding] : []));
  const [why, ...others] = new Set(gaps.map((gap) => reasonOfGap(gap)));
  return others.length === 0 && new Set(gaps.map(({ kind }) => kind)).size === kindNames.length ? why : undefined;
}

const restsOnListing = (finding: Finding): boolean =>
  finding.type === 'incomplete' || ('code' in finding && finding.code === 'not-observed');

/** Each reason once, with the scopes that it holds for. */
const unlistedLines = (unlisted: ReadonlyMap<string, readonly string[]>, paint: Paint): readonly string[] =>
  [...unlisted].flatMap(([why, scopes], i) => [
    '',
    ...scopes.map((scope) => paint('strong', scope)),
    `  ${paint('note', '· nothing could be listed')}  ${why}`,
    ...(i === unlisted.size - 1
      ? ['', 'Setpoint plans nothing for a scope that it could not list. Find the cause with: setpoint doctor']
      : []),
  ]);

function entryLines(entry: Entry, how: ScopeHow): readonly string[] {
  const { paint } = how;
  const [symbol, style] = symbols[entry.verb];
  const name = nameIn(entry.address, entry.kind);
  const place =
    entry.document !== undefined && entry.document.file !== ''
      ? paint('dim', `  ${entry.document.file}:${entry.document.line}`)
      : '';
  const drift = entry.drifted && entry.verb !== 'forget' ? paint('note', '  ! drifted') : '';
  const why = reason(entry);
  const grade = entry.actions.some((one) => one.criticality === 'critical') ? paint('note', '  critical') : '';
  return [
    `  ${paint(style, `${symbol} ${entry.kind} ${name}`)}${why === '' ? '' : paint('dim', `  ${why}`)}${drift}${grade}${place}`,
    ...entry.actions.flatMap((action) => actionLines(action, paint)),
    ...touchedLines(entry.actions, how),
    ...new Set(entry.actions.flatMap((action) => [...remediationLines(action, paint), ...fightLines(action, paint)])),
  ];
}

/** Of fields that somebody else writes again and again. */
const fightLines = ({ contested = [] }: Action, paint: Paint): readonly string[] =>
  contested.map((fight) => `      ${paint('note', contestedText(fight))}`);

/** Of drift that waits for a person. */
const remediationLines = ({ remediation }: Action, paint: Paint): readonly string[] =>
  remediation === undefined
    ? []
    : [
        `      ${paint('note', `remediation of ${(remediation.fields ?? [remediation.category]).join(', ')}: ${remediationText(remediation)}; no worker heals it`)}`,
      ];

/** The author of each change and its fate; each person and call once. */
const touchedLines = (shown: readonly (Action | Finding)[], { healing, ...how }: ScopeHow): readonly string[] => [
  ...new Set(
    shown.flatMap((one) => {
      const text = authorText(one, healing(one), how);
      return text === undefined ? [] : [`      ${how.paint('note', text)}`];
    }),
  ),
];

/**
 * The author of the change behind an action or a finding, and whether healing undoes it; undefined where nothing is known of it.
 * `isHeard`: an event was to be expected, so drift without an author is told too.
 */
export function authorText(
  { by, ...one }: Action | Finding,
  healing: Healing | undefined,
  { ago, isHeard }: Pick<ScopeHow, 'ago' | 'isHeard'>,
): string | undefined {
  const fate = healing === undefined ? '' : `; ${healingTexts[healing]}`;
  if (by !== undefined) return `${touchedText(by, ago)}${fate}`;
  const isDrift = 'cause' in one && one.cause === 'drift' && healing !== undefined;
  return isHeard && isDrift ? `${unheardText}${fate}` : undefined;
}

function reason({ verb, actions }: Entry): string {
  const [first] = actions;
  if (verb === 'adopt') return 'adopted';
  if (first?.verb === 'forget') return 'gone from the cloud; the store forgets it';
  if (first?.verb === 'delete' && verb === 'delete')
    return first.because === 'rogue'
      ? 'no document states this rule'
      : [deleteReasons[first.because], ...graceNote(first)].join('; ');
  return first === undefined ? '' : costText(first);
}

/**
 * The place of a deletion in its grace.
 *
 *   its grace      | workers                        | a person deletes at once
 *   ---------------+--------------------------------+-----------------------------------
 *   not begun      | deleted after a grace of 1 h   | deleted now
 *   runs           | grace until …                  | deleted now, in its grace until …
 *   is over        | its grace ended …              | its grace ended …
 *   has none       |                                |
 */
function graceNote({ grace, skipsGrace }: Deletion): readonly string[] {
  if (grace === undefined) return skipsGrace ? ['deleted now'] : [];
  if (grace.phase === 'begins') return [`deleted after a grace of ${graceLength(grace.forMs)}`];
  const until = formatMoment(grace.until);
  if (skipsGrace) return [`deleted now, in its grace until ${until}`];
  return [grace.phase === 'ends' ? `its grace ended ${until}` : `grace until ${until}`];
}

/** The disruption of an action in words, or the order of a replacement; empty where it disrupts nothing. */
export function costText(action: Action): string {
  if (action.verb === 'replace') return replacement(action);
  if (action.verb !== 'update') return '';
  if (action.retires) return 'stops the machine for its grace, as its document wanted';
  if (action.restarts) return 'starts the machine, which an interrupted update of ours stopped';
  return action.effect === 'stops' ? 'stops the machine' : '';
}

/** In which order. What is lost with the old machine is a line of its own. */
function replacement({ surge, desired, observed }: Replacement): string {
  const named = observed.name === '' || desired.name === observed.name ? '' : ` ${desired.name}`;
  const how = surge
    ? `the new machine${named} is ready before the old one is deleted`
    : 'the old machine is deleted first';
  return surge?.successor === undefined ? how : `${how}; continues with ${surge.successor}`;
}

type Replacement = Extract<Action, { readonly verb: 'replace' }>;

function lossLine({ kind, desired }: Replacement, paint: Paint): readonly string[] {
  if (kind !== 'instance') return [];
  const address = 'placement' in desired.attributes && desired.attributes.placement.publicIp;
  const addresses = address ? ' Its addresses change.' : ' Its private address changes.';
  return [`      ${paint('remove', `! the data on its disks is LOST: nothing is carried over.${addresses}`)}`];
}

const deletedLossLine = ({ kind }: Deletion, paint: Paint): readonly string[] =>
  kind === 'instance' ? [`      ${paint('remove', '! the data on its disks is LOST.')}`] : [];

function actionLines(action: Action, paint: Paint): readonly string[] {
  switch (action.verb) {
    case 'create':
      return action.desired.kind === 'firewall-rule'
        ? [`      ${paint('add', `+ ${ruleText(action.desired.attributes)}`)}`]
        : fieldLines(createdFields(action.desired)).map((line) => `      ${line}`);
    case 'replace':
      return [...lossLine(action, paint), ...changeLines(action, paint)];
    case 'update':
    case 'adopt':
      return changeLines(action, paint);
    case 'delete':
      return action.observed.kind === 'firewall-rule'
        ? [`      ${paint('remove', `- ${ruleText(action.observed.attributes)}`)}`]
        : [...(deletesNow(action) ? deletedLossLine(action, paint) : []), `      ${paint('dim', action.observed.id)}`];
    case 'forget':
      return [`      ${paint('dim', action.id)}`];
  }
}

/** With the name where the document states it: a cloud that fixes names keeps it. */
const createdFields = ({ name, attributes, terms }: Desired): object =>
  terms.named === true ? { name, ...attributes } : attributes;

const changeLines = (action: Extract<Action, { readonly changes: unknown }>, paint: Paint): readonly string[] =>
  action.changes.flatMap((change) => {
    const subject =
      action.kind === 'firewall-rule' && action.verb === 'update' ? `${ruleText(action.observed.attributes)}: ` : '';
    const [first = '', ...entries] = changeText(change, paint);
    return [`      ${subject}${first}`, ...entries.map((line) => `      ${line}`)];
  });

/** One difference for people: the field with both values, or with a line for each entry by which its lists differ. */
export function changeText(change: FieldChange, paint: Paint): readonly string[] {
  const { field, from, to } = change;
  const [symbol, style] = to === undefined ? symbols.delete : symbols[from === undefined ? 'create' : 'update'];
  const head = paint(style, `${symbol} ${field}`);
  const entries = entryChanges(change);
  if (entries !== undefined)
    return [
      head,
      ...entries.map(({ sign, text }) => `    ${paint(sign === '+' ? 'add' : 'remove', `${sign} ${text}`)}`),
    ];
  if (to === undefined || from === undefined) return [`${head}  ${show(from ?? to)}`];
  return [`${head}  ${show(from)} → ${show(to)}`];
}

const show = (value: unknown): string => (typeof value === 'string' ? value || '""' : JSON.stringify(value));

const informing: readonly Finding['type'][] = ['unmanaged', 'orphan', 'copied-mark'];

function findingLines(findings: readonly Finding[], how: ScopeHow, most: number): readonly string[] {
  const { paint } = how;
  const acting = findings.filter(({ type }) => !informing.includes(type));
  const shown = findings.filter(({ type }) => informing.includes(type));
  const rest = shown.length - most;
  return [
    ...actingLines(acting, how),
    ...shown
      .slice(0, most)
      .flatMap((finding) => [
        `  ${paint('dim', `? ${subjectOf(finding)}`)}  ${finding.why}`,
        ...touchedLines([finding], how),
      ]),
    ...(rest > 0 ? [paint('dim', `  ? and ${rest} more: setpoint inventory`)] : []),
  ];
}

/**
 * Findings of gaps, of unknown regions and of one shared cause make one line a kind: otherwise an unavailable cloud, or a pause,
 * would fill the screen. All others are printed by name.
 */
function actingLines(findings: readonly Finding[], how: ScopeHow): readonly string[] {
  const byCause = Map.groupBy(findings, (finding) =>
    'code' in finding && together.includes(finding.code) ? `${finding.kind} ${verbOf(finding)}${finding.why}` : finding,
  );
  return [...byCause.values()].flatMap(([first, ...rest]) => {
    if (first === undefined) return [];
    const more = rest.length === 0 ? '' : ` and ${rest.length} more`;
    return [
      `  ${how.paint('note', `· ${verbOf(first)}${subjectOf(first, more)}`)}  ${first.why}`,
      ...touchedLines([first, ...rest], how),
    ];
  });
}

/** The verb, where the reason does not name it. */
const verbOf = (finding: Finding): string =>
  finding.type === 'withheld' && (finding.code === 'limit' || finding.code === 'mode') ? `${finding.action} ` : '';

const together: readonly string[] = [
  'limit',
  'mode',
  'not-observed',
  'unknown-region',
  'paused',
  'wave',
  'rollout-stopped',
  'failed-launches',
  'lost-commits',
  'policy',
  'window',
  'freeze',
  'approvals',
] satisfies readonly (BlockCode | WithholdCode)[];

function subjectOf(finding: Finding, more = ''): string {
  if ('address' in finding) return `${finding.kind} ${nameIn(finding.address, finding.kind)}${more} ${finding.type}`;
  if ('id' in finding) return `${finding.kind} ${finding.id}${finding.name === '' ? '' : ` (${finding.name})`}`;
  return finding.type;
}

/**
 * Attributes as aligned lines: `cidr      10.20.0.0/16`; a list of maps has a line for each. In one order, however they were kept: a
 * database has an order of its own. A value that is empty or false is left out where its field is not `stated`.
 */
export function fieldLines(attributes: object, stated = statedFields(attributes)): readonly string[] {
  const fields = flatten(attributes, '').flatMap(([field, value]) =>
    isEmpty(value) && !stated.has(field) ? [] : textsOf(value).map((text, i) => [i === 0 ? field : '', text] as const),
  );
  const width = Math.max(0, ...fields.map(([field]) => field.length));
  return fields.map(([field, text]) => `${field.padEnd(width)}  ${text}`);
}

/** The fields that a document states: its settings, with any value, and all others whose value is neither empty nor false. */
export const statedFields = (attributes: object): ReadonlySet<string> =>
  new Set(
    flatten(attributes, '').flatMap(([field, value]) =>
      isEmpty(value) && !field.startsWith('settings.') ? [] : [field],
    ),
  );

const isEmpty = (value: unknown): boolean =>
  value === false || value === '' || (Array.isArray(value) && value.length === 0);

function textsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [value === '' ? '""' : short(value)];
  if (value.some((entry) => typeof entry === 'object')) return value.map(documentText);
  return [value.length === 0 ? '[]' : value.map((entry) => bare(String(entry))).join(', ')];
}

type Field = readonly [name: string, value: unknown];

function flatten(value: object, prefix: string): readonly Field[] {
  return Object.entries(value)
    .toSorted(byRank)
    .flatMap(([key, given]): readonly Field[] => {
      if (given === undefined) return [];
      if (typeof given === 'object' && given !== null && !Array.isArray(given))
        return flatten(given, `${prefix}${key}.`);
      return [[prefix + key, given]];
    });
}

/** As they are written in specs; all others, such as labels, by the alphabet. */
const order = [
  'name',
  'network',
  'group',
  'cidr',
  'placement',
  'subnet',
  'zone',
  'publicIp',
  'internet',
  'filter',
  'defaultEgress',
  'groups',
  'machine',
  'image',
  'size',
  'type',
  'encrypted',
  'identity',
  'power',
  'disk',
  'boot',
  'userData',
  'access',
  'labels',
];

const rankOf = (key: string): number => (order.includes(key) ? order.indexOf(key) : order.length);

const byRank = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  rankOf(a) - rankOf(b) || compareText(a, b);
