import type { Resource } from '../api.d.ts';

/** A row that left the filter while somebody looked at it. `after`: the key of the row above it. */
export interface LeftRow {
  readonly row: Resource;
  readonly after: string | undefined;
  readonly text: string;
}

/** The key of each row, made once: a list has 100,000 of them, and each page asks for all. */
const keys = new WeakMap<Resource, string>();

export function rowKey(row: Resource): string {
  const known = keys.get(row);
  if (known !== undefined) return known;
  const { estate, scope, address, id = '' } = row;
  const key = `${estate} ${scope} ${address ?? ''} ${id}`;
  keys.set(row, key);
  return key;
}

/**
 * The rows of one answer that the next one does not have. Behind the last row that both have, a list with further pages proves
 * nothing: a new row above may have pushed them out.
 */
export function leftBetween(
  before: readonly Resource[],
  now: readonly Resource[],
  hasMore: boolean,
): readonly LeftRow[] {
  // why: a next page changes no row before it
  if (before.every((row, at) => now[at] === row)) return [];
  const kept = new Set(now.map(rowKey));
  const end = hasMore ? before.findLastIndex((row) => kept.has(rowKey(row))) : before.length;
  return before.slice(0, Math.max(0, end)).flatMap((row, at) => {
    if (kept.has(rowKey(row))) return [];
    const above = before[at - 1];
    return { row, after: above && rowKey(above), text: 'left the filter' };
  });
}

/** Each stays below the row that it was below; one that came back is a row as before. */
export function withLeft(rows: readonly Resource[], left: readonly LeftRow[]): readonly Resource[] {
  if (left.length === 0) return rows;
  const kept = new Set(rows.map(rowKey));
  return left
    .filter(({ row }) => !kept.has(rowKey(row)))
    .reduce<readonly Resource[]>((all, { row, after }) => {
      const at = after === undefined ? 0 : all.findIndex((one) => rowKey(one) === after) + 1;
      return [...all.slice(0, at), row, ...all.slice(at)];
    }, rows);
}
