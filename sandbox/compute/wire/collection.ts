import { mistyped, type Reader } from './reader.ts';

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

export function entriesOf(value: unknown, field: string): readonly [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw mistyped(field, 'an object', value);
  return Object.entries(value);
}
