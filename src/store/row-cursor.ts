import { canonical } from '../core/ledger/canonical.ts';
import { ForeignCursor } from '../ports/foreign-cursor.ts';
import type { RowQuery } from '../ports/rows.ts';
import { sha256 } from './signing.ts';

/**
 * Where a page ends. `values`: of the columns that it is sorted by. `asOf`: the time that its question is about, so that pages
 * of "a day ago" go on to be of the same moment.
 */
export interface PageEnd {
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

/** Who asks is no part of it: a cursor tells a place and gives no right. */
const questionOf = ({ filter, sort, asOf }: RowQuery): string =>
  sha256(canonical({ filter, sort, past: asOf !== undefined })).slice(0, 16);
