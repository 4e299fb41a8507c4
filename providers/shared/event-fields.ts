/** One level of an event: whatever it is, it can be asked for fields. */
export type Fields = Readonly<Record<string, unknown>>;

/** Longer than any id or principal of a cloud. */
const longest = 1000;

/** The fields of an object, and none of anything else. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) && !Array.isArray(value) ? value : {});

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Text that can be shown and stored: not empty, not endless, without what moves a cursor or turns text round. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= longest && !UNSEEN.test(value) ? value : undefined;

/** `2026-01-01T00:00:00Z` as ms since the epoch. */
export function timeOf(value: unknown): number | undefined {
  const at = Date.parse(textOf(value) ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** Those of these fields that have a value. */
export const given = <T extends Readonly<Record<string, unknown>>>(
  fields: T,
): { readonly [K in keyof T]?: Exclude<T[K], undefined> } =>
  // why: only what is undefined is left out
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof T]?: Exclude<T[K], undefined>;
  };
