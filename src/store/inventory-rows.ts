import { type RawBuilder, sql } from 'kysely';
import type { Row } from '../core/inventory/row.ts';
import { canonical } from '../core/ledger/canonical.ts';
import type { Kind } from '../core/resource.ts';
import {
  BeforeHistory,
  ForeignCursor,
  type KeptRow,
  type LineAsked,
  type RowAsked,
  type RowLook,
  type RowPage,
  type RowQuery,
  type RowSort,
  type Rows,
  type RowVersion,
} from '../ports/inventory-rows.ts';
import { prepared } from './connection.ts';
import type { Context } from './context.ts';
import { inTime } from './health.ts';
import { countRowsBy } from './inventory-counts.ts';
import { asOfConditions, filterConditions } from './inventory-filter.ts';
import { pruneHistory } from './retention.ts';
import { sha256 } from './signing.ts';
import { storableText } from './statements.ts';
import type { Database } from './tables.ts';
import { withinBounds } from './visibility.ts';
import { keepRows } from './write-inventory-rows.ts';

/** `historyMs`: for how long what was is kept; a question of a time before is refused. */
export function postgresRows({ db, reading, clock }: Context, historyMs: number): Rows {
  const within = withinHistory({ clock }, historyMs);
  const prune = pruneHistory(db, clock, historyMs);
  return {
    keep: async (where, look) => prune(await keepRows(db, where, look)),
    page: async (query) => inTime(pageRows(reading, within(query))),
    count: (query) => inTime(countRows(reading, query)),
    countBy: async (query) => inTime(countRowsBy(reading, within(query))),
    find: async (query) => inTime(findRows(reading, within(query))),
    history: async (query) => inTime(historyOf(reading, within(query))),
    looks: (estate) => inTime(looksOf(reading, estate)),
  };
}

async function countRows(db: Database, { seen, filter }: Pick<RowQuery, 'seen' | 'filter'>): Promise<number> {
  const conditions = [withinBounds(seen), ...asOfConditions(undefined), ...filterConditions(filter, { seen })];
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM setpoint.versions WHERE ${sql.join(conditions, sql` AND `)}`.execute(db);
  return rows[0]?.count ?? 0;
}

const mostFound = 100;

async function findRows(db: Database, asked: RowAsked): Promise<readonly KeptRow[]> {
  const conditions = [...asOfConditions(asked.asOf), isOf(asked)];
  const versions = await readVersions(db, asked, {
    where: sql.join(conditions, sql` AND `),
    order: sql`version.estate, version.scope, version.key`,
    limit: mostFound,
  });
  return versions.map((version) => keptRow(version, asked.asOf));
}

async function historyOf(db: Database, asked: LineAsked & { readonly limit: number }): Promise<readonly RowVersion[]> {
  const { estate, scope, key, asOf, limit } = asked;
  const began = asOf === undefined ? sql`true` : sql`began <= ${asOf}`;
  const versions = await readVersions(db, asked, {
    where: sql`${began} AND estate = ${storableText(estate)} AND scope = ${storableText(scope)} AND key = ${storableText(key)}`,
    order: sql`version.began DESC, version.number DESC`,
    limit,
  });
  return versions.map((version) => rowVersion(version, asOf));
}

const isOf = ({ of, estate }: RowAsked): RawBuilder<boolean> => {
  const names = [of].flat().map(storableText);
  const named = sql<boolean>`(key ${among(names)} OR address ${among(names)} OR id ${among(names)})`;
  return estate === undefined ? named : sql<boolean>`${named} AND estate = ${storableText(estate)}`;
};

/** One is asked for as such: then it is planned for as one. */
const among = (names: readonly string[]): RawBuilder<unknown> =>
  names.length === 1 ? sql`= ${names[0]}` : sql`= ANY(${names}::text[])`;

interface Reading {
  readonly where: RawBuilder<unknown>;
  readonly order: RawBuilder<unknown>;
  readonly limit: number;
}

async function readVersions(
  db: Database,
  { seen }: Pick<RowAsked, 'seen'>,
  { where, order, limit }: Reading,
): Promise<readonly ReadVersion[]> {
  const { rows } = await sql<ReadVersion>`${prepared}
    SELECT version.*, look.at AS look_at, look.gaps AS look_gaps, look.generation AS look_generation
    FROM (
      SELECT number, estate, scope, key, since, generation, began, ended, seen, listed, body
      FROM setpoint.versions WHERE ${withinBounds(seen)} AND ${where}
    ) AS version
    JOIN setpoint.row_looks AS look ON look.estate = version.estate AND look.scope = version.scope
    ORDER BY ${order} LIMIT ${limit}`.execute(db);
  return rows;
}

/** Each ends in a column that distinguishes every row from all others. */
const orders: Readonly<Record<RowSort['by'], readonly string[]>> = {
  address: ['scope', 'key', 'estate'],
  name: ['name', 'scope', 'key', 'estate'],
  status: ['status', 'scope', 'key', 'estate'],
  since: ['since', 'scope', 'key', 'estate'],
};

/** By place and not by count: rows that come or go between two pages move none of the others. */
async function pageRows(db: Database, query: RowQuery): Promise<RowPage> {
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
    ...filterConditions(query.filter, { seen: query.seen, ...(asOf === undefined ? {} : { asOf }) }),
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

/**
 * The end of a page. `values`: of the columns that it is sorted by. `asOf`: the time of its query, so that pages of "a day ago"
 * stay at the same time.
 */
interface PageEnd {
  readonly asOf?: number;
  readonly values: readonly string[];
}

export const cursorOf = (query: RowQuery, { asOf, values }: PageEnd): string =>
  Buffer.from(JSON.stringify([questionOf(query), asOf ?? null, values])).toString('base64url');

/** Refuses what was given for another question or is not whole. `columns`: that the question is sorted by. */
export function pageEndOf(cursor: string, query: RowQuery, columns: readonly string[]): PageEnd {
  const [question, asOf, values] = listIn(cursor);
  const isTime = query.asOf === undefined ? asOf === null : Number.isSafeInteger(asOf);
  const isPlace = Array.isArray(values) && values.length === columns.length && values.every(fitsColumn(columns));
  if (question !== questionOf(query) || !isTime || !isPlace) throw new ForeignCursor();
  return { values, ...(typeof asOf === 'number' ? { asOf } : {}) };
}

const fitsColumn =
  (columns: readonly string[]) =>
  (value: unknown, index: number): boolean =>
    typeof value === 'string' && (columns[index] !== 'since' || /^\d{1,15}$/.test(value)) && !value.includes('\0');

function listIn(cursor: string): readonly unknown[] {
  try {
    const said: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(said) ? said : [];
  } catch {
    return [];
  }
}

/** The caller is no part of it: a cursor names a place and gives no right. */
const questionOf = ({ filter, sort, asOf }: RowQuery): string =>
  sha256(canonical({ filter, sort, past: asOf !== undefined })).slice(0, 16);

/** The columns that are read of a version. `look_at` and the like: of the newest observation of its scope. */
export interface ReadVersion extends ReadSpan, ReadLook {
  readonly number: number;
  readonly estate: string;
  readonly since: number;
  readonly body: unknown;
  /** Of its own; where it is in step the newest observation has it. */
  readonly generation: number;
}

interface ReadSpan {
  readonly began: number;
  readonly ended: number | null;
  readonly seen: number | null;
  readonly listed: boolean;
}

interface ReadLook {
  readonly look_at: number;
  readonly look_gaps: readonly string[];
  readonly look_generation: number;
}

export const keptRow = (version: ReadVersion, asOf?: number): KeptRow => ({
  ...rowIn(version),
  estate: version.estate,
  since: version.since,
  observed: observedOf(version, asOf),
});

/** As of a time: later facts are left out. */
export const rowVersion = (version: ReadVersion, asOf = Number.POSITIVE_INFINITY): RowVersion => ({
  ...keptRow(version, Number.isFinite(asOf) ? asOf : undefined),
  number: version.number,
  from: version.began,
  ...(version.ended === null || version.ended > asOf ? {} : { until: version.ended }),
});

function rowIn({ body, ended, listed, generation, look_generation: newest }: ReadVersion): Row {
  const row = body as Row; // why: only `keepRows` writes the column
  const isUpToDate = ended === null && listed && row.state.status === 'InSync';
  const state = { ...row.state, generation: isUpToDate ? newest : generation };
  const code = renamedCodes.get(state.code ?? '');
  return { ...row, state: code === undefined ? state : { ...state, code } };
}

/** Codes that version 0.1 stored, and their names since. */
const renamedCodes: ReadonlyMap<string, string> = new Map([
  ['failed-births', 'failed-launches'],
  ['claimed-twice', 'duplicate-claim'],
]);

/**
 * Between the observation that found it last and the next one it counts as it was; unless the observations in between have a
 * gap there, or the newest one has.
 */
function observedOf(version: ReadVersion, asOf?: number): KeptRow['observed'] {
  const { seen, ended, listed, look_at: newest, look_gaps: gaps } = version;
  const last = seen ?? newest;
  if (asOf !== undefined && asOf <= last) return { at: asOf, complete: true };
  const sure = ended !== null || !gaps.includes(rowIn(version).place.kind);
  return { at: last, complete: listed && sure };
}

async function looksOf(db: Database, estate: string | undefined): Promise<readonly RowLook[]> {
  const all = db.selectFrom('row_looks').select(['estate', 'scope', 'at', 'gaps']).where('left_at', 'is', null);
  const these = estate === undefined ? all : all.where('estate', '=', estate);
  const looks = await these.orderBy('estate').orderBy('scope').execute();
  // why: only `keepRows` writes the column
  return looks.map((look) => ({ ...look, gaps: look.gaps as readonly Kind[] }));
}

/**
 * Refuses times before the kept history: versions that ended earlier are deleted, and an answer would wrongly look complete.
 */
export function withinHistory({ clock }: Pick<Context, 'clock'>, historyMs: number) {
  return <T extends { readonly asOf?: number }>(query: T): T => {
    const since = clock.now() - historyMs;
    if (query.asOf !== undefined && query.asOf < since) throw new BeforeHistory(since);
    return query;
  };
}
