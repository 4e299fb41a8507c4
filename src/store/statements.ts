import { type RawBuilder, sql } from 'kysely';
import type { Database } from './tables.ts';

/** PostgreSQL's text holds no NUL, and UTF-8 no half of a surrogate pair: what a person reads instead of them. */
const replacement = '\ufffd';

export const storableText = (text: string): string => text.toWellFormed().replaceAll('\u0000', replacement);

/** The same in JSON text, where they stand as escapes; whole pairs never do. */
export const storableJson = (json: string): string =>
  json.includes('\\u') ? json.replace(unstorable, `$1${replacement}`) : json;

const unstorable = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/** PostgreSQL takes 65,535 parameters a statement; our widest table has 13 columns. */
const rowsAtOnce = 2000;

/** Runs `write` for at most so many rows at a time, one after the other; not at all for none. */
export async function inChunks<T>(rows: readonly T[], write: (chunk: readonly T[]) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsAtOnce) await write(rows.slice(start, start + rowsAtOnce));
}

/** The database's clock, ms since the epoch: between processes only its time counts. */
export const storeNow: RawBuilder<number> = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** The answer of a clock that is such an expression. */
export async function storeTime(db: Database, clock: RawBuilder<number>): Promise<number> {
  const { rows } = await sql<{ readonly at: number }>`SELECT ${clock} AS at`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the database does not tell the time');
  return row.at;
}
