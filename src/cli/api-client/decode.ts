import type { Action, DeleteReason, Finding } from '../../core/action.ts';
import type { Desired } from '../../core/desired.ts';
import type { TouchedBy } from '../../core/last-modified.ts';
import { deleteReasons, type HeldSource } from '../../core/render/plan-json.ts';

/** Reads a value of the expected form; throws `DecodeError` for any other. `at`: its place, for people. */
export type Decoder<T> = (value: unknown, at: string) => T;

/** A value of another form. Its message names the place and the expected form, and never the value. */
export class DecodeError extends Error {
  constructor(at: string, expected: string) {
    super(`${at} should be ${expected}`);
    this.name = 'DecodeError';
  }
}

type Decoders = Readonly<Record<string, Decoder<unknown>>>;
type Optional<S extends Decoders> = { [K in keyof S]: undefined extends ReturnType<S[K]> ? K : never }[keyof S];
type Decoded<S extends Decoders> = { readonly [K in Exclude<keyof S, Optional<S>>]: ReturnType<S[K]> } & {
  readonly [K in Optional<S>]?: Exclude<ReturnType<S[K]>, undefined>;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members that are not named are left out; those that are absent stay absent. */
const object =
  <S extends Decoders>(members: S): Decoder<Decoded<S>> =>
  (value, at) => {
    if (!isObject(value)) throw new DecodeError(at, 'an object');
    const entries = Object.entries(members).flatMap(([name, of]) => {
      const got = of(value[name], `${at}.${name}`);
      return got === undefined ? [] : [[name, got]];
    });
    return Object.fromEntries(entries) as Decoded<S>; // why: each member was just read by its own decoder
  };

const list =
  <T>(of: Decoder<T>): Decoder<readonly T[]> =>
  (value, at) => {
    if (!Array.isArray(value)) throw new DecodeError(at, 'a list');
    return value.map((one: unknown, i) => of(one, `${at}[${i}]`));
  };

const record =
  <T>(of: Decoder<T>): Decoder<Readonly<Record<string, T>>> =>
  (value, at) => {
    if (!isObject(value)) throw new DecodeError(at, 'an object');
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, of(one, `${at}.${name}`)]));
  };

const optional =
  <T>(of: Decoder<T>): Decoder<T | undefined> =>
  (value, at) =>
    value === undefined ? undefined : of(value, at);

const simple =
  <T>(is: (value: unknown) => value is T, expected: string): Decoder<T> =>
  (value, at) => {
    if (!is(value)) throw new DecodeError(at, expected);
    return value;
  };

/** Milliseconds since the epoch, of an ISO 8601 text. */
const timestamp: Decoder<number> = (value, at) => {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) throw new DecodeError(at, 'a time');
  return ms;
};

/** An object of whose inside nothing is checked: a server of our version makes it by the same types. */
const unchecked =
  <T extends object>(): Decoder<T> =>
  (value, at) => {
    if (!isObject(value)) throw new DecodeError(at, 'an object');
    return value as T; // why: checked by whoever made it; what is wrong inside is caught where it is shown
  };

const oneOf =
  <T extends string>(...values: readonly T[]): Decoder<T> =>
  (value, at) => {
    const found = values.find((each) => each === value);
    if (found === undefined) throw new DecodeError(at, values.join(' or '));
    return found;
  };

/** The building blocks of answers. */
export const decode = {
  object,
  list,
  record,
  oneOf,
  optional,
  timestamp,
  unchecked,
  string: simple((value): value is string => typeof value === 'string', 'a text'),
  number: simple((value): value is number => typeof value === 'number', 'a number'),
  boolean: simple((value): value is boolean => typeof value === 'boolean', 'true or false'),
} as const;

const lastModifiedFields = decode.object({
  actor: decode.string,
  action: decode.string,
  from: decode.optional(decode.string),
  agent: decode.optional(decode.string),
  event: decode.string,
  requestId: decode.optional(decode.string),
  at: decode.timestamp,
});

export const lastModified: Decoder<TouchedBy> = (value, at) => {
  const { actor, ...rest } = lastModifiedFields(value, at);
  return { who: actor, ...rest };
};

interface AttributedJson {
  readonly lastModifiedBy?: unknown;
  readonly reason?: unknown;
  readonly parent?: unknown;
  readonly observed?: object;
  readonly desired?: unknown;
  readonly surge?: object;
  readonly contested?: readonly FightJson[];
}

interface FightJson {
  readonly since: unknown;
  readonly until?: unknown;
  readonly workersUntil?: unknown;
}

const fightOf = ({ since, until, workersUntil, ...fight }: FightJson, at: string): object => ({
  ...fight,
  since: decode.timestamp(since, `${at}.since`),
  ...(until === undefined ? {} : { until: decode.timestamp(until, `${at}.until`) }),
  ...(workersUntil === undefined ? {} : { workersUntil: decode.timestamp(workersUntil, `${at}.workersUntil`) }),
});

/** `reason`: the field that has it here. */
interface AttributedFields {
  readonly reason: 'why' | 'because';
  readonly least: Decoder<object>;
}

/** As a server sends it, with times and fields as we hold them. Its other members are checked where they are shown. */
export const attributed =
  <T extends { readonly by?: TouchedBy }>({ reason: field, least }: AttributedFields): Decoder<T> =>
  (value, at) => {
    least(value, at);
    const {
      lastModifiedBy,
      reason,
      parent,
      desired: wanted,
      observed,
      surge,
      contested,
      ...rest
    } = decode.unchecked<AttributedJson>()(value, at);
    const decoded = {
      ...rest,
      ...(reason === undefined ? {} : { [field]: reason }),
      ...(parent === undefined ? {} : { of: parent }),
      ...(wanted === undefined ? {} : { desired: desired(wanted, `${at}.desired`) }),
      ...(observed === undefined ? {} : { observed: observedOf(observed) }),
      ...(surge === undefined ? {} : { surge: surgeOf(surge) }),
      ...(contested === undefined ? {} : { contested: contested.map((one) => fightOf(one, `${at}.contested`)) }),
      ...(lastModifiedBy === undefined ? {} : { by: lastModified(lastModifiedBy, `${at}.lastModifiedBy`) }),
    };
    return decoded as unknown as T; // why: `least` has looked at what every such thing has, and a server of our version makes the rest
  };

interface ObservedJson {
  readonly metadata?: {
    readonly origin?: { readonly reason?: unknown };
    readonly uniqueName?: unknown;
    readonly firstOrdinal?: unknown;
  };
}

function observedOf({ metadata = {}, ...observed }: ObservedJson): object {
  const { origin, uniqueName, firstOrdinal, ...rest } = metadata;
  const signs = {
    ...rest,
    ...(uniqueName === undefined ? {} : { slot: uniqueName }),
    ...(firstOrdinal === undefined ? {} : { first: firstOrdinal }),
  };
  if (origin === undefined) return { ...observed, signs };
  const { reason: why, ...others } = origin;
  return { ...observed, signs: { ...signs, origin: { why, ...others } } };
}

interface TermsJson {
  readonly claim?: { readonly adopt?: string; readonly previousAddresses?: readonly string[] };
  readonly requirement?: string;
}

const presences: ReadonlyMap<string, string> = new Map([
  ['required', 'stated'],
  ['provider-default', 'implied'],
  ['optional', 'tolerated'],
]);

/** One desired resource. Its other members are checked where they are shown. */
export const desired: Decoder<Desired> = (value, at) => {
  const { terms, ...rest } = decode.unchecked<{ readonly terms: TermsJson }>()(value, at);
  const { claim, requirement, ...others } = terms;
  const presence = requirement === undefined ? undefined : presences.get(requirement);
  if (requirement !== undefined && presence === undefined)
    throw new DecodeError(`${at}.terms.requirement`, [...presences.keys()].join(', '));
  const decoded = {
    ...rest,
    terms: {
      ...others,
      ...(claim === undefined ? {} : { claim: claimOf(claim) }),
      ...(presence === undefined ? {} : { presence }),
    },
  };
  return decoded as unknown as Desired; // why: a server of our version makes the rest
};

const claimOf = ({ previousAddresses, ...claim }: NonNullable<TermsJson['claim']>): object => ({
  ...claim,
  ...(previousAddresses === undefined ? {} : { was: previousAddresses }),
});

const surgeOf = ({ upToDate, ...surge }: { readonly upToDate?: unknown }): object => ({
  ...surge,
  ...(upToDate === undefined ? {} : { asWanted: upToDate }),
});

const deleteReasonOf = new Map<unknown, DeleteReason>(
  // why: the keys of the table are the reasons, and `Object.entries` forgets that
  Object.entries(deleteReasons).map(([reason, shown]) => [shown, reason as DeleteReason]),
);

const anyAction = attributed<Action>({
  reason: 'because',
  least: decode.object({
    verb: decode.string,
    kind: decode.string,
    address: decode.string,
    documents: decode.list(decode.unchecked()),
  }),
});

export const action: Decoder<Action> = (value, at) => {
  const decoded = anyAction(value, at);
  if (decoded.verb !== 'delete') return decoded;
  const because = deleteReasonOf.get(decoded.because);
  if (because === undefined) throw new DecodeError(`${at}.reason`, [...deleteReasonOf.keys()].join(', '));
  return { ...decoded, because };
};

export const finding = attributed<Finding>({
  reason: 'why',
  least: decode.object({ type: decode.string, reason: decode.string, scope: decode.string }),
});

const sourceFields = decode.object({
  source: decode.optional(decode.string),
  head: decode.optional(decode.string),
  state: decode.string,
  reason: decode.optional(decode.string),
  since: decode.timestamp,
});

export const heldSource: Decoder<HeldSource> = (value, at) => {
  const { state, reason, ...rest } = sourceFields(value, at);
  return { ...rest, state: state === 'unavailable' ? 'away' : state, ...(reason === undefined ? {} : { why: reason }) };
};
