import type { Cost } from '../../core/cost/cost.ts';
import { type Coverage, type Grouping, isUnmanaged, type ObjectGroup } from '../../core/inventory/coverage.ts';
import { type Idle, idleCost } from '../../core/inventory/idle.ts';
import { claims } from '../../core/inventory/ownership.ts';
import { lastModifiedByJson, originJson } from '../../core/render/plan-json.ts';
import { type Ago, touchedText } from '../../core/render/wording.ts';
import { type Kind, nameIn } from '../../core/resource.ts';
import { compareText, printable } from '../../core/text.ts';
import type { InventoryObject, ScopeInventory } from '../api-client/inventory.ts';
import type { Output } from '../terminal.ts';
import { coverageJson, coverageText, groupJson, groupTable } from './coverage.ts';
import { agoFrom, count, formatDuration } from './format.ts';
import { paintFor, sortKeys } from './print.ts';
import { table } from './table.ts';

/** The chosen objects of each scope. */
export interface InventoryView {
  readonly scopes: readonly ScopeInventory[];
  /** Scopes without an observation. */
  readonly unobserved: readonly string[];
  /** With --unmanaged or --group-by. */
  readonly coverage?: Coverage;
  /** With --group-by: in place of the objects. */
  readonly groups?: { readonly by: Grouping; readonly all: readonly ObjectGroup[] };
  /** With --exposed: the reasons are those of the exposure. */
  readonly isOfExposure?: boolean;
  /** With --idle: the objects are those of this map. */
  readonly idle?: IdleView;
}

/** `currency` absent: the specs have no prices, or a server answered. */
interface IdleView {
  readonly objects: ReadonlyMap<InventoryObject, Idle>;
  readonly currency?: string;
}

/** The verdict, then each scope with its age, its gaps and a table. Ids come last: some clouds' are longer than a screen. */
export function inventoryText(view: InventoryView, now: number, output: Output): string {
  const { scopes, unobserved, coverage, groups, idle, isOfExposure = false } = view;
  const paint = paintFor(output);
  const ago = agoFrom(now);
  const { width = Infinity } = output;
  const all = scopes.flatMap(({ objects }) => objects);
  const what = idle === undefined ? count(all.length, 'object') : count(all.length, 'idle object');
  const verdict = `Inventory: ${what} in ${count(scopes.length, 'scope')}${tally(all)}${idle === undefined ? '' : idleCostText(idle)}`;
  const heads = scopes.map(({ scope, at, gaps, objects }) => {
    const missing = printable(gaps).map(({ kind, code }) => `${kind} (${code})`);
    const whole = missing.length === 0 ? 'complete' : `incomplete: ${missing.join(', ')}`;
    const head = `${paint('strong', printable(scope))}  observed ${formatDuration(now - at)} ago · ${whole}`;
    if (groups !== undefined) return `${head}\n`;
    const rows = objects
      .toSorted(byPlace)
      .map((one) => (idle === undefined ? row(one, ago, isOfExposure) : idleRow(one, idle)));
    return `\n${head}\n${indent(table(idle === undefined ? columns : idleColumns, rows, width - 2))}`;
  });
  const unseen = unobserved.map((scope) => `${paint('strong', printable(scope))}  never observed: add --refresh\n`);
  return [
    `${paint('strong', verdict)}\n`,
    ...(coverage === undefined ? [] : [`\n${coverageText(coverage)}`]),
    ...(groups === undefined ? [] : ['\n']),
    ...heads,
    ...(groups === undefined && unseen.length > 0 ? ['\n'] : []),
    ...unseen,
    ...(groups === undefined ? [] : [`\n${groupTable(groups.all, groups.by, width)}`]),
    ...(idle === undefined ? [] : [notObserved]),
    ...(coverage !== undefined && all.some((one) => one.claim === 'unmanaged' && isUnmanaged(one)) ? [nextStep] : []),
  ].join('');
}

const columns = ['KIND', 'NAME', 'STATUS', 'CLAIM', 'EXPOSED', 'REASON', 'ID'];

const idleColumns = ['KIND', 'NAME', 'CLAIM', 'IDLE', 'MONTHLY', 'ID'];

const notObserved = '\nDisks and addresses without a machine are not observed.\n';

const idleRow = (object: InventoryObject, { objects }: IdleView): readonly string[] => {
  const { why = '', cost } = objects.get(object) ?? {};
  return [object.kind, shown(object), object.claim, why, cost === undefined ? '' : amountOf(cost), object.id];
};

const amountOf = ({ monthly, unpriced }: Cost): string =>
  unpriced.length > 0 && monthly === 0
    ? 'not priced'
    : `${unpriced.length > 0 ? 'at least ' : ''}${monthly.toFixed(2)}`;

/** ` · 12.40 EUR a month` */
function idleCostText({ objects, currency }: IdleView): string {
  if (currency === undefined) return '';
  const { monthly, unpriced } = idleCost(objects.values());
  return ` · ${unpriced.length > 0 ? 'at least ' : ''}${monthly.toFixed(2)} ${currency} a month`;
}

const nextStep = '\nTo write documents for unmanaged objects: setpoint import --all --dry-run\n';

/** Independent objects first; the many rules last. A store keeps observations in an order of its own. */
const byPlace = (a: InventoryObject, b: InventoryObject): number =>
  kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind) || compareText(shown(a), shown(b)) || compareText(a.id, b.id);

const kindOrder: readonly Kind[] = ['network', 'subnet', 'instance', 'group', 'firewall-rule'];

function tally(all: readonly InventoryObject[]): string {
  const counts = claims.map((claim) => ({ claim, n: all.filter((one) => one.claim === claim).length }));
  return counts.map(({ claim, n }) => (n > 0 ? ` · ${n} ${claim}` : '')).join('');
}

const row = (object: InventoryObject, ago: Ago, isOfExposure: boolean): readonly string[] => [
  object.kind,
  shown(object),
  object.status,
  object.claim,
  object.exposed?.answer ?? '',
  isOfExposure ? (object.exposed?.reason ?? '') : reasonOf(object),
  object.by === undefined ? object.id : `${object.id}  ${touchedText(object.by, ago)}`,
];

/** Its criticality, then the rules that it breaks: people look for them first. */
function reasonOf({ claim, why, criticality, violations = [] }: InventoryObject): string {
  const broken = violations.map(({ policy, rule }) => `breaks ${policy}/${rule}`).join(', ');
  const grade = criticality === undefined || criticality === 'normal' ? '' : criticality;
  return [grade, broken, claim === 'ours' ? '' : why].filter((text) => text !== '').join(' · ');
}

const shown = ({ kind, name, address }: InventoryObject): string =>
  address === undefined ? name : nameIn(address, kind);

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');

/** The same as one object; ages in milliseconds. */
export const inventoryJson = ({ scopes, unobserved, coverage, groups, idle }: InventoryView, now: number): object => ({
  ...(idle?.currency === undefined ? {} : { idle: idleJson(idle.currency, idleCost(idle.objects.values())) }),
  ...(coverage === undefined ? {} : { coverage: coverageJson(coverage), unobserved }),
  ...(groups === undefined ? {} : { groupBy: groups.by, groups: groups.all.map(groupJson) }),
  scopes: scopes.map(({ scope, at, gaps, objects }) => ({
    scope,
    observedAt: new Date(at).toISOString(),
    ageSeconds: Math.max(0, Math.round((now - at) / 1000)),
    complete: gaps.length === 0,
    gaps: sortKeys(gaps),
    objects: sortKeys(
      objects.toSorted(byPlace).map((one) => ({
        ...objectJson(one),
        ...(idle === undefined ? {} : { idle: reasonJson(idle.objects.get(one), idle.currency) }),
      })),
    ),
  })),
});

const idleJson = (currency: string, { monthly, unpriced }: Cost) => ({
  currency,
  monthly: Math.round(monthly * 100) / 100,
  unpriced,
});

const reasonJson = (idle: Idle | undefined, currency: string | undefined) => ({
  reason: idle?.why,
  cost: idle?.cost && currency !== undefined ? idleJson(currency, idle.cost) : undefined,
});

const objectJson = ({
  kind,
  id,
  name,
  address,
  status,
  claim,
  why,
  by,
  origin,
  ignored,
  criticality,
  violations,
  exposed,
  attributes,
}: InventoryObject) => ({
  kind,
  id,
  name,
  address,
  status,
  claim,
  reason: why,
  lastModifiedBy: by && lastModifiedByJson(by),
  origin: origin && originJson(origin),
  ignored: ignored && { owner: ignored.owner, reason: ignored.reason, until: ignored.until },
  criticality: criticality ?? 'normal',
  violations,
  exposed,
  attributes,
});
