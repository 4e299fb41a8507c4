import { seededRandom } from '../random.ts';

/**
 * How answers are spelled from now on.
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
  /** Which of `count` ways the row takes for this object: 0 to `count` - 1. */
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
