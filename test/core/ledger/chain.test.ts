import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonical } from '../../../src/core/ledger/canonical.ts';
import {
  chainGenesis,
  checkpointText,
  genesis,
  link,
  linkFirst,
  processText,
  rootOf,
  sealText,
} from '../../../src/core/ledger/chain.ts';
import type { Content } from '../../../src/core/ledger/entry.ts';

const of = { store: 's1', estate: 'acme', at: 7 };

/** Signatures that stand outside the database were made over these very texts: another text is another promise. */
test('the signed texts are these, letter by letter', () => {
  const plain = (text: string): string => `(${text})`;
  const heads = [{ of: 'people', number: 2, hash: 'h' }];
  const root = '({"heads":[{"hash":"h","number":2,"of":"people"}],"previous":"p"})';
  assert.equal(rootOf({ previous: 'p', heads }, plain), root);
  const text = `{"at":7,"checkpoint":"setpoint","estate":"acme","number":4,"root":${JSON.stringify(root)},"store":"s1","version":3}`;
  assert.equal(checkpointText({ ...of, number: 4, previous: 'p', heads }, plain), text);
  assert.equal(checkpointText({ ...of, number: 4, root }, plain), text, 'its root alone is signed by the same text');
  assert.equal(
    processText({ ...of, heads }),
    '{"at":7,"checkpoint":"setpoint","estate":"acme","heads":[{"hash":"h","number":2,"of":"people"}],"store":"s1","version":2}',
  );
  assert.equal(
    sealText({ ...of, seq: 5, hash: 'h' }),
    '{"at":7,"checkpoint":"setpoint","estate":"acme","hash":"h","seq":5,"store":"s1","version":1}',
  );
});

/** Hashes that stand in ledgers and exports were made over these very texts. */
test('the texts that a hash covers are these, letter by letter', () => {
  const plain = (text: string): string => text;
  const content = { at: 7, type: 'note', body: { b: 1, a: 'x' } } as unknown as Content; // why: only the form counts
  assert.deepEqual(genesis('s1', 'acme', plain), {
    seq: 0,
    hash: '{"estate":"acme","ledger":"setpoint","store":"s1","version":1}',
  });
  const seal = { ...of, seq: 5, hash: 'h', signature: 's', key: 'k' };
  assert.deepEqual(chainGenesis(seal, 'people', plain), {
    of: 'people',
    number: 0,
    hash: '{"chain":"people","ledger":"setpoint","seal":{"at":7,"estate":"acme","hash":"h","key":"k","seq":5,"signature":"s","store":"s1"},"version":2}',
  });
  assert.deepEqual(link({ of: 'people', number: 2, hash: 'p' }, 9, content, plain), {
    ...content,
    seq: 9,
    chain: {
      of: 'people',
      number: 3,
      previous: 'p',
      hash: '{"at":7,"body":{"a":"x","b":1},"chain":"people","number":3,"previous":"p","seq":9,"type":"note"}',
    },
  });
  assert.deepEqual(linkFirst({ seq: 2, hash: 'p' }, content, plain), {
    ...content,
    seq: 3,
    chain: { previous: 'p', hash: '{"at":7,"body":{"a":"x","b":1},"previous":"p","seq":3,"type":"note"}' },
  });
});

const rows: readonly { readonly name: string; readonly value: unknown; readonly want: string }[] = [
  {
    name: 'keys are sorted by code units',
    value: { b: 1, a: 2, B: 3, '10': 4, '9': 5 },
    want: '{"10":4,"9":5,"B":3,"a":2,"b":1}',
  },
  { name: 'absent keys are left out, null is not', value: { a: undefined, b: null }, want: '{"b":null}' },
  { name: 'nested', value: [{ b: [], a: {} }, 'x'], want: '[{"a":{},"b":[]},"x"]' },
  { name: 'a hole in a list is null', value: [undefined, 1], want: '[null,1]' },
  { name: 'minus nought is nought', value: -0, want: '0' },
  { name: 'NUL, lone surrogates and quotes are escaped', value: '\u0000\ud800"', want: '"\\u0000\\ud800\\""' },
  {
    name: '__proto__ is a key like any other',
    value: JSON.parse('{"__proto__":1,"a":2}'),
    want: '{"__proto__":1,"a":2}',
  },
  { name: 'an object without prototype', value: Object.assign(Object.create(null), { a: 1 }), want: '{"a":1}' },
];
for (const { name, value, want } of rows) test(`canonical: ${name}`, () => assert.equal(canonical(value), want));

const refused: readonly unknown[] = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1n,
  () => 1,
  new Date(0),
  new Map(),
  Symbol('x'),
];
test('canonical: what is refused is called by its class, if it has one', () => {
  const rows: readonly (readonly [value: unknown, want: RegExp])[] = [
    [new Date(0), /for a Date$/],
    [new (class {})(), /for a thing$/],
    [Object.create(Object.create(null)), /for a thing$/],
    [1n, /for a bigint$/],
  ];
  for (const [value, want] of rows) assert.throws(() => canonical(value), want);
});

for (const value of refused)
  test(`canonical: ${String(value)} is refused`, () =>
    assert.throws(() => canonical({ value }), /canonical JSON has no form/));

test('canonical: reads back as the same, whatever the order of keys', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonical(value);
      assert.equal(canonical(JSON.parse(text)), text);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
      assert.equal(canonical(reversed(value)), text);
    }),
  );
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, member]) => [key, reversed(member)]));
}
