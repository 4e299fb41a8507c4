import type { Refused } from '../../refused.ts';
import { refused } from '../errors.ts';

/** Reads one value of a request's body. `field` is its place as errors name it: `resource.allowed[0].ports`. */
export type Reader<T> = (value: unknown, field: string) => T;

/** The refusal of a value of another type than wanted. */
export function mistyped(field: string, wanted: string, value: unknown): Refused {
  return refused('badRequest', `Invalid value at '${field}' (${wanted}), ${JSON.stringify(value)}`);
}
