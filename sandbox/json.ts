/** Reads values out of parsed JSON; throws a `JsonProblem` that says where and what was expected. */
export type Reader<T> = (value: unknown, path: string) => T;

type Fields = Readonly<Record<string, Reader<unknown>>>;

type Read<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]> };

export function optional<T>(reader: Reader<T>): Reader<T | undefined> {
  return (value, path) => (value === undefined ? undefined : reader(value, path));
}

export function listOf<T>(reader: Reader<T>): Reader<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw expected('a list', value, path);
    return value.map((item, index) => reader(item, `${path}[${index}]`));
  };
}

export function mapOf<T>(reader: Reader<T>): Reader<ReadonlyMap<string, T>> {
  return (value, path) => new Map(entriesOf(value, path).map(([key, item]) => [key, reader(item, `${path}.${key}`)]));
}

/** An object with these fields and no others. */
export function object<const F extends Fields>(fields: F): Reader<Read<F>> {
  const names = Object.keys(fields);
  return (value, path) => {
    const given = new Map(entriesOf(value, path));
    for (const key of given.keys()) {
      if (!Object.hasOwn(fields, key))
        throw new JsonProblem(`${path || 'the document'}: unknown key "${key}"; known are ${names.join(', ')}`);
    }
    const read = names.map((name) => [name, fields[name]?.(given.get(name), path ? `${path}.${name}` : name)]);
    return Object.fromEntries(read) as Read<F>; // why: one entry for each field, read by its own reader
  };
}

function entriesOf(value: unknown, path: string): readonly [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw expected('an object', value, path);
  return Object.entries(value);
}

export function scalar<K extends 'string' | 'number' | 'boolean'>(
  kind: K,
): Reader<{ string: string; number: number; boolean: boolean }[K]> {
  return (value, path) => {
    if (typeof value !== kind) throw expected(`a ${kind}`, value, path);
    return value as { string: string; number: number; boolean: boolean }[K]; // why: typeof was just compared with K
  };
}

export function pattern(shape: RegExp, what: string): Reader<string> {
  return (value, path) => {
    if (typeof value !== 'string' || !shape.test(value)) throw expected(what, value, path);
    return value;
  };
}

/** A date and time such as `2026-01-31T08:00:00Z`, as milliseconds since 1970. */
export const moment: Reader<number> = (value, path) => {
  const at = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T.*Z$/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) throw expected('a time such as 2026-01-31T08:00:00Z', value, path);
  return at;
};

export function oneOf<const T extends string>(...values: readonly T[]): Reader<T> {
  return (value, path) => {
    const found = values.find((each) => each === value);
    if (found === undefined) throw expected(`one of ${values.join(', ')}`, value, path);
    return found;
  };
}

export class JsonProblem extends Error {}

export function expected(what: string, value: unknown, path: string): JsonProblem {
  const shown = JSON.stringify(value) ?? 'nothing';
  return new JsonProblem(
    `${path || 'the document'}: expected ${what}, found ${shown.length > 60 ? `${shown.slice(0, 57)}...` : shown}`,
  );
}
