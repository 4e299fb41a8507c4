import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainValue } from '../../src/core/documents/tree.ts';
import { parseJson } from '../../src/source/json.ts';

const values: readonly { name: string; text: string; want: readonly unknown[] }[] = [
  {
    name: 'one document',
    text: '{"a": [1, -2.5, true, false, null, "x\\n\\u0041"]}',
    want: [{ a: [1, -2.5, true, false, null, 'x\nA'] }],
  },
  { name: 'a list of documents', text: '[{"a": 1}, {"b": {}}]', want: [{ a: 1 }, { b: {} }] },
  { name: 'tabs and windows line ends', text: '{\r\n\t"a":\t[ ]\r\n}\r\n', want: [{ a: [] }] },
];

for (const { name, text, want } of values) {
  test(`json: ${name}`, () => {
    const { trees, problems } = parseJson('x.json', text);
    assert.deepEqual(problems, []);
    assert.deepEqual(trees.map(plainValue), want);
  });
}

const refusals: readonly { name: string; text: string; want: string }[] = [
  { name: 'nothing', text: '', want: '1:1 bad-json' },
  { name: 'a comment', text: '{} // x', want: '1:4 bad-json' },
  { name: 'a trailing comma', text: '{"a": 1,}', want: '1:9 bad-json' },
  { name: 'a trailing comma in a list', text: '[1,]', want: '1:4 bad-json' },
  { name: 'a missing comma', text: '[1\n 2]', want: '2:2 bad-json' },
  { name: 'a missing colon', text: '{"a" 1}', want: '1:6 bad-json' },
  { name: 'single quotes', text: "{'a': 1}", want: '1:2 bad-json' },
  { name: 'a line end in text', text: '"a\nb"', want: '1:1 bad-json' },
  { name: 'an unknown escape', text: '"\\q"', want: '1:1 bad-json' },
  { name: 'an exponent', text: '[1e3]', want: '1:2 bad-json' },
  { name: 'a leading zero', text: '[01]', want: '1:2 bad-json' },
  { name: 'NaN', text: '[NaN]', want: '1:2 bad-json' },
  { name: 'an escaped NUL', text: '["\\u0000"]', want: '1:2 bad-character' },
  { name: 'a lone surrogate', text: '["\\ud800"]', want: '1:2 bad-character' },
  { name: 'a duplicate key', text: '{"a": 1, "a": 2}', want: '1:10 duplicate-key' },
  { name: 'a duplicate key by an escape', text: '{"a": 1, "\\u0061": 2}', want: '1:10 duplicate-key' },
  { name: '__proto__', text: '{"a": {"__proto__": {}}}', want: '1:8 bad-key' },
  { name: 'nesting too deep', text: '['.repeat(100_000), want: '1:26 too-deep' },
  { name: 'two values', text: '{} {}', want: '1:4 bad-json' },
];

for (const { name, text, want } of refusals) {
  test(`json refuses ${name}`, () => {
    const [first] = parseJson('x.json', text).problems;
    assert.equal(first && `${first.at.line}:${first.at.column} ${first.code}`, want);
  });
}

test('json: a text of megabytes is no trouble', () => {
  const { trees } = parseJson('x.json', JSON.stringify({ a: 'x\n'.repeat(1_500_000) }));
  assert.equal(trees.length, 1);
});
