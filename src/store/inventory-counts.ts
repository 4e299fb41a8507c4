import { type RawBuilder, sql } from 'kysely';
import type { Bounds } from '../core/access/grant.ts';
import type { RowCountQuery, RowCounts, RowDimension } from '../ports/inventory-rows.ts';
import {
  asOfConditions,
  filterConditions,
  groupRef,
  networkOf,
  networkRef,
  originOf,
  ownOrigin,
} from './inventory-filter.ts';
import type { Database } from './tables.ts';
import { withinBounds } from './visibility.ts';

interface ReadCount {
  readonly value: string;
  readonly count: number;
  readonly total: number;
  readonly values: number;
}

/** Rows that are alike are counted once, and their values told apart afterwards: a row with two targets counts for both. */
export async function countRowsBy(db: Database, query: RowCountQuery): Promise<RowCounts> {
  const { rows } = await sql<ReadCount>`
    WITH alike AS (${alikeOf(query)}),
    named AS (SELECT estate, count, value, ARRAY[value] AS targets FROM alike CROSS JOIN LATERAL unnest(found) AS value),
    counted AS (
      SELECT value, sum(count)::integer AS count FROM named WHERE ${isVisible(query)} GROUP BY value
    )
    SELECT value, count, (SELECT sum(count)::integer FROM alike) AS total, (SELECT count(*)::integer FROM counted) AS values
    FROM counted ORDER BY count DESC, value COLLATE "C" LIMIT ${query.limit}`.execute(db);
  const { total = 0, values = 0 } = rows[0] ?? {};
  return { total, values: rows.map(({ value, count }) => ({ value, count })), more: values - rows.length };
}

/** Of the targets of a row those that the caller may not see are not named: as `visibleTargets`. */
const isVisible = ({ by, seen }: RowCountQuery): RawBuilder<boolean> =>
  by === 'target'
    ? sql<boolean>`(value = '' OR ${withinBounds(seen.map(withoutOwners), { estate: 'estate', targets: 'targets' })})`
    : sql<boolean>`true`;

const withoutOwners = ({ owners: _, ...bounds }: Bounds): Bounds => bounds;

const conditionsOf = ({ seen, asOf, filter }: RowCountQuery): RawBuilder<unknown> =>
  sql.join([withinBounds(seen), ...asOfConditions(asOf), ...filterConditions(filter, { seen, asOf })], sql` AND `);

function alikeOf(query: RowCountQuery): RawBuilder<unknown> {
  switch (query.by) {
    case 'network':
      return alikeInNetworks(query);
    case 'origin':
      return alikeOfOrigins(query);
    default:
      return alikeBy(query.by, query);
  }
}

/** A row has them itself. */
type OwnDimension = Exclude<RowDimension, 'network' | 'origin'>;

const alikeBy = (by: OwnDimension, query: RowCountQuery): RawBuilder<unknown> => sql`
  SELECT estate, ${valuesOf(by)} AS found, count(*)::integer AS count
  FROM setpoint.versions WHERE ${conditionsOf(query)} GROUP BY 1, 2`;

function valuesOf(by: OwnDimension): RawBuilder<unknown> {
  switch (by) {
    case 'target':
      return sql`CASE WHEN targets = '{}' THEN ARRAY[''] ELSE targets END`;
    case 'exposed':
      return sql`ARRAY[coalesce(body #>> '{exposed,answer}', '')]`;
    case 'status':
    case 'kind':
    case 'scope':
    case 'cloud':
    case 'account':
    case 'region':
    case 'criticality':
    case 'owner':
    case 'claim':
      return sql`ARRAY[${sql.ref(by)}::text]`;
  }
}

/** The machines of one subnet ask for its network once. */
const alikeInNetworks = (query: RowCountQuery): RawBuilder<unknown> => {
  const columns = { estate: sql.ref('placed.estate'), scope: sql.ref('placed.scope'), kind: sql.ref('placed.kind') };
  return sql`
    SELECT estate, ARRAY[${networkOf({ ...columns, ref: sql.ref('placed.ref') }, query)}] AS found, count
    FROM (
      SELECT estate, scope, kind, ${networkRef('versions')} AS ref, count(*)::integer AS count
      FROM setpoint.versions WHERE ${conditionsOf(query)} GROUP BY 1, 2, 3, 4
    ) AS placed`;
};

/** The rules of one group ask for its origin once. */
const alikeOfOrigins = (query: RowCountQuery): RawBuilder<unknown> => {
  const [estate, scope, claim] = [sql.ref('placed.estate'), sql.ref('placed.scope'), sql.ref('placed.claim')];
  const columns = { estate, scope, claim, own: sql.ref('placed.own'), group: sql.ref('placed.guard') };
  return sql`
    SELECT estate, ARRAY[${originOf(columns, query)}] AS found, count
    FROM (
      SELECT estate, scope, claim, ${ownOrigin('versions')} AS own, ${groupRef} AS guard, count(*)::integer AS count
      FROM setpoint.versions WHERE ${conditionsOf(query)} GROUP BY 1, 2, 3, 4, 5
    ) AS placed`;
};
