import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadOwnCommit } from '../../../src/source/git/load-commit.ts';
import { parseCommit } from '../../../src/source/git/read-commit.ts';
import { gitRevision, parseGitRevision } from '../../../src/source/git/refs.ts';
import { gitCheckout } from '../../support/git-checkout.ts';

const [id, tree, parent] = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)];
const commit = (lines: readonly string[], message: string): Buffer => Buffer.from(`${lines.join('\n')}\n\n${message}`);
const ada = 'Ada <ada@acme.example> 1800000000 +0200';

test('a commit: its parts, and none of its signature', () => {
  const lines = [
    `tree ${tree}`,
    `parent ${parent}`,
    `parent ${id}`,
    `author ${ada}`,
    'committer Forge <f@x> 1800000001 -0000',
  ];
  const signed = [
    ...lines,
    'gpgsig -----BEGIN PGP SIGNATURE-----',
    ' author Eve <e@x> 1 +0000',
    ' -----END PGP SIGNATURE-----',
  ];
  assert.deepEqual(parseCommit(id, commit(signed, '\nfix: the rule\n\nauthor Eve <e@x> 2 +0000\n')), {
    id,
    tree,
    parents: [parent, id],
    author: { name: 'Ada', email: 'ada@acme.example', at: 1_800_000_000_000 },
    committer: { name: 'Forge', email: 'f@x', at: 1_800_000_001_000 },
    subject: 'fix: the rule',
  });
});

test('what it says is made safe to print', () => {
  const lines = [`tree ${tree}`, `author A\u001b[2J\u202e <a\u0007@x> 1 +0000`, `committer ${ada}`];
  const parsed = parseCommit(id, commit(lines, `\u001b]0;x\u0007${'long '.repeat(100)}`));
  assert.equal(parsed?.author.name, 'A\ufffd[2J\ufffd');
  assert.equal(parsed?.author.email, 'a\ufffd@x');
  assert.equal(parsed?.subject.length, 200);
  assert.doesNotMatch(JSON.stringify(parsed), /\\u00/);
});

const broken: readonly (readonly [name: string, lines: readonly string[]])[] = [
  ['no tree', [`author ${ada}`, `committer ${ada}`]],
  ['a tree later', [`author ${ada}`, `committer ${ada}`, `tree ${tree}`]],
  ['no committer', [`tree ${tree}`, `author ${ada}`]],
  ['no time', [`tree ${tree}`, 'author Ada <a@x>', `committer ${ada}`]],
  ['a short tree', ['tree abc', `author ${ada}`, `committer ${ada}`]],
];

for (const [name, lines] of broken)
  test(`no commit: ${name}`, () => assert.equal(parseCommit(id, commit(lines, 'x')), undefined));

test('a revision names every commit in the order of its teams, and is read back', () => {
  const teams = new Map([
    ['web', parent],
    ['db', tree],
  ]);
  const text = gitRevision({ root: id, teams, overlay: 'prod' });
  assert.equal(text, `git:${id}+db=${tree}+web=${parent}@prod`);
  assert.deepEqual(parseGitRevision(text), { root: id, teams: new Map([...teams].toReversed()), overlay: 'prod' });
  assert.deepEqual(parseGitRevision(`git:${id}`), { root: id, teams: new Map() });
  for (const other of [`folder:${id}`, 'git:main', `git:${id}+db`, `git:${id} `, `git:${id}@`])
    assert.equal(parseGitRevision(other), undefined, other);
});

const today = '2027-01-31';
const head = 'apiVersion: setpoint.dev/v1\n';
const estate = (name: string): string => `${head}kind: Estate\nmetadata: { name: ${name} }\nspec: {}\n`;

const checkout = gitCheckout();
const first = checkout.commit({
  'clouds/specs/a.yaml': estate('one'),
  'clouds/specs/overlays/prod/e.yaml': '# none\n',
});
checkout.git('tag', 'v1');
const second = checkout.commit({ 'clouds/specs/a.yaml': estate('two'), 'README.md': 'x' });
checkout.git('branch', 'side', first);
checkout.write({ 'clouds/specs/a.yaml': estate('not-committed') });
const specs = join(checkout.dir, 'clouds/specs');
const load = (ref: string, overlay?: string) =>
  loadOwnCommit(specs, ref, { today, env: process.env, ...(overlay === undefined ? {} : { overlay }) });

const refs: readonly (readonly [ref: string, commit: string, estate: string])[] = [
  ['HEAD', second, 'two'],
  ['HEAD~1', first, 'one'],
  ['main', second, 'two'],
  ['side', first, 'one'],
  ['v1', first, 'one'],
  ['refs/tags/v1', first, 'one'],
  [first, first, 'one'],
  [first.slice(0, 8), first, 'one'],
];

for (const [ref, commit, name] of refs)
  test(`${ref.replace(/[0-9a-f]{8,}/, 'a commit')} of the own repository is read from its objects, not from the folder`, async () => {
    const tree = await load(ref);
    assert.deepEqual([tree.revision, tree.estate?.value.metadata.name], [`git:${commit}`, name]);
    assert.deepEqual(
      tree.files.map(({ path }) => path),
      ['a.yaml'],
    );
  });

test('with an overlay the revision ends in its name', async () => {
  const tree = await load('v1', 'prod');
  assert.deepEqual([tree.revision, tree.overlay, tree.files.length], [`git:${first}@prod`, 'prod', 2]);
});

test('nothing is written into the repository', async () => {
  const before = checkout.git('count-objects', '-v') + checkout.git('for-each-ref') + checkout.git('status', '--short');
  await load('HEAD~1');
  assert.equal(
    checkout.git('count-objects', '-v') + checkout.git('for-each-ref') + checkout.git('status', '--short'),
    before,
  );
});

for (const ref of ['nope', 'HEAD~9', '--all', 'main..side', 'HEAD:clouds', ''])
  test(`"${ref}" is no commit, and it is said so`, () => assert.rejects(load(ref), /has no commit .* Name a branch/));

test('a folder in no repository, and one that is not there, are told apart', async () => {
  const plain = mkdtempSync(join(tmpdir(), 'setpoint-plain-'));
  try {
    writeFileSync(join(plain, 'a.yaml'), estate('x'));
    const options = { today, env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() } };
    await assert.rejects(loadOwnCommit(plain, 'HEAD', options), /lies in no git repository/);
    await assert.rejects(loadOwnCommit(join(plain, 'no'), 'HEAD', options), /there is no folder/);
  } finally {
    rmSync(plain, { recursive: true });
  }
});
