import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadOwnCommit } from '../../../src/source/git/own-commit.ts';
import { gitCheckout } from '../../support/git-checkout.ts';

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
