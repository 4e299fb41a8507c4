import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { renderProblem } from '../../src/core/documents/problem.ts';
import { limits } from '../../src/source/limits.ts';
import { loadSpecs } from '../../src/source/load.ts';
import { maskSecrets, parseSpecs } from '../../src/source/parse-specs.ts';
import { prescan } from '../../src/source/prescan.ts';

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

const masks: readonly { name: string; lines: readonly string[]; want: readonly string[] }[] = [
  { name: 'nothing secret', lines: ['a: 1', '  b: 2'], want: ['a: 1', '  b: 2'] },
  { name: 'a value', lines: ['password: hunter2'], want: ['password: ***'] },
  {
    name: 'a value in a flow, and all behind it',
    lines: ['a: { password: hunter2, b: 1 }'],
    want: ['a: { password: ***'],
  },
  { name: 'a quoted key', lines: ['"password" : "hunter2"'], want: ['"password" : ***'] },
  {
    name: 'other words for it',
    lines: ['apiToken: x', 'db_secret: y', 'privateKey: z'],
    want: ['apiToken: ***', 'db_secret: ***', 'privateKey: ***'],
  },
  {
    name: 'all lines that are indented deeper, blank ones between',
    lines: ['  password: |', '    hunter2', '', '    more', '  user: ops'],
    want: ['  password: ***', '    ***', '', '    ***', '  user: ops'],
  },
  {
    name: 'a key block, and what stands below it',
    lines: ['    -----BEGIN OPENSSH PRIVATE KEY-----', '    b3BlbnNzaC1rZXk', '  user: ops'],
    want: ['    -----BEGIN ***', '    ***', '  user: ops'],
  },
  { name: 'credentials', lines: ['credentials: AKIA'], want: ['credentials: ***'] },
  {
    name: 'what stands before the host of a URL, but for the user of ssh',
    lines: ['a: [https://t0ken@h/x, "ssh://git:hunter2@h/x"]', 'b: ssh://git@h/x'],
    want: ['a: [https://***@h/x, "ssh://***@h/x"]', 'b: ssh://git@h/x'],
  },
  {
    name: 'not a role',
    lines: [
      'credentials: { assumeRole: "arn:aws:iam::1:role/x" }',
      'credentials:',
      '  assumeRole: arn:aws:iam::1:role/x',
      '  env: x',
    ],
    want: [
      'credentials: { assumeRole: "arn:aws:iam::1:role/x" }',
      'credentials:',
      '  assumeRole: arn:aws:iam::1:role/x',
      '  ***',
    ],
  },
];

for (const { name, lines, want } of masks) {
  test(`mask: ${name}`, () => assert.deepEqual(maskSecrets(lines), want));
}

/** Each puts a secret where people put them by mistake, beside another slip that makes the line be shown. */
const leaks: readonly string[] = [
  'spec: { access: { password: hunter2 } }',
  'spec: { access: { pasword: x, password: hunter2 } }',
  'spec:\n  access:\n    password:\n      hunter2: x',
  'spec:\n  access:\n    password: |\n      hunter2\n    usr: x',
  'spec: { access: { password: { env: hunter2 } } }',
  'spec: { access: { password: [hunter2] } }',
  'spec: { credentials: hunter2 }',
  'spec: { access: { sshKeys: ["-----BEGIN OPENSSH PRIVATE KEY-----\\nhunter2"] } }',
  'spec:\n  access:\n    password: "hunter2',
  'spec:\n  access:\n    password: &hunter2 x',
  'spec:\n  access:\n    password: hunter2: hunter2',
];

for (const text of leaks) {
  test(`no problem shows the secret in ${JSON.stringify(text)}`, () => {
    for (const kind of ['Instance', 'Target']) {
      const file = { path: 'x.yaml', text: `kind: ${kind}\n${text}\n` };
      const shown = parseSpecs([file], '2027-01-31').problems.map((problem) => renderProblem(problem));
      assert.ok(shown.length > 1);
      assert.doesNotMatch(shown.join('\n'), /hunter2/);
    }
  });
}

/** The scan alone: the reader later refuses its misses, but at the parser's cost. */
const cases: readonly { name: string; text: string; want: string }[] = [
  { name: 'an escaped quote does not end its text', text: 'a: "x\\" *y"\nb: &z 1', want: '2:4 anchor' },
  { name: 'an escaped backslash does', text: 'a: "x\\\\"\nb: *z', want: '2:4 alias' },
  { name: 'a doubled quote does not end its text', text: "a: 'it''s *x'\nb: *z", want: '2:4 alias' },
  { name: 'the other quote does not end a text', text: 'a: "it\'s"\nb: *z', want: '2:4 alias' },
  { name: 'quoted text goes on over lines', text: 'a: "x\n  &y\n  *z"\nb: !t 1', want: '4:4 tag' },
  { name: 'a key may end its quote and its word at once, in a flow', text: '{"a":*x}', want: '1:6 alias' },
  { name: 'but not in a block', text: '"a":*x', want: '' },
  { name: 'a colon inside a word is no mark', text: 'a: http://x:*y', want: '' },
  { name: 'a dash inside a word is no mark', text: 'a: b-*c', want: '' },
  { name: 'a comma is a mark in flows only', text: 'a: b, *c\nd: [e, *f]', want: '2:8 alias' },
  { name: 'a hash inside a word is no comment', text: 'a: b#c\nd: *e', want: '2:4 alias' },
  { name: 'behind a comment there is nothing', text: 'a: b # "\nd: *e', want: '2:4 alias' },
  { name: 'a block scalar holds what is indented deeper', text: 'a: |\n *x\n\n &y\nb: !z 1', want: '5:4 tag' },
  { name: 'and nothing that is not', text: 'a: |\n&x b', want: '2:1 anchor' },
  { name: 'in a list it holds what is deeper than the dash', text: '- |\n *x\n- !y 1', want: '3:3 tag' },
  { name: 'below a key in a list, what is deeper than the key', text: '- a: |\n   *x\n  b: *y', want: '3:6 alias' },
  { name: 'a pipe inside a word begins none', text: 'a: b | c\n  *d', want: '2:3 alias' },
  { name: 'a flow goes on over lines', text: 'a: [\n*x]', want: '2:1 alias' },
  { name: 'a bracket inside a word opens nothing', text: 'a: b[c\nd, *e: 1', want: '' },
  { name: 'a merge key in a flow', text: 'a: {<<: b}', want: '1:5 merge-key' },
  { name: 'two less-than signs in a word', text: 'a: x << y', want: '' },
  { name: 'a directive is at the line begin', text: 'a: 1 %b\n%YAML 1.1', want: '2:1 directive' },
  { name: 'a question in a word', text: 'a: ?b', want: '' },
  { name: 'a question as a mark', text: 'a:\n  ? b', want: '2:3 explicit-key' },
  { name: 'as deep as it may be', text: '['.repeat(limits.depth - 1), want: '' },
  { name: 'one deeper', text: '['.repeat(limits.depth), want: `1:${limits.depth} too-deep` },
  { name: 'nodes side by side are not deep', text: 'a: [[[]]]\n'.repeat(100), want: '' },
  { name: 'as long as it may be', text: 'x'.repeat(limits.documentLength - 1), want: '' },
  { name: 'one longer', text: 'x'.repeat(limits.documentLength), want: '1:1 document-too-large' },
  { name: 'as full as it may be', text: '\n'.repeat(limits.documentTokens - 1), want: '' },
  { name: 'one fuller', text: '\n'.repeat(limits.documentTokens), want: '1:1 document-too-full' },
];

for (const { name, text, want } of cases) {
  test(`prescan: ${name}`, () => {
    const problems = prescan(text.split('\n'), (line, column) => ({ file: 'x', line: line + 1, column: column + 1 }));
    assert.equal(problems.map(({ at, code }) => `${at.line}:${at.column} ${code}`).join(', '), want);
  });
}

const specs = join(import.meta.dirname, '../../specs');

/** The starter set in specs/policies/. */
const policies = [
  ...['no-open-admin-ports', 'owner', 'public-addresses', 'machines', 'imdsv2'],
  ...['encrypted-disks', 'allowed-regions'],
];

test('the example estate is sound, and has no warnings either', async () => {
  const { documents, estate, problems, userData } = await loadSpecs(specs, '2026-11-21');
  assert.deepEqual(problems, []);
  assert.equal(estate?.value.metadata.name, 'acme');
  assert.deepEqual(
    documents.map(({ value }) => `${value.kind} ${value.metadata.name}`),
    [
      'Estate acme',
      'Target aws-prod',
      'Target gcp-prod',
      'Target azure-prod',
      'Instance web',
      'Instance db',
      'Network core',
      'FirewallRule web-https',
      'FirewallRule office-ssh',
      'FirewallRule web-to-db',
      ...policies.map((name) => `Policy ${name}`),
    ],
  );
  assert.deepEqual([...userData.keys()], ['web.sh']);
});
