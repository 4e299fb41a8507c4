import type { Refused } from '../protocol.ts';
import { refused } from './errors.ts';

/** Reads one value of a request's body. `field` is its place as errors name it: `resource.allowed[0].ports`. */
export type Reader<T> = (value: unknown, field: string) => T;

/** The refusal of a value of another type than wanted. */
function mistyped(field: string, wanted: string, value: unknown): Refused {
  return refused('badRequest', `Invalid value at '${field}' (${wanted}), ${JSON.stringify(value)}`);
}

export const text: Reader<string> = (value, field) => {
  if (typeof value !== 'string') throw mistyped(field, 'TYPE_STRING', value);
  return value;
};

export const flag: Reader<boolean> = (value, field) => {
  if (typeof value !== 'boolean') throw mistyped(field, 'TYPE_BOOL', value);
  return value;
};

/** An int32; in JSON it may be spelled as a string, as all numbers of a protocol buffer may. */
export const whole: Reader<number> = (value, field) => {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || Math.abs(number) > 2_147_483_647)
    throw mistyped(field, 'TYPE_INT32', value);
  return number;
};

export function oneOf<const T extends string>(...values: readonly T[]): Reader<T> {
  return (value, field) => {
    const found = values.find((each) => each === value);
    if (found === undefined)
      throw refused(
        'invalid',
        `Invalid value for field '${field}': '${String(value)}'. Must be one of ${values.join(', ')}.`,
      );
    return found;
  };
}

export function listOf<T>(reader: Reader<T>): Reader<readonly T[]> {
  return (value, field) => {
    if (!Array.isArray(value)) throw mistyped(field, 'a list', value);
    return value.map((item, index) => reader(item, `${field}[${index}]`));
  };
}

export function mapOf<T>(reader: Reader<T>): Reader<ReadonlyMap<string, T>> {
  return (value, field) => {
    return new Map(entriesOf(value, field).map(([key, item]) => [key, reader(item, `${field}.${key}`)]));
  };
}

function entriesOf(value: unknown, field: string): readonly [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw mistyped(field, 'an object', value);
  return Object.entries(value);
}

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
