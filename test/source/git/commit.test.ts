import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommit } from '../../../src/source/git/commit.ts';
import { gitRevision, parseGitRevision } from '../../../src/source/git/revision.ts';

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
