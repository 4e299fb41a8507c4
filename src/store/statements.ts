import { type RawBuilder, sql } from 'kysely';
import type { Bounds } from '../core/access/grant.ts';

/** PostgreSQL's text holds no NUL, and UTF-8 no half of a surrogate pair: what a person reads instead of them. */
const replacement = '\ufffd';

export const storableText = (text: string): string => text.toWellFormed().replaceAll('\u0000', replacement);

/** The same in JSON text, where they stand as escapes; whole pairs never do. */
export const storableJson = (json: string): string =>
  json.includes('\\u') ? json.replace(unstorable, `$1${replacement}`) : json;

const unstorable = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

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

/** PostgreSQL takes 65,535 parameters a statement; our widest table has 13 columns. */
const rowsAtOnce = 2000;

/** Runs `write` for at most so many rows at a time, one after the other; not at all for none. */
export async function inChunks<T>(rows: readonly T[], write: (chunk: readonly T[]) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsAtOnce) await write(rows.slice(start, start + rowsAtOnce));
}

/** The database's clock, ms since the epoch: between processes only its time counts. */
export const storeNow: RawBuilder<number> = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
