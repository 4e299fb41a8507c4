import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { authorsBetween } from '../../../src/bootstrap/sources.ts';
import { authorsOf } from '../../../src/source/git/history.ts';
import { gitFolder } from './support/git-folder.ts';

interface Made {
  readonly author: string;
  readonly committer?: string;
  readonly message?: string;
  readonly merges?: string;
}

const folder = gitFolder();
after(() => folder.remove());
const mirror = folder.bare('infra.git');

/** Each on the branch after the one before. Answers with its name. */
function commit(
  branch: string,
  { author, committer = author, message = 'a change', merges }: Made,
  from?: string,
): string {
  const lines = [
    `commit refs/heads/${branch}`,
    `author Somebody <${author}> 1767225600 +0000`,
    `committer Somebody <${committer}> 1767225600 +0000`,
    `data ${Buffer.byteLength(message)}`,
    message,
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(merges === undefined ? [] : [`merge ${merges}`]),
    `M 100644 inline a-${Math.random()}.yaml`,
    'data 1',
    'a',
    '',
  ];
  folder.git(mirror, ['fast-import', '--quiet', '--force'], lines.join('\n'));
  return folder.git(mirror, ['rev-parse', `refs/heads/${branch}`]);
}

const first = commit('main', { author: 'root@acme.example' });
const second = commit('main', { author: 'Ada@acme.example', committer: 'noreply@forge.example' }, first);
const aside = commit('aside', { author: 'eve@acme.example' }, first);
const third = commit(
  'main',
  {
    author: 'bob@acme.example',
    message: 'with others\n\nCo-authored-by: Mia <mia@acme.example>\nco-Authored-By: Tom <tom@acme.example>\n',
    merges: aside,
  },
  second,
);

describe('the authors of commits', () => {
  it('are all whom they name: authors, committers, co-authors, and those of what a merge brings', async () => {
    const { names, more } = await authorsOf({ mirror, from: first, to: third });
    assert.deepEqual(
      [names.toSorted(), more],
      [
        [
          'Ada@acme.example',
          'bob@acme.example',
          'eve@acme.example',
          'mia@acme.example',
          'noreply@forge.example',
          'tom@acme.example',
        ],
        false,
      ],
    );
  });

  it('of all its history, where nothing was in force, or what was is gone', async () => {
    assert.ok((await authorsOf({ mirror, to: third })).names.includes('root@acme.example'));
    assert.ok((await authorsOf({ mirror, from: 'f'.repeat(40), to: third })).names.includes('root@acme.example'));
  });

  it('are not all known where git cannot say', async () => {
    assert.deepEqual(await authorsOf({ mirror, from: first, to: 'e'.repeat(40) }), { names: [], more: true });
  });

  it('are not all known where one has no address', async () => {
    const hidden = commit('hidden', { author: '', committer: 'bob@acme.example' }, first);
    assert.deepEqual(await authorsOf({ mirror, from: first, to: hidden }), { names: ['bob@acme.example'], more: true });
    const unsaid = commit('unsaid', { author: 'bob@acme.example', committer: ' ' }, first);
    assert.equal((await authorsOf({ mirror, from: first, to: unsaid })).more, true);
  });

  it('are not what a mailmap in the tree says', async () => {
    const mapped = commit('mapped', { author: 'ada@acme.example' }, first);
    const file = ['commit refs/heads/mapped', 'committer Eve <eve@acme.example> 1767225600 +0000', 'data 1', 'm'];
    const map = 'Eve <innocent@acme.example> <ada@acme.example>';
    const inline = [`from ${mapped}`, 'M 100644 inline .mailmap', `data ${map.length}`, map, ''];
    folder.git(mirror, ['fast-import', '--quiet', '--force'], [...file, ...inline].join('\n'));
    const head = folder.git(mirror, ['rev-parse', 'refs/heads/mapped']);
    folder.git(mirror, ['symbolic-ref', 'HEAD', 'refs/heads/mapped']);
    const { names } = await authorsOf({ mirror, from: first, to: head });
    assert.deepEqual(names.toSorted(), ['ada@acme.example', 'eve@acme.example']);
  });

  it('of a revision are those of all its repositories; of one that is not followed nobody can say', async () => {
    const both = `git:${second}+web=${third}`;
    const known = await authorsBetween(both, `git:${first}+web=${second}`, () => ({ mirror }));
    assert.ok(known.names.includes('Ada@acme.example') && known.names.includes('bob@acme.example') && !known.more);
    const only = await authorsBetween(both, `git:${first}`, (team) => (team === undefined ? { mirror } : undefined));
    assert.deepEqual([only.more, only.names.includes('Ada@acme.example')], [true, true]);
    assert.equal((await authorsBetween('folder:1', undefined, () => ({ mirror }))).more, true);
  });
});
