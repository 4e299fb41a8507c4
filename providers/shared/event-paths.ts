import { fieldsOf, textOf } from './event-fields.ts';

/** Every text at `path`, through lists and the `items` that AWS wraps them in. */
export function textsAt(value: unknown, path: readonly string[]): readonly string[] {
  const found = valuesAt(value, path);
  return found.flatMap((one) => textOf(one) ?? []);
}

export function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((one) => valuesAt(one, path));
  const fields = fieldsOf(value);
  if (Array.isArray(fields['items'])) return valuesAt(fields['items'], path);
  const [first, ...rest] = path;
  if (first === undefined) return [value];
  return fields[first] === undefined ? [] : valuesAt(fields[first], rest);
}
