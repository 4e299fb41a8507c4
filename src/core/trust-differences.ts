import { canonical } from './ledger/canonical.ts';
import type { Path } from './documents/tree.ts';

/** Where two values differ: the longest paths that both have a map or list along. Empty: they mean the same. */
export function differences(before: unknown, after: unknown, path: Path = []): readonly Path[] {
  if (same(before, after)) return [];
  if (!isMap(before) || !isMap(after)) return [path];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => differences(before[key], after[key], [...path, key]));
}

const same = (a: unknown, b: unknown): boolean =>
  a === undefined || b === undefined ? a === b : canonical(a) === canonical(b);

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
