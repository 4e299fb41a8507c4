import { refused } from '../errors.ts';
import { entriesOf } from './collection.ts';
import type { Reader } from './reader.ts';

type Fields = Readonly<Record<string, Reader<unknown>>>;

/** Every field may be left out; null is left out, as in a JSON merge patch. */
export type Message<F extends Fields> = { readonly [K in keyof F]?: ReturnType<F[K]> };

interface Others {
  /** Set by the server alone: ignored in requests. */
  readonly outputs?: readonly string[];
  /** Google's, but not the sandbox's: refused by name unless empty, for clients send empty ones unasked. */
  readonly unmodelled?: readonly string[];
}

export function message<const F extends Fields>(fields: F, others: Others = {}): Reader<Message<F>> {
  return (value, field) => {
    const read = entriesOf(value, field).flatMap(([key, inner]): (readonly [string, unknown])[] => {
      const reader = Object.hasOwn(fields, key) ? fields[key] : undefined;
      const place = `${field}.${key}`;
      if (!reader) ignorable(key, inner, { others, field });
      return reader ? [[key, inner === null ? undefined : reader(inner, place)]] : [];
    });
    return Object.fromEntries(read) as Message<F>; // why: each entry was read by the reader of its own field
  };
}

function ignorable(
  key: string,
  value: unknown,
  { others, field }: { readonly others: Others; readonly field: string },
): void {
  if (others.outputs?.includes(key)) return;
  if (!others.unmodelled?.includes(key))
    throw refused(
      'badRequest',
      `Invalid JSON payload received. Unknown name "${key}" at '${field}': Cannot find field.`,
    );
  mustBeEmpty(value, `${field}.${key}`);
}

function mustBeEmpty(value: unknown, field: string): void {
  if (!isEmpty(value))
    throw refused(
      'invalid',
      `Invalid value for field '${field}': '${JSON.stringify(value)}'. The sandbox does not model this field: leave it out.`,
    );
}

/** Also a message of which nothing is set. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty);
  return value === null || value === '' || value === false || value === 0;
}
