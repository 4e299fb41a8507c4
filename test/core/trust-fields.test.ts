import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { schemas } from '../../src/core/documents/document.ts';
import { guarded, LOOPBACK } from '../../src/core/documents/fields.ts';
import { secretRef } from '../../src/core/documents/secret-ref.ts';
import { fieldsIn, type GuardedField, type Guards, guardsOf, leading } from '../../src/core/trust.ts';

/** Where a schema has guarded fields, `*` for any key or place in a list. */
function places(here: Guards, path = ''): readonly string[] {
  if (here.guards !== undefined) return [`${path} ${here.guards}`];
  const { properties = {}, items, additionalProperties, oneOf = [], anyOf = [] } = here;
  const any = [items, additionalProperties].filter((one) => typeof one === 'object');
  return [
    ...Object.entries(properties).flatMap(([key, below]) => places(below, `${path}.${key}`)),
    ...any.flatMap((below) => places(below, `${path}.*`)),
    ...[...oneOf, ...anyOf].flatMap((one) => places(one, path)),
  ];
}

test('these are the guarded fields of all kinds; one more is found without a line anywhere', () => {
  const found = Object.entries(schemas).flatMap(([kind, schema]) => places(guardsOf(schema), kind));
  assert.deepEqual(found, [
    'Estate.spec.sources.*.repo address',
    'Estate.spec.hooks.*.secret secret',
    'Estate.spec.hooks.*.keys address',
    'Target.spec.endpoint address',
    'Target.spec.credentials secret',
    'Instance.spec.access.password secret',
    'Instance.spec.on.*.access.password secret',
  ]);
});

test('no form of a secret or an address stands in a schema unguarded', () => {
  const loose = Object.entries(schemas).flatMap(([kind, schema]) => unguarded(guardsOf(schema), kind));
  assert.deepEqual(loose, []);
});

/** Objects with a variable or a URI of a secret, and texts that are a loopback address, wherever they stand. */
function unguarded(node: unknown, path: string): readonly string[] {
  if (typeof node !== 'object' || node === null || 'guards' in node) return [];
  const has = (key: string): boolean => 'properties' in node && Object.hasOwn(Object(node.properties), key);
  const isSecret = has('env') || has('uri') || has('assumeRole');
  const isAddress = 'pattern' in node && node.pattern === LOOPBACK.source;
  return [
    ...(isSecret || isAddress ? [path] : []),
    ...Object.entries(node).flatMap(([key, below]) => unguarded(below, `${path}.${key}`)),
  ];
}

/** What of JSON Schema can hold another schema and is not followed. */
const UNKNOWN = ['allOf', '$ref', 'prefixItems', 'patternProperties', 'if', 'then', 'else', 'not', 'contains'];

test('the schemas use nothing of JSON Schema that guarded fields are not looked for in', () => {
  const used = Object.values(schemas).flatMap((schema) => keywordsOf(guardsOf(schema)));
  assert.deepEqual(
    UNKNOWN.filter((keyword) => used.includes(keyword)),
    [],
  );
});

/** The keys of all schemas in a schema; those of `properties` are names of fields and no keywords. */
function keywordsOf(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(keywordsOf);
  return Object.entries(node).flatMap(([key, below]) => [
    key,
    ...(key === 'properties' ? Object.values(Object(below)).flatMap(keywordsOf) : keywordsOf(below)),
  ]);
}

const ref = { env: 'SETPOINT_SECRET_A' };
const address = () => z.string().register(guarded, { guards: 'address' });
const nested: readonly { name: string; schema: z.ZodType; value: unknown; want: readonly string[] }[] = [
  { name: 'optional', schema: z.object({ a: secretRef().optional() }), value: { a: ref }, want: ['a'] },
  { name: 'left out', schema: z.object({ a: secretRef().optional() }), value: {}, want: [] },
  {
    name: 'described',
    schema: z.object({ a: secretRef().meta({ description: 'x' }) }),
    value: { a: ref },
    want: ['a'],
  },
  { name: 'in a list', schema: z.object({ a: z.array(secretRef()) }), value: { a: [ref, ref] }, want: ['a.0', 'a.1'] },
  { name: 'in a map', schema: z.record(z.string(), secretRef()), value: { b: ref }, want: ['b'] },
  {
    name: 'in a map of its own names',
    schema: z.record(z.string(), secretRef()),
    value: { toString: ref },
    want: ['toString'],
  },
  {
    name: 'in a part',
    schema: z.object({ a: z.object({ b: secretRef() }).partial() }),
    value: { a: { b: ref } },
    want: ['a.b'],
  },
  {
    name: 'one form of two',
    schema: z.object({ a: z.union([z.boolean(), secretRef()]) }),
    value: { a: ref },
    want: ['a'],
  },
  {
    name: 'in one of two maps',
    schema: z.discriminatedUnion('k', [z.object({ k: z.literal(1) }), z.object({ k: z.literal(2), a: address() })]),
    value: { k: 2, a: 'x' },
    want: ['a'],
  },
  {
    name: 'beside another map',
    schema: z.object({ a: z.object({}).extend({ b: address() }) }),
    value: { a: { b: '' } },
    want: ['a.b'],
  },
  { name: 'with a default', schema: z.object({ a: address().default('x') }), value: { a: 'y' }, want: ['a'] },
];

for (const { name, schema, value, want } of nested)
  test(`a guarded field is found ${name}`, () => {
    const found = (guards: Guards) =>
      fieldsIn(value, guards, []).map(({ path }: GuardedField) => path.map(String).join('.'));
    assert.deepEqual(found(guardsOf(schema)), want);
    assert.deepEqual(found(leading(guardsOf(schema)) ?? {}), want, 'by what leads to it alone');
  });

test('nothing leads to a guarded field where there is none', () => {
  assert.equal(leading(guardsOf(schemas.FirewallRule)), undefined);
  assert.equal(leading(guardsOf(z.object({ a: z.array(z.object({ b: z.string() })) }))), undefined);
});

test('a property without a guard is no additional one', () => {
  const schema = z.object({ a: z.object({ b: z.string() }) }).catchall(z.string());
  const guards: Guards = { ...guardsOf(schema), additionalProperties: { guards: 'address' } };
  assert.deepEqual(fieldsIn({ a: { b: '' } }, leading(guards) ?? {}, []), []);
});
