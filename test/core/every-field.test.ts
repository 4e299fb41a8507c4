import { test } from 'node:test';
import { z } from 'zod';
import { accessSchema } from '../../src/core/access/access-document.ts';
import { schemas } from '../../src/core/documents/document.ts';
import { assertGolden } from '../support/golden.ts';

/**
 * Each field of each document, found by its schema, is given values that it may not have, and those at its bounds. The answers
 * are in `golden/fields/<kind>.txt`: below each field the message, and the values that get it; `-` where it is left out.
 */
for (const [kind, schema] of Object.entries({ ...schemas, Access: accessSchema }))
  test(`each field of ${kind} refuses values as in golden/fields/${kind}.txt`, () => {
    assertGolden(answersOf(schema, kind), `fields/${kind}.txt`);
  });

type Path = readonly (string | number)[];

/** As much of a JSON Schema as leads from field to field, and the bounds of a value. */
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape | boolean;
  readonly additionalProperties?: Shape | boolean;
  readonly oneOf?: readonly Shape[];
  readonly anyOf?: readonly Shape[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface Field {
  readonly path: Path;
  readonly shape: Shape;
  /** The document around a value of this field: its own way down, and the words that choose among alternatives. */
  readonly around: (value: unknown) => unknown;
}

function answersOf(schema: z.ZodType, kind: string): string {
  // why: zod types every keyword of every dialect
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape;
  const fixed = { apiVersion: 'setpoint.dev/v1', kind };
  const answers = new Map<string, Map<string, Set<string>>>();
  for (const { path, shape, around } of fieldsOf({ path: [], shape: root, around: (value) => value })) {
    const name = path.join('.');
    const of = answers.get(name) ?? new Map<string, Set<string>>();
    answers.set(name, of);
    for (const value of valuesFor(shape)) {
      const whole = around(value);
      const document = path.length === 0 ? whole : { ...fixed, ...Object(whole) };
      const found = schema.safeParse(document).error?.issues ?? [];
      const messages = found.filter((issue) => issue.path.join('.') === name).map(({ message }) => message);
      const answer = messages.join(' / ') || 'accepted';
      of.set(answer, (of.get(answer) ?? new Set()).add(written(value)));
    }
  }
  return [...answers]
    .map(([path, of]) =>
      [
        path || '(the document)',
        ...[...of].map(([message, values]) => `  ${message}\n    ${[...values].join('  ')}`),
      ].join('\n'),
    )
    .join('\n\n')
    .concat('\n');
}

function* fieldsOf(field: Field): Generator<Field> {
  const { path, shape, around } = field;
  const { properties = {}, items, additionalProperties, oneOf = [], anyOf = [] } = shape;
  yield field;
  for (const one of [...oneOf, ...anyOf]) yield* fieldsOf({ path, shape: one, around });
  const words = wordsOf(shape);
  for (const [name, one] of Object.entries(properties))
    yield* fieldsOf({
      path: [...path, name],
      shape: one,
      around: (value) => around(value === ABSENT ? without(words, name) : { ...words, [name]: value }),
    });
  if (typeof items === 'object')
    yield* fieldsOf({ path: [...path, 0], shape: items, around: (value) => around(value === ABSENT ? [] : [value]) });
  if (typeof additionalProperties === 'object')
    yield* fieldsOf({
      path: [...path, 'any'],
      shape: additionalProperties,
      around: (value) => around(value === ABSENT ? {} : { any: value }),
    });
}

/** Words that choose among alternatives, such as `from: pubsub`. */
const wordsOf = ({ properties = {} }: Shape): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, one]) => {
      const word = one.const ?? one.enum?.[0];
      return word === undefined ? [] : [[name, word]];
    }),
  );

const ABSENT = Symbol('absent');
const without = (words: Readonly<Record<string, unknown>>, name: string) =>
  Object.fromEntries(Object.entries(words).filter(([key]) => key !== name));

const many = (count: number, one: string): readonly string[] => Array.from({ length: count }, () => one);
const isSmall = (bound: number | undefined): bound is number => bound !== undefined && Math.abs(bound) <= 1_000_000;

/** One of each sort, each word of a list, and both sides of each bound. */
function valuesFor(shape: Shape): readonly unknown[] {
  const around = [shape.minimum, shape.maximum].filter(isSmall).flatMap((n) => [n - 1, n, n + 1]);
  const lengths = [shape.minLength, shape.maxLength].filter(isSmall).flatMap((n) => [n - 1, n, n + 1]);
  const counts = [shape.minItems, shape.maxItems].filter(isSmall).flatMap((n) => [n - 1, n, n + 1]);
  return [
    ABSENT,
    null,
    true,
    7,
    0.5,
    '',
    'yes',
    '!',
    '2027-01-31',
    '10.20.0.0/16',
    'http://127.0.0.1:4566/certs',
    'https://login.acme.example/certs',
    [],
    {},
    { ...wordsOf(shape), nobody: 1 },
    ...(shape.enum ?? []),
    ...(shape.const === undefined ? [] : [shape.const]),
    ...around,
    ...lengths.filter((n) => n >= 0).map((n) => 'x'.repeat(n)),
    ...counts.filter((n) => n >= 0).map((n) => many(n, 'x')),
  ];
}

function written(value: unknown): string {
  if (value === ABSENT) return '-';
  if (typeof value === 'string' && value.length > 60) return `"x" × ${value.length}`;
  if (Array.isArray(value) && value.length > 2) return `["x"] × ${value.length}`;
  return JSON.stringify(value);
}
