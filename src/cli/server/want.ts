/** Reads a value as what was expected of it; throws `Unexpected` where it is something else. `at`: where it stands, for people. */
export type Want<T> = (value: unknown, at: string) => T;

/** A value that is not what it should be. Its message names the place and what was expected, and never the value. */
export class Unexpected extends Error {
  constructor(at: string, expected: string) {
    super(`${at} should be ${expected}`);
    this.name = 'Unexpected';
  }
}

type Wants = Readonly<Record<string, Want<unknown>>>;
type Optional<S extends Wants> = { [K in keyof S]: undefined extends ReturnType<S[K]> ? K : never }[keyof S];
type Got<S extends Wants> = { readonly [K in Exclude<keyof S, Optional<S>>]: ReturnType<S[K]> } & {
  readonly [K in Optional<S>]?: Exclude<ReturnType<S[K]>, undefined>;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members that are not named are left out; those that are absent stay absent. */
const object =
  <S extends Wants>(members: S): Want<Got<S>> =>
  (value, at) => {
    if (!isObject(value)) throw new Unexpected(at, 'an object');
    const entries = Object.entries(members).flatMap(([name, of]) => {
      const got = of(value[name], `${at}.${name}`);
      return got === undefined ? [] : [[name, got]];
    });
    return Object.fromEntries(entries) as Got<S>; // why: each member was just read by its own want
  };

const list =
  <T>(of: Want<T>): Want<readonly T[]> =>
  (value, at) => {
    if (!Array.isArray(value)) throw new Unexpected(at, 'a list');
    return value.map((one: unknown, i) => of(one, `${at}[${i}]`));
  };

const record =
  <T>(of: Want<T>): Want<Readonly<Record<string, T>>> =>
  (value, at) => {
    if (!isObject(value)) throw new Unexpected(at, 'an object');
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, of(one, `${at}.${name}`)]));
  };

const maybe =
  <T>(of: Want<T>): Want<T | undefined> =>
  (value, at) =>
    value === undefined ? undefined : of(value, at);

const simple =
  <T>(is: (value: unknown) => value is T, expected: string): Want<T> =>
  (value, at) => {
    if (!is(value)) throw new Unexpected(at, expected);
    return value;
  };

/** Milliseconds since the epoch, of an ISO 8601 text. */
const moment: Want<number> = (value, at) => {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) throw new Unexpected(at, 'a time');
  return ms;
};

/** An object of whose inside nothing is checked: a server of our version makes it by the same types. */
const trusted =
  <T extends object>(): Want<T> =>
  (value, at) => {
    if (!isObject(value)) throw new Unexpected(at, 'an object');
    return value as T; // why: checked by whoever made it; what is wrong inside is caught where it is shown
  };

const one =
  <T extends string>(...values: readonly T[]): Want<T> =>
  (value, at) => {
    const found = values.find((each) => each === value);
    if (found === undefined) throw new Unexpected(at, values.join(' or '));
    return found;
  };

/** What an answer may be made of. */
export const want = {
  object,
  list,
  record,
  one,
  maybe,
  moment,
  trusted,
  text: simple((value): value is string => typeof value === 'string', 'a text'),
  number: simple((value): value is number => typeof value === 'number', 'a number'),
  truth: simple((value): value is boolean => typeof value === 'boolean', 'true or false'),
} as const;
