import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadCommit } from '../../../src/source/git/load-commit.ts';
import { openRepository, type Repository } from '../../../src/source/git/repository.ts';
import type { RepositoryOptions } from '../../../src/source/git/repository-context.ts';
import { RepositoryError } from '../../../src/source/git/repository-error.ts';
import { gitFolder } from './support/git-folder.ts';

const world = gitFolder();
after(() => world.remove());

const estate = 'apiVersion: setpoint.dev/v1\nkind: Estate\nmetadata: { name: acme }\nspec: {}\n';
const instance =
  'apiVersion: setpoint.dev/v1\nkind: Instance\nmetadata: { name: web }\nspec: { targets: [m], network: core, subnet: app, image: i, size: s, userData: { file: web.sh } }\n';
const ground =
  'apiVersion: setpoint.dev/v1\nkind: Target\nmetadata: { name: m }\nspec: { provider: memory, account: a, region: r }\n---\napiVersion: setpoint.dev/v1\nkind: Network\nmetadata: { name: core }\nspec: { targets: [m], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.0.0/24 }] }\n';
const specs = {
  'specs/estate.yaml': estate,
  'specs/net/core.yaml': ground,
  'specs/web/web.yaml': instance,
  'specs/web/web.sh': '#!/bin/sh\n',
  'README.md': '# outside of the path',
};
const today = '2027-01-31';

const opened = (url: string, more: Partial<RepositoryOptions> = {}): Repository =>
  openRepository({
    url,
    path: 'specs',
    folder: join(world.dir, 'mirrors'),
    allowFile: true,
    env: process.env,
    ...more,
  });

const trouble =
  (kind: string, text: RegExp) =>
  (error: unknown): boolean =>
    error instanceof RepositoryError && error.trouble === kind && text.test(error.message);

test('a commit is fetched and its specs read as those of a folder are', async () => {
  const origin = world.bare('reads.git');
  const head = world.commit(origin, specs);
  const repository = opened(origin);
  assert.equal(await repository.fetch(), head);
  const tree = await loadCommit(repository, head, { today });
  assert.deepEqual(tree.problems, []);
  assert.equal(tree.revision, `git:${head}`);
  assert.equal(tree.estate?.value.metadata.name, 'acme');
  assert.deepEqual(
    tree.files.map(({ path }) => path),
    ['estate.yaml', 'net/core.yaml', 'web/web.yaml'],
  );
  assert.equal(tree.userData.get('web/web.sh')?.bytes.toString(), '#!/bin/sh\n');
});

test('facts of a commit: who, when, what, after what', async () => {
  const origin = world.bare('facts.git');
  const first = world.commit(origin, specs);
  const second = world.commit(origin, { 'specs/estate.yaml': `${estate}# more\n` });
  const repository = opened(origin);
  await repository.fetch();
  const commit = await repository.read(second, async (reading) => reading.commit);
  assert.deepEqual(commit.parents, [first]);
  assert.deepEqual(commit.committer, { name: 'Ada', email: 'ada@acme.example', at: 1_800_000_000_000 });
  assert.equal(commit.subject, 'change specs/estate.yaml');
});

test('since: what came after, oldest first; nothing of the same; undefined of a rewritten history', async () => {
  const origin = world.bare('since.git');
  const one = world.commit(origin, specs);
  const two = world.commit(origin, { 'a.txt': '2' });
  const three = world.commit(origin, { 'a.txt': '3' });
  const repository = opened(origin);
  await repository.fetch();
  assert.deepEqual(await repository.since(one, three), [two, three]);
  assert.deepEqual(await repository.since(three, three), []);
  assert.equal(await repository.since(three, one), undefined);
  world.git(origin, ['update-ref', 'refs/heads/main', one]);
  const other = world.commit(origin, { 'a.txt': 'other' });
  assert.equal(await repository.fetch(), other);
  assert.equal(await repository.since(three, other), undefined, 'what was there before is no ancestor');
  assert.deepEqual(await repository.since(one, other), [other]);
  assert.equal(await repository.since('0'.repeat(40), other), undefined, 'what was never there is no ancestor');
  await assert.rejects(repository.since(one, '0'.repeat(40)), trouble('unknown', /has no commit 0{40}/));
  await assert.rejects(repository.since('--all', other), RangeError);
});

test('resolve: head, branch, tag, full ref, short and full names, and back from there', async () => {
  const origin = world.bare('resolve.git');
  const one = world.commit(origin, specs);
  const two = world.commit(origin, { 'a.txt': '2' });
  world.git(origin, ['update-ref', 'refs/tags/v1', one]);
  world.git(origin, ['update-ref', 'refs/tags/both', one]);
  world.git(origin, ['update-ref', 'refs/heads/both', two]);
  const pulled = world.commit(origin, { 'a.txt': 'pulled' }, 'feature/x');
  world.git(origin, ['update-ref', 'refs/pull/7/head', pulled]);
  const repository = opened(origin);
  const rows: readonly (readonly [string, string])[] = [
    ['HEAD', two],
    ['main', two],
    ['main~1', one],
    ['HEAD^', one],
    ['v1', one],
    ['refs/tags/both', one],
    ['refs/heads/both', two],
    ['feature/x', pulled],
    ['refs/pull/7/head', pulled],
    [one, one],
    [one.slice(0, 7), one],
    [`${two.slice(0, 12)}~1`, one],
  ];
  for (const [ref, want] of rows) assert.equal(await repository.resolve(ref), want, ref);
  await assert.rejects(
    repository.resolve('both'),
    trouble('unknown', /a branch and a tag both: say refs\/heads\/both/),
  );
  await assert.rejects(repository.resolve('nothing'), trouble('unknown', /has nothing called nothing/));
  await assert.rejects(repository.resolve('main~9'), trouble('unknown', /does not go so far/));
  await assert.rejects(repository.resolve('f'.repeat(40)), trouble('unknown', /has nothing called f/));
});

test('a branch that is not there, a repository that is not there: said with what to do', async () => {
  const origin = world.bare('branchless.git');
  await assert.rejects(opened(origin).fetch(), trouble('unknown', /has no branch main. Is the branch there\?/));
  await assert.rejects(
    opened(join(world.dir, 'none.git')).fetch(),
    trouble('away', /cannot ask for refs\/heads\/main of .*none\.git: .*Is the address right/),
  );
});

test('what was never fetched is told as such', async () => {
  const repository = opened(join(world.dir, 'unfetched.git'));
  const id = 'a'.repeat(40);
  await assert.rejects(
    loadCommit(repository, id, { today }),
    trouble('unreadable', /cannot be read: git does not start/),
  );
  await assert.rejects(repository.since(id, id), trouble('unknown', /has no commit a{40} as far as it was fetched/));
  const origin = world.bare('empty-name.git');
  world.commit(origin, specs);
  await opened(origin).fetch();
  await assert.rejects(loadCommit(opened(origin), id, { today }), trouble('unknown', /has no commit a{40}/));
  await assert.rejects(loadCommit(opened(origin), 'HEAD', { today }), RangeError);
});

test('a torn mirror is made anew, by the fetch or by the one after a read that found it', async () => {
  const origin = world.bare('torn.git');
  const head = world.commit(origin, specs);
  const repository = opened(origin);
  await repository.fetch();
  const { mirror } = repository;
  rmSync(join(mirror, 'objects'), { recursive: true });
  assert.equal(await opened(origin).fetch(), head, 'by the fetch, which did not find its own head');

  const blob = world.git(origin, ['rev-parse', 'HEAD:specs/estate.yaml']);
  for (const name of readdirSync(join(mirror, 'objects/pack'))) {
    const pack = readFileSync(join(mirror, 'objects/pack', name));
    rmSync(join(mirror, 'objects/pack', name));
    if (name.endsWith('.pack')) world.git(mirror, ['unpack-objects', '-q'], pack);
  }
  rmSync(join(mirror, 'objects', blob.slice(0, 2), blob.slice(2)));
  const torn = opened(origin);
  await torn.fetch();
  await assert.rejects(
    loadCommit(torn, head, { today }),
    trouble('unreadable', /our copy of .* cannot be read: .* missing/),
  );
  assert.equal(await torn.fetch(), head);
  assert.deepEqual((await loadCommit(torn, head, { today })).problems, []);
  writeFileSync(join(mirror, 'HEAD'), 'nonsense');
  assert.equal(await opened(origin).fetch(), head);
  assert.deepEqual((await loadCommit(opened(origin), head, { today })).problems, []);
});

test('a lock that a process left behind does not hold up the fetch for good', async () => {
  const origin = world.bare('locked.git');
  world.commit(origin, specs);
  await opened(origin).fetch();
  writeFileSync(join(opened(origin).mirror, 'packed-refs.lock'), '');
  const head = world.commit(origin, { 'a.txt': '2' });
  assert.equal(await opened(origin).fetch(), head);
});

test('what cannot be fetched is tried anew, then left alone for longer and longer; what was there stays', async () => {
  const origin = world.bare('bad.git');
  const good = world.commit(origin, specs);
  const { PATH, lines } = world.watched();
  let now = 0;
  const repository = opened(origin, { now: () => now, env: { PATH } });
  await repository.fetch();
  const blob = world.git(origin, ['rev-parse', `${good}:README.md`]);
  const entry = Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]);
  const tree = world.git(origin, ['hash-object', '-w', '-t', 'tree', '--stdin', '--literally'], entry);
  const bad = world.git(origin, ['commit-tree', tree, '-p', good, '-m', 'bad']);
  world.git(origin, ['update-ref', 'refs/heads/main', bad]);
  lines();
  const fetches = async (): Promise<number> => {
    await assert.rejects(repository.fetch(), trouble('away', /cannot fetch refs\/heads\/main of .*git fsck/));
    return lines().filter((line) => / fetch /.test(line)).length;
  };
  assert.equal(await fetches(), 2, 'into the mirror, and into another one');
  assert.deepEqual((await loadCommit(repository, good, { today })).problems, [], 'the mirror stays as it was');
  const rows = [
    [14_999, 0],
    [1, 1],
    [29_999, 0],
    [1, 1],
    [1_000_000, 2],
  ] as const;
  for (const [wait, want] of rows) {
    now += wait;
    assert.equal(await fetches(), want, `${wait} ms later`);
  }
  world.git(origin, ['update-ref', 'refs/heads/main', good]);
  assert.equal(await repository.fetch(), good);
  const left = readdirSync(join(world.dir, 'mirrors')).filter((name) => name.includes('.'));
  assert.deepEqual(left, [], 'nothing is left beside the mirrors');
});

test('what a process left behind that was killed in a fetch is removed after a day', async () => {
  const origin = world.bare('left.git');
  const head = world.commit(origin, specs);
  const { mirror } = opened(origin);
  await opened(origin).fetch();
  const left = [`${mirror}.5c1`, join(mirror, 'objects/pack/tmp_pack_x'), `${mirror}.new`];
  for (const path of left) writeFileSync(path, '');
  const yesterday = Date.now() / 1000 - 90_000;
  for (const path of left.slice(0, 2)) utimesSync(path, yesterday, yesterday);
  assert.equal(await opened(origin).fetch(), head);
  assert.deepEqual(
    left.map((path) => existsSync(path)),
    [false, false, true],
  );
  rmSync(`${mirror}.new`);
});

test('several processes in one folder of mirrors do not break each other', async () => {
  const origin = world.bare('shared.git');
  world.commit(origin, specs);
  for (const text of ['1', '2', '3']) {
    const head = world.commit(origin, { 'a.txt': text });
    const heads = await Promise.all(Array.from({ length: 4 }, () => opened(origin).fetch()));
    assert.deepEqual(new Set(heads), new Set([head]));
  }
  const refs = world.git(opened(origin).mirror, ['for-each-ref', '--format=%(refname)']).split('\n');
  assert.deepEqual(
    refs.filter((ref) => ref.includes('/own/')),
    [],
    'nothing is left over',
  );
});

test('a fetch is called off by its signal', async () => {
  const origin = world.bare('off.git');
  world.commit(origin, specs);
  const reason = new Error('enough');
  await assert.rejects(opened(origin).fetch(AbortSignal.abort(reason)), reason);
});
