import { type RawBuilder, sql } from 'kysely';
import type { RowPage, RowQuery, RowSort } from '../ports/rows.ts';
import { keptRow, type ReadVersion } from './read-row.ts';
import { cursorOf, type PageEnd, pageEndOf } from './row-cursor.ts';
import { asOfConditions, filterConditions } from './row-filter.ts';
import { withinBounds } from './statements.ts';
import type { Database } from './tables.ts';

/** Each ends in what tells every line from all others. */
const orders: Readonly<Record<RowSort['by'], readonly string[]>> = {
  address: ['scope', 'key', 'estate'],
  name: ['name', 'scope', 'key', 'estate'],
  status: ['status', 'scope', 'key', 'estate'],
  since: ['since', 'scope', 'key', 'estate'],
};

/** By place and not by count: what comes or goes between two pages moves none of the others. */
export async function pageRows(db: Database, query: RowQuery): Promise<RowPage> {
  const columns = orders[query.sort.by];
  const end = query.after === undefined ? undefined : pageEndOf(query.after, query, columns);
  const asOf = end?.asOf ?? query.asOf;
  const found = await readPage(db, query, { columns, ...(end && { end }), ...(asOf === undefined ? {} : { asOf }) });
  const shown = found.slice(0, query.limit);
  const last = found.length > query.limit ? shown.at(-1) : undefined;
  return {
    rows: shown.map((version) => keptRow(version, asOf)),
    ...(last && { next: cursorOf(query, { values: last.place, ...(asOf === undefined ? {} : { asOf }) }) }),
  };
}

interface Asking {
  readonly columns: readonly string[];
  readonly end?: PageEnd;
  readonly asOf?: number;
}

type Placed = ReadVersion & { readonly place: readonly string[] };

/** One more than asked for: it tells whether there is a next page. Where looks are joined, the page is cut already. */
async function readPage(db: Database, query: RowQuery, { columns, end, asOf }: Asking): Promise<readonly Placed[]> {
  const way = sql.raw(query.sort.descending ? 'DESC' : 'ASC');
  const order = sql.join(columns.map((column) => sql`${sql.ref(column)} ${way}`));
  const conditions = [
    withinBounds(query.seen),
    ...asOfConditions(asOf),
    ...filterConditions(query.filter),
    ...(end === undefined ? [] : [beyond(columns, end, query.sort.descending)]),
  ];
  const { rows } = await sql<Placed>`
    SELECT page.*, look.at AS look_at, look.gaps AS look_gaps, look.generation AS look_generation
    FROM (
      SELECT number, estate, scope, since, generation, began, ended, seen, listed, body, name, status, key,
        ARRAY[${sql.join(columns.map((column) => sql`${sql.ref(column)}::text`))}] AS place
      FROM setpoint.versions
      WHERE ${sql.join(conditions, sql` AND `)}
      ORDER BY ${order} LIMIT ${query.limit + 1}
    ) AS page
    JOIN setpoint.row_looks AS look ON look.estate = page.estate AND look.scope = page.scope
    ORDER BY ${sql.join(columns.map((column) => sql`${sql.ref(`page.${column}`)} ${way}`))}`.execute(db);
  return rows;
}

function beyond(columns: readonly string[], { values }: PageEnd, descending: boolean): RawBuilder<boolean> {
  const place = sql.join(columns.map((column) => sql.ref(column)));
  return sql<boolean>`(${place}) ${sql.raw(descending ? '<' : '>')} (${sql.join(values)})`;
}
