import type { Condition } from '../../src/core/observed.ts';

/** A setting that no document can state: its field in the cloud's words, and the detail; undefined where it has the default. */
export type Inexpressible<T> = readonly [field: string, detail: (object: T) => string | undefined];

/** For the condition of an object: those of its settings that differ from the default, in the order of the table. */
export function inexpressibleIn<T>(rows: readonly Inexpressible<T>[], object: T): Pick<Condition, 'inexpressible'> {
  const inexpressible = rows.flatMap(([field, detail]) => {
    const text = detail(object);
    return text === undefined ? [] : [{ field, detail: text }];
  });
  return inexpressible.length === 0 ? {} : { inexpressible };
}

/** `has the thing a, b`, or undefined where there is none. */
export const listed = (words: string, names: readonly (string | null | undefined)[] | null | undefined) => {
  const known = (names ?? []).filter((name) => name !== null && name !== undefined && name !== '').toSorted();
  return known.length === 0 ? undefined : `${words} ${known.join(', ')}`;
};
