import { type RawBuilder, sql } from 'kysely';
import type { KeptRow, RowVersion } from '../ports/kept-row.ts';
import type { LineAsked, RowAsked } from '../ports/rows.ts';
import { prepared } from './connection.ts';
import { keptRow, type ReadVersion, rowVersion } from './read-row.ts';
import { asOfConditions } from './row-filter.ts';
import { storableText, withinBounds } from './statements.ts';
import type { Database } from './tables.ts';

const mostFound = 100;

export async function findRows(db: Database, asked: RowAsked): Promise<readonly KeptRow[]> {
  const conditions = [...asOfConditions(asked.asOf), isOf(asked)];
  const versions = await readVersions(db, asked, {
    where: sql.join(conditions, sql` AND `),
    order: sql`version.estate, version.scope, version.key`,
    limit: mostFound,
  });
  return versions.map((version) => keptRow(version, asked.asOf));
}

export async function historyOf(
  db: Database,
  asked: LineAsked & { readonly limit: number },
): Promise<readonly RowVersion[]> {
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
