import { z } from 'zod';

/**
 * The leaves of all schemas. The error text of a leaf says what is expected there, not what is wrong: `problem-of-issue`
 * puts the two together.
 */
export const text = (pattern: RegExp, expected: string): z.ZodString =>
  z.string({ error: expected }).regex(pattern, { error: expected });

export const freeText = (max: number): z.ZodString =>
  text(new RegExp(`^.{1,${max}}$`, 'su'), `text of 1 to ${max} characters`);

/** For names that are shown to people, and that a terminal must not obey. */
export const printableText = (max: number): z.ZodString =>
  text(new RegExp(`^[^\\p{C}]{1,${max}}$`, 'u'), `text of 1 to ${max} printable characters`);

export const whole = (min: number, max: number): z.ZodNumber => {
  const expected = { error: `a whole number from ${min} to ${max}` };
  return z.number(expected).int(expected).min(min, expected).max(max, expected);
};

export const flag = (): z.ZodBoolean => z.boolean({ error: 'true or false' });
