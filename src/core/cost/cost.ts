import type { Action, ScopePlan } from '../action.ts';
import type { PricesDoc } from '../documents/document.ts';
import { hoursPerMonth } from '../documents/prices.ts';
import { type Address, type Cloud, clouds, type InstanceAttributes, type ScopeKey } from '../resource.ts';
import { compareText } from '../text.ts';

type Price = Omit<PricesDoc['spec']['prices'][number], 'source' | 'read'>;

/** The prices of a tree, in one currency. */
export interface PriceTable {
  readonly currency: string;
  readonly prices: readonly Price[];
  /** Prices that count where they are higher: those of the generation before. */
  readonly atLeast?: readonly Price[];
}

/**
 * `monthly`: the sum of all known prices. `unpriced`: parts without a price, such as `aws eu-west-1 gp3`, once for each resource with one.
 */
export interface Cost {
  readonly monthly: number;
  readonly unpriced: readonly string[];
}

export const noCost: Cost = { monthly: 0, unpriced: [] };

export const sumOf = (costs: readonly Cost[]): Cost => ({
  monthly: costs.reduce((sum, { monthly }) => sum + monthly, 0),
  unpriced: costs.flatMap(({ unpriced }) => unpriced),
});

const withoutSource = ({ source: _, read: __, ...price }: PricesDoc['spec']['prices'][number]): Price => price;

/** The table of all documents, without the pages that the prices are from; undefined where there is none. Checks refuse several currencies. */
export function priceTable(documents: readonly PricesDoc[]): PriceTable | undefined {
  const [first] = documents;
  return (
    first && { currency: first.spec.currency, prices: documents.flatMap(({ spec }) => spec.prices.map(withoutSource)) }
  );
}

/**
 * The higher of the prices of two generations, so that no commit lowers prices to pass a limit. A price that only the former one has
 * is unknown now. Prices of another currency do not count.
 */
export function higherPrices(now: PriceTable, before: PriceTable | undefined): PriceTable {
  return before === undefined || before.currency !== now.currency ? now : { ...now, atLeast: before.prices };
}

/** A place with its own prices. `region`: a zone counts as its region. */
export interface PricedPlace {
  readonly cloud: Cloud;
  readonly region: string;
}

/** By a scope, and the region or zone of the resource, which scopes of Google Cloud and Azure do not name. */
export function pricedPlace(scope: ScopeKey, region: string): PricedPlace | undefined {
  const cloud = clouds.find((one) => scope.startsWith(`${one}/`));
  return cloud && { cloud, region: cloud === 'gcp' ? region.replace(/-[a-z]$/, '') : region };
}

/** The place of a machine by its address: `aws/1111/eu-west-1/instance/web-0`. */
export const placeOfAddress = (address: Address): PricedPlace | undefined =>
  pricedPlace(address, address.split('/')[2] ?? '');

/**
 * The monthly list price of a machine with its boot disk and its public address, without discounts, traffic, licences, data disks
 * and snapshots.
 *
 *   part             | is paid while
 *   -----------------+----------------------------------------
 *   machine          | it runs
 *   boot disk        | it exists
 *   public address   | the machine runs; a reserved one always
 */
export function machineCost(attributes: InstanceAttributes, place: PricedPlace, table: PriceTable): Cost {
  const { machine, disk = {}, placement, settings = {} } = attributes;
  const runs = machine.power === 'running';
  const dataDisks = settings.dataDisks?.length ?? 0;
  const hasAddress = settings.staticPublicIp !== undefined || (runs && placement.publicIp);
  const priced = (part: (prices: readonly Price[]) => Cost): Cost => higher(part, table);
  return sumOf([
    ...(runs ? [priced((prices) => hourly(place, prices, (row) => row.size === machine.size, machine.size))] : []),
    priced((prices) => diskCost(disk, place, prices)),
    ...Array.from({ length: dataDisks }, () => ({ monthly: 0, unpriced: [nameOf(place, 'data disk')] })),
    ...(hasAddress
      ? [priced((prices) => hourly(place, prices, (row) => row.publicIp === true, 'public address'))]
      : []),
  ]);
}

function higher(part: (prices: readonly Price[]) => Cost, { prices, atLeast = [] }: PriceTable): Cost {
  const cost = part(prices);
  return cost.unpriced.length > 0 ? cost : { ...cost, monthly: Math.max(cost.monthly, part(atLeast).monthly) };
}

const nameOf = ({ cloud, region }: PricedPlace, what: string): string =>
  [cloud, region, what].filter((part) => part !== '').join(' ');

/** A price of the region goes before one of every region. */
function hourly(place: PricedPlace, prices: readonly Price[], is: (row: Price) => boolean, what: string): Cost {
  const [row] = rowsAt(place, prices).filter((one) => is(one) && one.perHour !== undefined);
  return row?.perHour === undefined
    ? { monthly: 0, unpriced: [nameOf(place, what)] }
    : { monthly: row.perHour * hoursPerMonth, unpriced: [] };
}

const rowsAt = ({ cloud, region }: PricedPlace, prices: readonly Price[]): readonly Price[] => {
  const here = prices.filter(({ provider }) => provider === cloud);
  return [...here.filter((row) => row.region === region), ...here.filter((row) => row.region === undefined)];
};

/** The smallest tier that the disk fits in. */
function diskCost(
  { size, type }: NonNullable<InstanceAttributes['disk']>,
  place: PricedPlace,
  prices: readonly Price[],
): Cost {
  const rows = rowsAt(place, prices).filter(({ diskType }) => type !== undefined && diskType === type);
  const region = rows[0]?.region;
  const tiers = rows.filter((row) => row.region === region && row.upToGb !== undefined);
  const tier = tiers
    .filter(({ upToGb = 0 }) => size !== undefined && upToGb >= size)
    .toSorted((a, b) => (a.upToGb ?? 0) - (b.upToGb ?? 0))[0];
  const perGb = rows.find((row) => row.region === region && row.perGbMonth !== undefined)?.perGbMonth;
  if (tier?.perMonth !== undefined) return { monthly: tier.perMonth, unpriced: [] };
  if (size !== undefined && perGb !== undefined) return { monthly: size * perGb, unpriced: [] };
  return { monthly: 0, unpriced: [nameOf(place, type === undefined ? 'disk of an unknown type' : `disk ${type}`)] };
}

/** A plan's monthly cost. `before`: of the existing resources; `after`: once the whole plan is applied. */
export interface PlanCost {
  readonly currency: string;
  readonly before: number;
  readonly after: number;
  /** The kinds of things without a price, the most frequent first; empty: the sums are whole. */
  readonly unpriced: readonly { readonly what: string; readonly count: number }[];
  /** The limit in force; absent: none. */
  readonly limit?: number;
}

/** A machine of the estate that stands, or that the plan adopts. */
export interface OwnedMachine {
  readonly id: string;
  readonly attributes: InstanceAttributes;
  readonly place: PricedPlace;
}

/** `placeOf`: of an action's resource; undefined where nothing has a price. */
interface Planned {
  readonly machines: readonly OwnedMachine[];
  readonly plan: Pick<ScopePlan, 'actions'>;
  readonly placeOf: (action: Action) => PricedPlace | undefined;
}

/** Sums the machines of all scopes: groups, rules, networks and subnets have no price of their own. */
export function planCost(scopes: readonly Planned[], table: PriceTable): PlanCost {
  const before = sumOf(
    scopes.flatMap(({ machines }) => machines.map((one) => machineCost(one.attributes, one.place, table))),
  );
  const after = sumOf(scopes.flatMap((scope) => costsAfter(scope, table)));
  const counts = Map.groupBy(after.unpriced, (what) => what);
  return {
    currency: table.currency,
    before: inCents(before.monthly),
    after: inCents(after.monthly),
    unpriced: [...counts]
      .map(([what, all]) => ({ what, count: all.length }))
      .toSorted((a, b) => b.count - a.count || compareText(a.what, b.what)),
  };
}

/** By how much a month costs more; less than 0: less. */
export const changeOf = ({ before, after }: Pick<PlanCost, 'before' | 'after'>): number => inCents(after - before);

export const inCents = (amount: number): number => Math.round(amount * 100) / 100;

function costsAfter({ machines, plan, placeOf }: Planned, table: PriceTable): readonly Cost[] {
  const acting = plan.actions.filter(({ kind }) => kind === 'instance');
  const changed = new Set(acting.flatMap((action) => ('observed' in action ? [action.observed.id] : [])));
  const untouched = machines.filter(({ id }) => !changed.has(id));
  return [
    ...untouched.map(({ attributes, place }) => machineCost(attributes, place, table)),
    ...acting.flatMap((action) => {
      const place = placeOf(action);
      const attributes = attributesAfter(action);
      return place === undefined || attributes === undefined ? [] : [machineCost(attributes, place, table)];
    }),
  ];
}

/** The attributes, completed by the existing machine: an adopted machine keeps its disk. For instances only. */
export function attributesAfter(action: Action): InstanceAttributes | undefined {
  if (!('desired' in action)) return undefined;
  const desired = action.desired.attributes as InstanceAttributes; // why: only called for instances
  if (!('observed' in action) || action.verb === 'replace') return desired;
  const observed = action.observed.attributes as InstanceAttributes; // why: as above
  return {
    ...desired,
    disk: { ...observed.disk, ...desired.disk },
    settings: { ...observed.settings, ...desired.settings },
  };
}
