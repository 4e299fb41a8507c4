import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/source/limits.ts';
import { parseSpecs } from '../../src/source/parse-specs.ts';

const today = '2027-01-31';
const head = 'apiVersion: setpoint.dev/v1\n';
const base = [
  `${head}kind: Estate\nmetadata: { name: acme }\nspec: {}\n`,
  `${head}kind: Target\nmetadata: { name: m }\nspec: { provider: memory, account: a, region: r }\n`,
  `${head}kind: Network\nmetadata: { name: core }\nspec: { targets: [m], cidr: 10.0.0.0/16 }\n`,
].join('---\n');

/** Rules for a group that nobody is in: a warning each. */
const warned = (count: number): string =>
  Array.from(
    { length: count },
    (_, i) =>
      `---\n${head}kind: FirewallRule\nmetadata: { name: r${i} }\nspec: { network: core, protocol: tcp, ports: [${i}], group: g, peers: { any: true } }\n`,
  ).join('');

const counts: readonly { name: string; text: string; want: Readonly<Record<string, number>> }[] = [
  { name: 'as many as are told', text: warned(limits.problems), want: { 'warning empty-group': limits.problems } },
  {
    name: 'one more is counted, and only as the warning it is',
    text: warned(limits.problems + 1),
    want: { 'warning empty-group': limits.problems, 'warning more-problems': 1 },
  },
  {
    name: 'warnings never hide an error',
    text: `${warned(limits.problems + 7)}---\nkind: Nothing\n`,
    want: { 'error unknown-kind': 1, 'warning empty-group': limits.problems - 1, 'warning more-problems': 1 },
  },
  {
    name: 'errors beyond the last one told are an error',
    text: '---\nkind: Nothing\n'.repeat(limits.problems + 3),
    want: { 'error unknown-kind': limits.problems, 'error more-problems': 1 },
  },
];

for (const { name, text, want } of counts) {
  test(`problems of a file: ${name}`, () => {
    const { problems } = parseSpecs([{ path: 'x.yaml', text: `${base}${text}` }], today);
    const got = Object.groupBy(problems, ({ severity, code }) => `${severity} ${code}`);
    assert.deepEqual(Object.fromEntries(Object.entries(got).map(([code, all]) => [code, all?.length])), want);
  });
}

test('documents come in the order of their files and lines, problems too', () => {
  const { documents, problems } = parseSpecs(
    [
      { path: 'b.yaml', text: `${base}---\nx: 1\n` },
      { path: 'a.yaml', text: 'y: 1\n---\nz: *a\n' },
    ],
    today,
  );
  assert.deepEqual(
    documents.map((document) => document.at().line),
    [1, 6, 11],
  );
  assert.deepEqual(
    problems.map(({ at }) => `${at.file}:${at.line}`),
    ['a.yaml:1', 'a.yaml:3', 'b.yaml:16'],
  );
});

test('no documents at all is an error, never an estate that wants nothing', () => {
  for (const files of [[], [{ path: 'a.yaml', text: '# nothing\n---\n' }], [{ path: 'a.json', text: '[]' }]]) {
    const { documents, problems } = parseSpecs(files, today);
    assert.deepEqual(
      [documents.length, problems.map(({ severity, code }) => `${severity} ${code}`)],
      [0, ['error no-estate']],
    );
  }
});

test('a JSON file may name its schema', () => {
  const text = JSON.stringify([
    { $schema: './schema.json', apiVersion: 'setpoint.dev/v1', kind: 'Estate', metadata: { name: 'acme' }, spec: {} },
  ]);
  const { documents, problems } = parseSpecs([{ path: 'a.json', text }], today);
  assert.deepEqual([documents.length, problems], [1, []]);
});
