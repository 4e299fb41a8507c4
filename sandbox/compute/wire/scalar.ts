import { refused } from '../errors.ts';
import { mistyped, type Reader } from './reader.ts';

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
