import { type RawBuilder, sql } from 'kysely';
import type { RowQuery } from '../ports/inventory-rows.ts';
import { storableJson, storableText } from './statements.ts';
import { withinBounds } from './visibility.ts';

type Condition = RawBuilder<boolean>;

/** All that a filter asks of a row of `setpoint.versions`, which has no other name in the statement. */
export function filterConditions(
  { text, labels = {}, ...filter }: RowQuery['filter'],
  around: Surroundings,
): readonly Condition[] {
  return [
    ...oneOf('estate', filter.estates),
    ...oneOf('scope', filter.scopes),
    ...oneOf('cloud', filter.clouds),
    ...withinCloud(filter.clouds),
    ...oneOf('account', filter.accounts),
    ...oneOf('region', filter.regions),
    ...oneOf('kind', filter.kinds),
    ...oneOf('status', filter.statuses),
    ...oneOf('claim', filter.claims),
    ...oneOf('owner', filter.owners),
    ...oneOf('criticality', filter.criticalities),
    ...ofTargets(filter.targets),
    ...exposedAs(filter.exposed),
    ...violatingAny(filter.violates),
    ...(filter.held === undefined ? [] : [isHeld]),
    ...(filter.drift === undefined ? [] : [isDrift]),
    ...ofOrigins(filter.origins, around),
    ...inNetworks(filter, around),
    ...(filter.refersTo === undefined ? [] : [sql<boolean>`refs && ${filter.refersTo.map(storableText)}::text[]`]),
    ...Object.entries(labels).map(([name, value]) => labelled(storableText(name), value)),
    ...(text === undefined || text === '' ? [] : [worded(text)]),
  ];
}

const isHeld = sql<boolean>`(status IN ('Blocked', 'Failed', 'Paused') OR body #>> '{sides,next,held}' IS NOT NULL)`;

/** As in the view `setpoint_read.drift`. */
const isDrift = sql<boolean>`(status IN ('Drifted', 'Missing') OR cause = 'drift')`;

/** `''`: rows of no target. */
function ofTargets(targets: readonly string[] | undefined): readonly Condition[] {
  if (targets === undefined) return [];
  const any = sql<boolean>`targets && ${texts(targets)}`;
  return [targets.includes('') ? sql<boolean>`(targets = '{}' OR ${any})` : any];
}

/** `''`: rows without an answer. Machines alone have one, and there is an index of kinds. */
function exposedAs(answers: readonly string[] | undefined): readonly Condition[] {
  if (answers === undefined) return [];
  const isOne = sql<boolean>`coalesce(body #>> '{exposed,answer}', '') = ANY(${texts(answers)})`;
  return answers.includes('') ? [isOne] : [sql<boolean>`kind = 'instance'`, isOne];
}

/** `*`: of any policy. Then the server reads the index of violations. */
function violatingAny(policies: readonly string[] | undefined): readonly Condition[] {
  if (policies === undefined) return [];
  const any = sql<boolean>`policies <> '{}'`;
  return policies.includes('*') ? [any] : [any, sql<boolean>`policies && ${policies.map(storableText)}::text[]`];
}

/** Now, or at a time. A current version has no end: the server reads those alone. */
export const asOfConditions = (asOf: number | undefined, table = 'versions'): readonly Condition[] => {
  const [began, ended] = [sql.ref(`${table}.began`), sql.ref(`${table}.ended`)];
  return asOf === undefined
    ? [sql<boolean>`${sql.ref(`${table}.current`)}`]
    : [sql<boolean>`${began} <= ${asOf}`, sql<boolean>`(${ended} IS NULL OR ${ended} > ${asOf})`];
};

/** One value is asked for as such: then an index gives its rows in order. */
function oneOf(column: string, values: readonly string[] | undefined): readonly Condition[] {
  if (values === undefined) return [];
  const [only, ...others] = values.map(storableText);
  if (only === undefined) return [sql<boolean>`false`];
  return others.length === 0
    ? [sql<boolean>`${sql.ref(column)} = ${only}`]
    : [sql<boolean>`${sql.ref(column)} = ANY(${[only, ...others]}::text[])`];
}

/** The names of scopes begin with their cloud: in the order of places all of one cloud is one stretch. */
function withinCloud(clouds: readonly string[] = []): readonly Condition[] {
  const [only, ...others] = clouds.map(storableText);
  return only === undefined || others.length > 0
    ? []
    : [sql<boolean>`scope > ${`${only}/`}`, sql<boolean>`scope < ${`${only}${afterSlash}`}`];
}

const afterSlash = String.fromCharCode('/'.charCodeAt(0) + 1);

const labelled = (name: string, value: string): Condition =>
  value === ''
    ? sql<boolean>`labels ? ${name}`
    : sql<boolean>`labels @> ${storableJson(JSON.stringify({ [name]: value }))}::jsonb`;

/** Words stand one to a line: what runs over the end of one is part of none. */
function worded(text: string): Condition {
  if (text.includes('\n')) return sql<boolean>`false`;
  const pattern = storableText(text)
    .toLowerCase()
    .replace(/[\\%_]/g, '\\$&');
  return sql<boolean>`words LIKE ${`%${pattern}%`}`;
}

/** The caller and the time of a query: a network and an origin are read from other rows than the filtered ones. */
export type Surroundings = Pick<RowQuery, 'seen' | 'asOf'>;

type Columns<Name extends string> = Readonly<Record<Name, RawBuilder<unknown>>>;

/** The maker of an object, else the reason of its origin; null without a sign. */
export const ownOrigin = (table: 'versions' | 'guard'): RawBuilder<string | null> => {
  const body = sql.ref(`${table}.body`);
  return sql`coalesce(${body} #>> '{sides,observed,origin,maker}', ${body} #>> '{sides,observed,origin,why}')`;
};

/** The group of a rule; null of all else. */
export const groupRef = sql<string | null>`CASE WHEN versions.kind = 'firewall-rule'
  THEN versions.body #>> '{sides,observed,attributes,group}' END`;

/**
 * As `originOf` of core/inventory/coverage.ts: a law compares them. `own`: as `ownOrigin`; `group`: as `groupRef`. A rule without a sign has
 * the origin of its group, if the caller sees the group.
 */
export const originOf = (
  { estate, scope, claim, own, group }: Columns<'estate' | 'scope' | 'claim' | 'own' | 'group'>,
  { seen, asOf }: Surroundings,
): RawBuilder<string> => {
  const columns = { estate: 'guard.estate', targets: 'guard.targets', owner: 'guard.owner' };
  return sql<string>`CASE WHEN ${claim} <> 'unmanaged' THEN ${claim} ELSE coalesce(${own}, (
    SELECT ${ownOrigin('guard')} FROM setpoint.versions AS guard
    WHERE ${sql.join(asOfConditions(asOf, 'guard'), sql` AND `)} AND guard.estate = ${estate} AND guard.scope = ${scope}
      AND guard.kind = 'group' AND (guard.address = ${group} OR guard.id = ${group}) AND ${withinBounds(seen, columns)}
    LIMIT 1
  ), 'unknown') END`;
};

function ofOrigins(origins: readonly string[] | undefined, around: Surroundings): readonly Condition[] {
  if (origins === undefined) return [];
  const columns = {
    ...{ estate: sql.ref('versions.estate'), scope: sql.ref('versions.scope'), claim: sql.ref('versions.claim') },
    ...{ own: ownOrigin('versions'), group: groupRef },
  };
  return [sql<boolean>`${originOf(columns, around)} = ANY(${texts(origins)})`];
}

/** Of an instance its subnet, of a network itself, of all else the network; '' where it names none. */
export const networkRef = (table: 'versions' | 'subnet'): RawBuilder<string> => {
  const [kind, body] = [sql.ref(`${table}.kind`), sql.ref(`${table}.body`)];
  return sql<string>`CASE ${kind}
    WHEN 'network' THEN coalesce(${sql.ref(`${table}.address`)}, ${sql.ref(`${table}.id`)}, '')
    WHEN 'instance' THEN coalesce(${body} #>> '{sides,observed,attributes,placement,subnet}',
      ${body} #>> '{sides,desired,attributes,placement,subnet}', '')
    ELSE coalesce(${body} #>> '{sides,observed,attributes,network}', ${body} #>> '{sides,desired,attributes,network}', '')
  END`;
};

/**
 * The network of rows with these columns: its address, else its id. '' where there is none, or where nobody knows the subnet.
 * The address of a subnet has the name of its network in it; the subnet behind an id counts only if the caller sees it. Of existing
 * objects it is the network of core/inventory/coverage.ts: a law compares them.
 */
export const networkOf = (
  { estate, scope, kind, ref }: Columns<'estate' | 'scope' | 'kind' | 'ref'>,
  { seen, asOf }: Surroundings,
): RawBuilder<string> => {
  const columns = { estate: 'subnet.estate', targets: 'subnet.targets', owner: 'subnet.owner' };
  return sql<string>`CASE WHEN ${kind} <> 'instance' THEN ${ref} ELSE coalesce((
    SELECT ${networkRef('subnet')} FROM setpoint.versions AS subnet
    WHERE ${sql.join(asOfConditions(asOf, 'subnet'), sql` AND `)} AND subnet.estate = ${estate} AND subnet.scope = ${scope}
      AND subnet.kind = 'subnet' AND (subnet.address = ${ref} OR subnet.id = ${ref} AND ${withinBounds(seen, columns)})
    LIMIT 1
  ), '') END`;
};

/** `''`: rows without a network. Else the server reads the indexes of names and of references first. */
function inNetworks({ networks, estates }: RowQuery['filter'], around: Surroundings): readonly Condition[] {
  if (networks === undefined) return [];
  const columns = {
    estate: sql.ref('versions.estate'),
    scope: sql.ref('versions.scope'),
    kind: sql.ref('versions.kind'),
  };
  const network = networkOf({ ...columns, ref: networkRef('versions') }, around);
  const isIn = sql<boolean>`${network} = ANY(${texts(networks)})`;
  return networks.includes('')
    ? [isIn]
    : [
        namesNetwork(texts(networks), [...asOfConditions(around.asOf, 'subnet'), ...oneOf('subnet.estate', estates)]),
        isIn,
      ];
}

/** True for all rows of these networks, and for some others: they name one of them, or a subnet of `subnets` that does. */
const namesNetwork = (networks: RawBuilder<unknown>, subnets: readonly Condition[]): Condition => sql<boolean>`(
  address = ANY(${networks}) OR id = ANY(${networks}) OR refs && (${networks} || ARRAY(
    SELECT unnest(ARRAY[subnet.address, subnet.id]) FROM setpoint.versions AS subnet
    WHERE ${sql.join(subnets, sql` AND `)} AND subnet.kind = 'subnet' AND subnet.refs && ${networks}
  )))`;

const texts = (values: readonly string[]): RawBuilder<unknown> => sql`${values.map(storableText)}::text[]`;
