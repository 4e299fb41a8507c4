import type { Reader } from './json.ts';
import { expected } from './json-problem.ts';

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

export function oneOf<const T extends string>(...values: readonly T[]): Reader<T> {
  return (value, path) => {
    const found = values.find((each) => each === value);
    if (found === undefined) throw expected(`one of ${values.join(', ')}`, value, path);
    return found;
  };
}
