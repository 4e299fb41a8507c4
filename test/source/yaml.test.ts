import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainValue } from '../../src/core/documents/tree.ts';
import { limits } from '../../src/source/limits.ts';
import { parseYaml } from '../../src/source/yaml.ts';

const values: readonly { name: string; text: string; want: readonly unknown[] }[] = [
  { name: 'a map', text: 'a: 1\nb: x\n', want: [{ a: 1, b: 'x' }] },
  { name: 'several documents', text: 'a: 1\n---\nb: 2\n...\n---\nc: 3\n', want: [{ a: 1 }, { b: 2 }, { c: 3 }] },
  { name: 'comments and empty documents are nothing', text: '# hi\n---\n# there\n---\na: 1\n---\n', want: [{ a: 1 }] },
  { name: 'no and on are text (YAML 1.2)', text: 'a: no\non: off\n', want: [{ a: 'no', on: 'off' }] },
  { name: 'a day is text', text: 'a: 2027-01-31\n', want: [{ a: '2027-01-31' }] },
  { name: 'sexagesimal numbers are text', text: 'a: 1:30\n', want: [{ a: '1:30' }] },
  { name: 'true, false and null', text: 'a: [true, False, null, ~, ]\n', want: [{ a: [true, false, null, null] }] },
  { name: 'keys are words', text: '1: a\nnull: b\nyes: c\n', want: [{ 1: 'a', null: 'b', yes: 'c' }] },
  { name: 'a left-out value is null', text: 'a:\nb: 1\n', want: [{ a: null, b: 1 }] },
  {
    name: 'marks inside quotes are text',
    text: "a: \"& * ! <<: x\"\nb: '*x ''&y'\n",
    want: [{ a: '& * ! <<: x', b: "*x '&y" }],
  },
  { name: 'marks inside words are text', text: 'a: x & y * z!\nb: a&b\n', want: [{ a: 'x & y * z!', b: 'a&b' }] },
  { name: 'marks in comments are nothing', text: 'a: 1 # &x *y !z\n# - *q\n', want: [{ a: 1 }] },
  {
    name: 'marks in block scalars are text',
    text: 'a: |\n  *x\n  &y: !z\n\n  <<: *q\nb: >-\n  !t\n',
    want: [{ a: '*x\n&y: !z\n\n<<: *q\n', b: '!t' }],
  },
  {
    name: 'a block scalar in a list ends at the next key',
    text: '- a: |\n    *x\n  b: 1\n- |\n  &y\n- 2\n',
    want: [[{ a: '*x\n', b: 1 }, '&y\n', 2]],
  },
  { name: 'JSON is YAML', text: '{"a":[1,{"b":"c"}],"d":{}}\n', want: [{ a: [1, { b: 'c' }], d: {} }] },
  { name: 'windows line ends', text: 'a: 1\r\nb:\r\n  - x\r\n', want: [{ a: 1, b: ['x'] }] },
  { name: 'a multi-line quoted text', text: 'a: "x\n  *y"\nb: 1\n', want: [{ a: 'x *y', b: 1 }] },
  { name: 'a multi-line flow', text: 'a: [\n  x,\n  { b: 1 },\n]\nc: 2\n', want: [{ a: ['x', { b: 1 }], c: 2 }] },
];

for (const { name, text, want } of values) {
  test(`yaml: ${name}`, () => {
    const { trees, problems } = parseYaml('x.yaml', text);
    assert.deepEqual(problems, []);
    assert.deepEqual(trees.map(plainValue), want);
  });
}

const refusals: readonly { name: string; text: string; want: string }[] = [
  { name: 'an anchor', text: 'a: &x 1\n', want: '1:4 anchor' },
  { name: 'an anchor in a flow', text: 'a: [b, &x c]\n', want: '1:8 anchor' },
  { name: 'an anchor on a key', text: '&x a: 1\n', want: '1:1 anchor' },
  { name: 'an alias', text: 'b: 1\na: *x\n', want: '2:4 alias' },
  { name: 'an alias in a list', text: '- - *x\n', want: '1:5 alias' },
  { name: 'an alias behind a document marker', text: '--- *x\n', want: '1:5 alias' },
  { name: 'an alias behind a quoted key in a flow', text: '{"a":*x}\n', want: '1:6 alias' },
  { name: 'a tag', text: 'a: !!binary aGk=\n', want: '1:4 tag' },
  { name: 'a timestamp', text: 'a: !!timestamp 2027-01-31\n', want: '1:4 tag' },
  { name: 'a merge key', text: 'a:\n  <<: { b: 1 }\n', want: '2:3 merge-key' },
  { name: 'a directive', text: '%YAML 1.1\n---\na: 1\n', want: '1:1 directive' },
  { name: 'an explicit key', text: '? a\n: 1\n', want: '1:1 explicit-key' },
  { name: 'a key that is a list', text: '[a]: 1\n', want: '1:1 bad-key' },
  { name: 'a duplicate key', text: 'a: 1\nb: 2\na: 3\n', want: '3:1 duplicate-key' },
  { name: 'a duplicate key by another spelling', text: 'a: 1\n"a": 2\n', want: '2:1 duplicate-key' },
  { name: '__proto__', text: 'a:\n  __proto__: { x: 1 }\n', want: '2:3 bad-key' },
  { name: 'constructor, quoted', text: '"constructor": 1\n', want: '1:1 bad-key' },
  { name: 'prototype, escaped', text: '"\\x70rototype": 1\n', want: '1:1 bad-key' },
  { name: 'hexadecimal', text: 'a: 0x1f\n', want: '1:4 ambiguous-number' },
  { name: 'octal', text: 'a: 0o17\n', want: '1:4 ambiguous-number' },
  { name: 'leading zeros', text: 'a: 012345678901\n', want: '1:4 ambiguous-number' },
  { name: 'an exponent', text: 'a: 1e3\n', want: '1:4 ambiguous-number' },
  { name: 'not a number', text: 'a: .nan\n', want: '1:4 ambiguous-number' },
  { name: 'a number too long to be exact', text: 'a: 12345678901234567890\n', want: '1:4 ambiguous-number' },
  { name: 'an escaped NUL', text: 'a: "\\0"\n', want: '1:4 bad-character' },
  { name: 'a tab as indentation', text: 'a:\n\tb: 1\n', want: '2:1 bad-yaml' },
  { name: 'an open bracket', text: 'a: [1\n', want: '2:1 bad-yaml' },
  { name: 'an open quote', text: 'a: "x\n', want: '2:1 bad-yaml' },
  { name: 'an unknown escape', text: 'a: "\\q"\n', want: '1:5 bad-yaml' },
  { name: 'two colons', text: 'a: b: c\n', want: '1:4 bad-yaml' },
  { name: 'flows too deep', text: `a: ${'['.repeat(100)}\n`, want: '1:26 too-deep' },
  { name: 'lists too deep', text: `${'- '.repeat(100)}\n`, want: '1:49 too-deep' },
  {
    name: 'maps too deep',
    text: Array.from({ length: 40 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
    want: '25:25 too-deep',
  },
  { name: 'too much text', text: `a: ${'x'.repeat(limits.documentLength)}`, want: '1:1 document-too-large' },
  { name: 'too many nodes', text: `[${','.repeat(limits.documentTokens)}]`, want: '1:1 document-too-full' },
  {
    name: 'too many documents',
    text: '---\na: 1\n'.repeat(limits.documents + 1),
    want: `${2 * limits.documents - 1}:1 too-many-documents`,
  },
  { name: 'only the document concerned', text: 'a: 1\n---\nb: *x\n---\nc: 1\n', want: '3:4 alias' },
];

for (const { name, text, want } of refusals) {
  test(`yaml refuses ${name}`, () => {
    const { problems } = parseYaml('x.yaml', text);
    const [first] = problems;
    assert.equal(first && `${first.at.line}:${first.at.column} ${first.code}`, want);
  });
}

test('yaml: what follows a refused document is still read', () => {
  const { trees } = parseYaml('x.yaml', 'a: 1\n---\nb: *x\n---\nc: 1\n');
  assert.deepEqual(trees.map(plainValue), [{ a: 1 }, { c: 1 }]);
});

test('yaml: what could be read of a broken document is kept apart', () => {
  const { trees, broken } = parseYaml('x.yaml', 'kind: Network\nmetadata: { name: core }\nspec: [\n');
  assert.equal(trees.length, 0);
  assert.deepEqual(plainValue(broken[0] ?? assert.fail()), { kind: 'Network', metadata: { name: 'core' }, spec: [] });
});

test('yaml: no problem repeats what stands in the file', () => {
  for (const text of ['password: "hunter2" hunter2\n', 'password: !hunter2 x\n', 'hunter2: {\nx', 'a: "\\hunter2"\n']) {
    const { problems } = parseYaml('x.yaml', text);
    assert.ok(problems.length > 0, text);
    assert.doesNotMatch(JSON.stringify(problems), /hunter2/);
  }
});

test('yaml: positions count lines and columns from one, in the file and not in the document', () => {
  const { trees } = parseYaml('x.yaml', '# c\n---\na: 1\n---\nb:\n  - c: d\n');
  const found = trees[1];
  assert.ok(found?.kind === 'map');
  const list = found.entries.get('b')?.value;
  assert.ok(list?.kind === 'list');
  assert.deepEqual(list.at, { file: 'x.yaml', line: 6, column: 3 });
  assert.deepEqual(list.items[0]?.at, { file: 'x.yaml', line: 6, column: 5 });
});
