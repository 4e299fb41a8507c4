import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { proposalBot } from '../../../src/core/access/person.ts';
import { schemas } from '../../../src/core/documents/document.ts';
import type { ChangedFile } from '../../../src/ports/sources.ts';
import { authorsOf } from '../../../src/source/git/history.ts';
import { proposeBranch } from '../../../src/source/git/propose.ts';
import { RepositoryError } from '../../../src/source/git/repository-error.ts';
import { verifyCommits } from '../../../src/source/git/signatures/verify-commits.ts';
import { gitCheckout } from '../../support/git-checkout.ts';
import { gitPerson } from '../../support/git-person.ts';
import { commitText, openCast, TODAY, withSignature } from './signatures/cast.ts';
import { gitFolder } from './support/git-folder.ts';

const folder = gitFolder('setpoint-propose-');
after(() => folder.remove());
let made = 0;

const web: ChangedFile = { path: 'web.yaml', before: 'size: a\n', after: 'size: b\n' };

interface Others {
  readonly dir?: string;
  readonly remote?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A person's checkout with a commit that its remote has too. */
function place() {
  made += 1;
  const remote = folder.bare(`remote-${made}.git`);
  const { dir, git, write, commit } = gitCheckout();
  const head = commit({ 'specs/web.yaml': 'size: a\n', 'specs/db.yaml': 'size: a\n', 'README.md': 'mine\n' });
  git('remote', 'add', 'origin', remote);
  git('push', '--quiet', 'origin', 'main');
  const propose = (files: readonly ChangedFile[] = [web], { env, ...more }: Others = {}) =>
    proposeBranch(
      {
        dir: join(dir, 'specs'),
        files,
        topic: 'accept',
        message: 'fix: accept drift\n\nsize\n',
        remote: 'origin',
        ...more,
      },
      { env: { ...gitPerson, ...env } },
    );
  const on = (branch: string, ...args: readonly string[]): string => folder.git(remote, [...args, branch]);
  return { dir, git, write, commit, head, remote, propose, on };
}

const refused = (why: RegExp) => (error: unknown) => error instanceof RepositoryError && why.test(error.message);

test('a commit of the changed files alone, in a branch; work tree, index and branch stay', async () => {
  const { dir, git, write, head, propose, on, remote } = place();
  write({ 'README.md': 'changed\n', 'specs/new.yaml': 'x: 1\n' });
  git('add', 'specs/new.yaml');
  const before = [git('status', '--porcelain'), git('rev-parse', 'HEAD'), git('diff', '--cached')];
  const found = await propose([web, { path: 'db.yaml', before: 'size: a\n' }]);
  assert.deepEqual([git('status', '--porcelain'), git('rev-parse', 'HEAD'), git('diff', '--cached')], before);
  assert.equal(readFileSync(join(dir, 'specs/web.yaml'), 'utf8'), 'size: a\n');
  assert.equal(found.branch, `setpoint/accept-${found.commit.slice(0, 12)}`);
  assert.deepEqual([found.remote, found.unpushed], [remote, 0]);
  assert.equal(on(found.branch, 'rev-parse'), found.commit);
  assert.equal(on(found.branch, 'rev-list', '--max-count=1', '--skip=1'), head);
  assert.equal(
    on(found.branch, 'show', '--format=%an %ae|%cn %ce|%s|%(trailers:key=Co-authored-by,valueonly)', '--name-status'),
    `${['setpoint[bot] setpoint[bot]@setpoint.dev', 'setpoint[bot] setpoint[bot]@setpoint.dev', 'fix: accept drift', 'Ada <ada@acme.example>'].join('|')}\n\n\nD\tspecs/db.yaml\nM\tspecs/web.yaml`,
  );
  assert.doesNotMatch(folder.git(remote, ['cat-file', 'commit', found.commit]), /gpgsig/);
  // The same change is the same commit, and the same branch.
  assert.deepEqual(await propose([web, { path: 'db.yaml', before: 'size: a\n' }]), found);
  const branches = folder.git(remote, ['for-each-ref', '--format=%(refname)']).split('\n');
  assert.deepEqual(branches, ['refs/heads/main', `refs/heads/${found.branch}`]);
});

test('no hook runs, and no setting of the user signs, forces or pushes more', async () => {
  const { dir, git, propose, on } = place();
  for (const name of ['pre-push', 'post-commit', 'reference-transaction', 'pre-commit'])
    writeFileSync(join(dir, '.git', name), '#!/bin/sh\ntouch "$(git rev-parse --show-toplevel)/ran"\nexit 1\n', {
      mode: 0o755,
    });
  git('config', 'core.hooksPath', '.git');
  git('config', 'commit.gpgSign', 'true');
  git('config', 'gpg.program', 'false');
  git('config', 'push.gpgSign', 'true');
  git('config', 'push.followTags', 'true');
  git('config', 'remote.origin.push', '+refs/heads/main:refs/heads/main');
  git('-c', 'core.hooksPath=/dev/null', 'tag', '-a', '-m', 'mine', 'v1');
  git(
    '-c',
    'core.hooksPath=/dev/null',
    '-c',
    'commit.gpgSign=false',
    'commit',
    '--quiet',
    '--allow-empty',
    '-m',
    'mine',
  );
  const found = await propose();
  assert.equal(found.unpushed, 1);
  assert.equal(on(found.branch, 'rev-parse'), found.commit);
  assert.deepEqual(
    git('ls-remote', 'origin')
      .split('\n')
      .map((line) => line.split('\t')[1]),
    ['HEAD', 'refs/heads/main', `refs/heads/${found.branch}`],
  );
  assert.doesNotMatch(git('status', '--porcelain'), /ran/);
});

test('line ends and a byte order mark stay as the commit has them', async () => {
  const { dir, git, propose, on, commit } = place();
  commit({ 'specs/web.yaml': '\ufeffsize: a\nx: 1\n' });
  // A work tree with line ends of Windows, and a commit without: git converts it.
  git('config', 'core.autocrlf', 'true');
  writeFileSync(join(dir, 'specs/web.yaml'), '\ufeffsize: a\r\nx: 1\r\n');
  assert.equal(git('diff', '--ignore-cr-at-eol', '--numstat'), '');
  const { branch } = await propose([{ path: 'web.yaml', before: 'size: a\r\nx: 1\r\n', after: 'size: b\r\nx: 1\r\n' }]);
  assert.equal(on(`${branch}:specs/web.yaml`, 'cat-file', 'blob'), '\ufeffsize: b\nx: 1');
});

test('uncommitted changes, or a folder outside of git, are refused with the way out', async () => {
  const { write, git, propose, head, remote } = place();
  write({ 'specs/web.yaml': 'size: c\n', 'specs/new.yaml': 'x: 1\n' });
  const changed = { path: 'web.yaml', before: 'size: c\n', after: 'size: b\n' };
  await assert.rejects(propose([changed]), refused(/specs\/web\.yaml has changes that are not committed/));
  await assert.rejects(propose([{ ...changed, path: 'new.yaml' }]), refused(/specs\/new\.yaml is not committed/));
  await assert.rejects(propose([web], { remote: 'upstream' }), refused(/has no remote upstream/));
  await assert.rejects(propose([web], { remote: '--receive-pack=x' }), refused(/begins with a dash/));
  const nobody = { GIT_AUTHOR_EMAIL: undefined, GIT_COMMITTER_EMAIL: undefined, GIT_AUTHOR_NAME: undefined };
  await assert.rejects(propose([web], { env: nobody }), refused(/git config user\.email/));
  await assert.rejects(propose([web], { env: { PATH: '/nowhere' } }), refused(/is it installed/));
  const plain = mkdtempSync(join(tmpdir(), 'setpoint-plain-'));
  after(() => rmSync(plain, { recursive: true, force: true }));
  await assert.rejects(propose([web], { dir: plain }), refused(/lies in no work tree of git/));
  await assert.rejects(propose([web], { dir: join(plain, 'gone') }), refused(/there is no folder/));
  assert.equal(git('rev-parse', 'HEAD'), head);
  assert.equal(folder.git(remote, ['for-each-ref', '--format=%(refname)']), 'refs/heads/main');
});

test('a remote that refuses: nothing is forced, and the commit is kept', async () => {
  const { git, propose, remote, head } = place();
  const { branch, commit } = await propose();
  // Somebody else has the name: it moved on there.
  folder.git(remote, [
    'update-ref',
    `refs/heads/${branch}`,
    folder.commit(remote, { 'specs/web.yaml': 'size: z\n' }, 'other'),
  ]);
  await assert.rejects(
    propose(),
    refused(new RegExp(`origin did not take the branch ${branch}: .*kept in your local branch`)),
  );
  assert.notEqual(folder.git(remote, ['rev-parse', branch]), commit);
  assert.equal(git('rev-parse', branch), commit);
  git('remote', 'set-url', 'origin', join(folder.dir, 'gone.git'));
  await assert.rejects(propose(), refused(/did not take the branch .*does not appear to be a git repository/));
  assert.equal(git('rev-parse', 'main'), head);
});

test('the bot and the person are authors of the commit, so neither may approve it', async () => {
  const { propose, remote, head } = place();
  const { commit } = await propose();
  const { names } = await authorsOf({ mirror: remote, from: head, to: commit });
  assert.deepEqual([...names].toSorted(), ['ada@acme.example', proposalBot.email]);
});

test('no document can trust a signature of the bot, and a signer’s key under its name counts for nothing', async () => {
  const cast = openCast();
  after(() => cast.close());
  const { repository, ssh } = cast;
  const signers = [{ name: 'bot', email: proposalBot.email, ssh: ssh.ada.line }];
  const estate = {
    apiVersion: 'setpoint.dev/v1',
    kind: 'Estate',
    metadata: { name: 'acme' },
    spec: { signatures: { required: true, signers } },
  };
  const issues = schemas.Estate.safeParse(estate).error?.issues.map(({ path }) => path.join('.'));
  assert.deepEqual(issues, ['spec.signatures.signers.0.email']);
  const text = commitText({ tree: repository.tree, committer: `${proposalBot.name} <${proposalBot.email}>` });
  const commit = repository.store(withSignature(text, ssh.ada.sign(text)));
  const asAda = [{ name: 'ada', email: 'ada@acme.example', ssh: ssh.ada.line }];
  const judged = await verifyCommits(repository.folder, [commit], asAda, { today: TODAY });
  assert.equal(judged.ok, false);
});

test('a new file comes along, and none that is committed already', async () => {
  const { propose, on } = place();
  const found = await propose([web, { path: 'old/back.yaml', after: 'size: c\n' }]);
  assert.equal(on(`${found.branch}:specs/old/back.yaml`, 'show'), 'size: c');
  await assert.rejects(propose([{ path: 'db.yaml', after: 'size: c\n' }]), refused(/is committed, and is missing/));
});
