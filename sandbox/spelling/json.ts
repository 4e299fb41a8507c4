import { respell, type Spelling, type SpellingRow } from './spellings.ts';

export type JsonRow = SpellingRow<unknown>;

/** What a cloud's answers are respelled by. */
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

/** Whether `value` is a list of texts. */
export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
