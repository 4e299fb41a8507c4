import { type RawBuilder, sql } from 'kysely';
import type { Bounds } from '../core/access/grant.ts';
import { storableText } from './statements.ts';

/**
 * Names of a table's columns: of text, of a list of texts, of text. A table has none where its rows leave that out; so does a
 * row where the column is null.
 */
interface OwnershipColumns {
  readonly estate: string;
  readonly targets?: string;
  readonly owner?: string;
}

/** `covers` of any of the bounds, as a condition on a row: true where it is within, else false or null. */
export function withinBounds(
  bounds: readonly Bounds[],
  columns: OwnershipColumns = { estate: 'estate', targets: 'targets', owner: 'owner' },
): RawBuilder<boolean> {
  if (bounds.length === 0) return sql<boolean>`false`;
  return sql<boolean>`(${sql.join(
    bounds.map((one) => within(one, columns)),
    sql` OR `,
  )})`;
}

function within({ estates, targets, owners }: Bounds, columns: OwnershipColumns): RawBuilder<unknown> {
  const conditions = [
    estates && sql`${sql.ref(columns.estate)} = ANY(${texts(estates)})`,
    targets && (columns.targets === undefined ? never : sql`${sql.ref(columns.targets)} && ${texts(targets)}`),
    owners && (columns.owner === undefined ? never : sql`${sql.ref(columns.owner)} = ANY(${texts(owners)})`),
  ].filter((condition) => condition !== undefined);
  return conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` AND `)})`;
}

const never = sql`false`;

const texts = (names: readonly string[]): RawBuilder<unknown> => sql`${names.map(storableText)}::text[]`;
