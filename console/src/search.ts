/** The state of a screen in its address: texts alone, without JSON, so that people can read and write them. */
export type Search = Readonly<Record<string, string>>;

export const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text));

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(search).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** The named keys that are texts; others in the address mean nothing. */
export function pick<K extends string>(
  search: Readonly<Record<string, unknown>>,
  keys: readonly K[],
): Partial<Record<K, string>> {
  const found: Partial<Record<K, string>> = {};
  for (const key of keys) {
    const value = search[key];
    if (typeof value === 'string' && value !== '') found[key] = value;
  }
  return found;
}
