import type {
  Assignment,
  Change,
  Comment,
  Effect,
  Finding,
  LastModifiedBy,
  Plan,
  PlannedAction,
  Resource,
  Withholding,
} from '../api.d.ts';
import { fieldRows, valueText } from '../resource/fields.ts';

type Traffic = Effect['opens'][number];

/** Why a resource is in the inbox, in the order of the groups. */
const causes = [
  'undeclared',
  'changed',
  'missing',
  'duplicate',
  'reappeared',
  'other',
  'unstated',
  'unstable',
  'blocked',
] as const;

type Cause = (typeof causes)[number];

/** One field that differs. Absent: that side does not have it. */
export interface Difference {
  readonly field: string;
  readonly desired?: string;
  readonly observed?: string;
}

/** Traffic that the drift of a resource opened or cut. `reasons`: of a change that is not certain. */
export interface TrafficLine {
  readonly change: 'opens' | 'cuts';
  readonly traffic: Traffic;
  readonly reasons?: readonly string[];
}

/** The fate of a difference. */
export type Fate =
  | { readonly type: 'healed'; readonly healing: PlannedAction['healing'] }
  | { readonly type: 'withheld'; readonly withholding: Withholding }
  | { readonly type: 'none'; readonly reason: string };

/** One difference between the specs and a cloud, or a reason for which Setpoint cannot tell or heal one. */
export interface DriftEntry {
  /** Unique, and the same for as long as it is the same difference of the same resource. */
  readonly key: string;
  readonly cause: Cause;
  /** False: an obstacle, or a setting that no document states. Neither counts as a difference. */
  readonly isDifference: boolean;
  readonly kind: Resource['kind'];
  /** For people. */
  readonly name: string;
  readonly address?: string;
  readonly id?: string;
  readonly scope: string;
  readonly owners: readonly string[];
  readonly documents: readonly string[];
  /** The address of its first document. */
  readonly document?: string;
  readonly criticality?: PlannedAction['criticality'];
  readonly author?: LastModifiedBy;
  readonly differences: readonly Difference[];
  readonly traffic: readonly TrafficLine[];
  readonly assignment?: Assignment;
  /** Newest first; absent: none. */
  readonly comments?: readonly Comment[];
  readonly fate: Fate;
  /** Others undo the healing again and again: workers wait until then. */
  readonly waitsUntil?: string;
}

/** A place where drift is unknown. */
interface UnknownPlace {
  readonly scope: string;
  readonly reason: string;
}

/** All that differs, in the order of the answer. */
export function entriesOf({ actions, findings, effect, assignments = [], comments = [] }: Plan): readonly DriftEntry[] {
  const seen = new Map<string, number>();
  const once = (key: string): string => {
    const count = seen.get(key) ?? 0;
    seen.set(key, count + 1);
    return count === 0 ? key : `${key} ${count}`;
  };
  const lines = trafficByResource(effect);
  const acting = new Set(actions.map(({ verb, address }) => `${verb} ${address}`));
  const entries = [
    ...actions.map((action) => ofAction(action, once(`${action.verb} ${action.address}`), lines)),
    ...findings.flatMap((finding) => ofFinding(finding, once, acting)),
  ];
  const assigned = new Map(assignments.map((one) => [one.address, one]));
  const commented = Map.groupBy(comments, ({ address }) => address);
  return entries.map((entry) => {
    const { address = '' } = entry;
    const [assignment, said] = [assigned.get(address), commented.get(address)];
    if (assignment === undefined && said === undefined) return entry;
    return {
      ...entry,
      ...(assignment === undefined ? {} : { assignment }),
      ...(said === undefined ? {} : { comments: said }),
    };
  });
}

/** Scopes without a complete observation, with the reasons. */
export function unknownPlaces({ scopes, findings }: Pick<Plan, 'scopes' | 'findings'>): readonly UnknownPlace[] {
  const gaps = scopes.flatMap(({ scope, observed }) => {
    if (observed.at === undefined) return [{ scope, reason: 'Nobody has observed it yet' }];
    return observed.gaps.map(({ kind, reason }) => ({ scope, reason: `Setpoint could not list ${kind}: ${reason}` }));
  });
  const said = findings.flatMap((finding) =>
    finding.type === 'wrong-account' || finding.type === 'foreign-store'
      ? [{ scope: finding.scope, reason: finding.reason }]
      : [],
  );
  const known = new Set(gaps.map(({ scope }) => scope));
  const incomplete = findings.flatMap((finding) =>
    finding.type === 'incomplete' && !known.has(finding.scope)
      ? [{ scope: finding.scope, reason: finding.reason }]
      : [],
  );
  return [...gaps, ...said, ...incomplete];
}

type Lines = ReadonlyMap<string, readonly TrafficLine[]>;

/** By the addresses of resources, or of the documents of rules. */
function trafficByResource(effect: Effect | undefined): Lines {
  const found = new Map<string, TrafficLine[]>();
  const all: readonly TrafficLine[] = [
    ...(effect?.opens ?? []).map((traffic) => ({ change: 'opens' as const, traffic })),
    ...(effect?.cuts ?? []).map((traffic) => ({ change: 'cuts' as const, traffic })),
    ...(effect?.unknown ?? []).map(({ change, reasons, ...traffic }) => ({ change, traffic, reasons })),
  ];
  for (const line of all)
    for (const resource of line.traffic.resources) {
      const known = found.get(resource);
      if (known === undefined) found.set(resource, [line]);
      else known.push(line);
    }
  return found;
}

function ofAction(action: PlannedAction, key: string, lines: Lines): DriftEntry {
  const { kind, address, scope, documents, criticality, lastModifiedBy, withheld, healing, contested = [] } = action;
  const named = [...new Set([address, ...documents.map((document) => document.address)])];
  const owners = documents.flatMap(({ owner }) => owner ?? []);
  return {
    ...{ key, cause: causeOf(action), isDifference: true, kind, address, scope, criticality },
    name: actionName(action),
    id: 'observed' in action ? action.observed.id : undefined,
    owners: [...new Set(owners.length === 0 && action.verb === 'delete' ? (action.owners ?? []) : owners)],
    documents: documents.map(({ file, line }) => `${file}:${line}`),
    document: documents[0]?.address,
    author: lastModifiedBy,
    differences: differencesOf(action),
    traffic: [...new Set(named.flatMap((one) => lines.get(one) ?? []))],
    waitsUntil: contested
      .flatMap(({ workersUntil }) => workersUntil ?? [])
      .toSorted()
      .at(-1),
    fate: withheld === undefined ? { type: 'healed', healing } : { type: 'withheld', withholding: withheld },
  };
}

/** A rule has no name of its own; then the end of its address is one. */
export function actionName(action: PlannedAction): string {
  const { kind, address } = action;
  const [side] = [...('desired' in action ? [action.desired] : []), ...('observed' in action ? [action.observed] : [])];
  return side?.name || shortOf(address, kind);
}

const shortOf = (address: string, kind: string): string =>
  address.slice(address.indexOf(`/${kind}/`) + kind.length + 2);

function causeOf(action: PlannedAction): Cause {
  switch (action.verb) {
    case 'create':
      return 'missing';
    case 'update':
    case 'replace':
    case 'adopt':
      return 'changed';
    case 'delete': {
      const { reason } = action;
      return reason === 'undeclared' || reason === 'duplicate' || reason === 'reappeared' ? reason : 'other';
    }
    case 'forget':
      return 'other';
  }
}

export function differencesOf(action: PlannedAction): readonly Difference[] {
  switch (action.verb) {
    case 'update':
    case 'replace':
    case 'adopt':
      return action.changes.map(differenceOf);
    case 'create':
      return sidesOf({ desired: action.desired.attributes });
    case 'delete':
      return sidesOf({ observed: action.observed.attributes });
    case 'forget':
      return [];
  }
}

const differenceOf = ({ field, from, to }: Change): Difference => ({
  field,
  ...(to === undefined ? {} : { desired: valueText(to) }),
  ...(from === undefined ? {} : { observed: valueText(from) }),
});

/** All fields of a resource that only one side has. */
const sidesOf = ({ desired, observed }: { readonly desired?: unknown; readonly observed?: unknown }) =>
  fieldRows({ desired, observed, applied: undefined, differing: [] });

/** A withheld action has an entry of its own; a place that nobody could observe is none. */
function ofFinding(
  finding: Finding,
  once: (key: string) => string,
  acting: ReadonlySet<string>,
): readonly DriftEntry[] {
  switch (finding.type) {
    case 'incomplete':
    case 'wrong-account':
    case 'foreign-store':
      return [];
    case 'withheld':
      if (acting.has(`${finding.action} ${finding.address}`)) return [];
      return [obstacle(finding, once, { cause: 'blocked', address: finding.address })];
    case 'blocked':
      return [obstacle(finding, once, { cause: 'blocked', address: finding.address })];
    case 'non-convergent':
      return [obstacle(finding, once, { cause: 'unstable', address: finding.address })];
    case 'unmanaged':
    case 'orphan':
    case 'copied-mark':
    case 'unrecorded-mark': {
      const { id, name, parent } = finding;
      return [{ ...obstacle(finding, once, { cause: 'unstated', address: parent, name: name || id }), id }];
    }
  }
}

type Told = Extract<Finding, { readonly kind: string }>;
type About = Pick<DriftEntry, 'cause'> & { readonly address: string | undefined; readonly name?: string };

function obstacle(
  { type, kind, scope, reason, criticality, lastModifiedBy }: Told,
  once: (key: string) => string,
  { cause, address, name }: About,
): DriftEntry {
  return {
    ...{ key: once(`${type} ${address ?? `${scope} ${name}`}`), cause, isDifference: false, kind, address, scope },
    name: name ?? (address === undefined ? kind : shortOf(address, kind)),
    ...{ owners: [], documents: [], criticality, author: lastModifiedBy, differences: [], traffic: [] },
    fate: { type: 'none', reason },
  };
}

/**
 * The danger of a difference by its traffic; the lowest number is the most urgent.
 *
 *   0  opens from the internet to an exposed machine      3  cuts, or may cut
 *   1  opens from the internet, or may                    4  no traffic that Setpoint knows of
 *   2  opens from elsewhere, or may                       5  no difference: an obstacle, an unstated setting
 */
export function dangerOf({ traffic, isDifference }: Pick<DriftEntry, 'traffic' | 'isDifference'>): number {
  if (!isDifference) return 5;
  return Math.min(4, ...traffic.map(dangerOfLine));
}

export function dangerOfLine({ change, traffic: { from, to }, reasons }: TrafficLine): number {
  if (change === 'cuts') return 3;
  if (!('cidr' in from && from.anyone)) return 2;
  const isReached = 'network' in to && (to.exposed ?? 0) > 0;
  return isReached && reasons === undefined ? 0 : 1;
}

const criticalityRank = { critical: 0, high: 1, normal: 2, low: 3 } as const;

/** The most dangerous first; then the most critical, the newest change, the name. */
export function byUrgency(a: DriftEntry, b: DriftEntry): number {
  return (
    dangerOf(a) - dangerOf(b) ||
    criticalityRank[a.criticality ?? 'normal'] - criticalityRank[b.criticality ?? 'normal'] ||
    changedAt(b) - changedAt(a) ||
    byText(a.name, b.name) ||
    byText(a.key, b.key)
  );
}

const changedAt = ({ author }: DriftEntry): number => (author === undefined ? 0 : Date.parse(author.at));

const byText = (a: string, b: string): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

export const groupings = ['cause', 'author', 'owner'] as const;
export type Grouping = (typeof groupings)[number];

export const groupingOf = (text: string | undefined): Grouping => groupings.find((one) => one === text) ?? 'cause';

export interface Group<T> {
  readonly name: string;
  readonly entries: readonly T[];
  /** By the second criterion: authors of a cause, else causes. */
  readonly parts: readonly { readonly name: string; readonly entries: readonly T[] }[];
}

/** The group with the most dangerous entry first; groups of one danger in the order of causes, else the largest first. */
export function grouped<T>(all: readonly T[], by: Grouping, placeOf: (one: T) => DriftEntry): readonly Group<T>[] {
  const second = by === 'cause' ? 'author' : 'cause';
  return splitBy(all, by, placeOf).map(({ name, entries }) => ({
    ...{ name, entries },
    parts: splitBy(entries, second, placeOf),
  }));
}

function splitBy<T>(all: readonly T[], by: Grouping, placeOf: (one: T) => DriftEntry) {
  const sorted = all.toSorted((a, b) => byUrgency(placeOf(a), placeOf(b)));
  const groups = [...Map.groupBy(sorted, (one) => groupName(placeOf(one), by))].map(([name, entries]) => ({
    name,
    entries,
    danger: Math.min(...entries.map((one) => dangerOf(placeOf(one)))),
    order: by === 'cause' ? Math.min(...entries.map((one) => causes.indexOf(placeOf(one).cause))) : -entries.length,
  }));
  return groups.sort((a, b) => a.danger - b.danger || a.order - b.order || byText(a.name, b.name));
}

const causeTitles: Readonly<Record<Cause, string>> = {
  undeclared: 'No document states it',
  changed: 'Changed outside Setpoint',
  missing: 'Missing on the cloud',
  duplicate: 'Duplicate',
  reappeared: 'Deleted, and there again',
  other: 'Not asked for any more',
  unstated: 'Settings that no document states',
  unstable: 'Corrections that do not last',
  blocked: 'Blocked: drift is unknown, or not healed',
};

const noAuthor = 'Author unknown';
const noOwner = 'No owner';

function groupName({ cause, author, owners }: DriftEntry, by: Grouping): string {
  switch (by) {
    case 'cause':
      return causeTitles[cause];
    case 'author':
      return author?.actor ?? noAuthor;
    case 'owner':
      return owners.length === 0 ? noOwner : owners.join(', ');
  }
}

/** True where each word is in a text of the entry; the case does not matter. */
export function matches(entry: DriftEntry, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const { name, kind, address = '', id = '', scope, owners, author, differences, cause, fate } = entry;
  const held = fate.type === 'withheld' ? [fate.withholding.code, 'withheld'] : [];
  const fields = differences.flatMap(({ field, desired = '', observed = '' }) => [field, desired, observed]);
  const all = [
    name,
    kind,
    address,
    id,
    scope,
    ...owners,
    author?.actor ?? '',
    author?.action ?? '',
    causeTitles[cause],
  ];
  const searched = [...all, ...held, ...fields].join('\n').toLowerCase();
  return words.every((word) => searched.includes(word));
}
