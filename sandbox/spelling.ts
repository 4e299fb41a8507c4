import { addressNumber } from './cidr.ts';
import { seededRandom } from './random.ts';

/**
 * The spelling of further answers.
 *
 * `own`: each thing in the sandbox's own spelling. `seed`: each object of each answer in spellings drawn from the seed, so that
 * two answers about one object may differ. `way`: every row of the tables in its way of this number, counted round.
 */
export type SpellingMode = { readonly kind: 'own' } | { readonly kind: 'seed' | 'way'; readonly number: number };

/** One thing that a cloud says in several ways: a row of a table. */
export interface SpellingRow<V> {
  /** Unique in its table. */
  readonly name: string;
  /** A document, or a recorded answer, that shows the spellings. */
  readonly source: string;
  /**
   * All ways to say `value`, the sandbox's own first; none where the row is not about it. `key`: the field or element that
   * holds it, with `[]` behind it for a member of a list. An undefined way leaves the field out.
   */
  readonly ways: (value: V, key: string) => readonly (V | undefined)[];
}

/** The choices for one answer. */
export interface Spelling {
  /** One of `count` ways of the row for this object: 0 to `count` - 1. */
  pick(object: string, row: string, count: number): number;
}

export interface Spellings {
  set(mode: SpellingMode): void;
  /** For the next answer; undefined: in the sandbox's own spelling. */
  next(): Spelling | undefined;
}

/** `seed` 0: the sandbox's own spelling. */
export function makeSpellings(seed = 0): Spellings {
  let mode: SpellingMode = seed === 0 ? { kind: 'own' } : { kind: 'seed', number: seed };
  let answers = 0;
  return {
    set: (next) => {
      mode = next;
      answers = 0;
    },
    next: () => {
      answers += 1;
      return mode.kind === 'own' ? undefined : spellingOf(mode.kind, mode.number, answers);
    },
  };
}

function spellingOf(kind: 'seed' | 'way', number: number, answer: number): Spelling {
  if (kind === 'way') return { pick: (_object, _row, count) => number % count };
  return {
    pick: (object, row, count) => Math.floor(seededRandom(number, `${answer}/${object}/${row}`)() * count),
  };
}

/** The value in the spelling that each row of the table takes for it, one row after another. Undefined: it is left out. */
export function respell<V>(
  value: V,
  { key, object }: { readonly key: string; readonly object: string },
  rows: readonly SpellingRow<V>[],
  spelling: Spelling,
): V | undefined {
  let said: V | undefined = value;
  for (const row of rows) {
    if (said === undefined) return undefined;
    const ways: readonly (V | undefined)[] = row.ways(said, key);
    if (ways.length > 1) said = ways[spelling.pick(object, row.name, ways.length)];
  }
  return said;
}

export type JsonRow = SpellingRow<unknown>;

/** A cloud's rules that respell answers. */
export interface JsonTable {
  readonly rows: readonly JsonRow[];
  /** Fields that hold what users wrote: nothing inside is a word of the cloud. */
  readonly opaque: ReadonlySet<string>;
  /** By what an object is known, if it is one. */
  readonly idOf: (object: object) => string | undefined;
}

/** A JSON answer, respelled from the outside in. */
export function respellJson(body: unknown, { rows, opaque, idOf }: JsonTable, spelling: Spelling): unknown {
  const said = (value: unknown, key: string, object: string): unknown => {
    const next = respell(value, { key, object }, rows, spelling);
    if (opaque.has(key)) return next;
    if (Array.isArray(next)) return next.map((each) => said(each, `${key}[]`, object));
    if (!isObject(next)) return next;
    const owner = idOf(next) ?? object;
    return Object.fromEntries(
      Object.entries(next).flatMap(([name, each]) => {
        const inner = said(each, name, owner);
        return inner === undefined ? [] : [[name, inner]];
      }),
    );
  };
  return said(body, '', '');
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same with these fields set; undefined takes one away. */
export function withFields(object: object, fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries({ ...object, ...fields }).filter(([, value]) => value !== undefined));
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** A list in other orders: as it is, from its end, and from its second member on. */
export function orders<T>(list: readonly T[]): readonly (readonly T[])[] {
  if (list.length < 2) return [];
  return [list, list.toReversed(), [...list.slice(1), ...list.slice(0, 1)]];
}

/** `10.0.0.1/32` is `10.0.0.1` too. Nothing where the block holds more than one address. */
export function maskless(block: string): readonly string[] {
  const [address = '', mask] = block.split('/');
  return mask === (address.includes(':') ? '128' : '32') ? [block, address] : [];
}

/** `2001:db8::/32` with all its groups, and in capitals: https://www.rfc-editor.org/rfc/rfc4291#section-2.2 */
export function ipv6Forms(block: string): readonly string[] {
  const [address = '', mask] = block.split('/');
  const parsed = addressNumber(address);
  if (parsed?.family !== 'ipv6') return [];
  const groups = Array.from({ length: 8 }, (_, i) => (parsed.number >> BigInt(112 - 16 * i)) & 0xffffn);
  const tail = mask === undefined ? '' : `/${mask}`;
  const short = groups.map((group) => group.toString(16)).join(':');
  const long = groups.map((group) => group.toString(16).padStart(4, '0')).join(':');
  return [block, short + tail, long + tail, block.toUpperCase()];
}

/** `80` is `80-80` too. */
export function portForms(port: string): readonly string[] {
  return /^\d+$/.test(port) ? [port, `${port}-${port}`] : [];
}
