import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keptSource } from '../../src/source/kept-source.ts';

const keeping = (paths: readonly string[]) =>
  keptSource({ files: paths.map((path) => ({ path, text: path })), userData: new Map() });

describe('a tree that was read before', () => {
  const source = keeping(['all.yaml', 'a/one.yaml', 'a/b/two.yaml', 'a/b/three.yaml']);
  const namesIn = async (folder: string) =>
    (await source.entries(folder)).entries?.map(({ name, kind }) => `${kind} ${name}`);

  it('lists what lies in each folder, and nothing in what is none', async () => {
    assert.deepEqual(await namesIn(''), ['file all.yaml', 'folder a']);
    assert.deepEqual(await namesIn('a'), ['file one.yaml', 'folder b']);
    assert.deepEqual(await namesIn('a/b'), ['file two.yaml', 'file three.yaml']);
    for (const none of ['all.yaml', 'b', 'a/c', 'a/one.yaml/b']) assert.deepEqual(await namesIn(none), [], none);
  });

  it('costs no more than it has names, however deep they lie', async () => {
    const depth = 200_000;
    // why: a text for each folder would be 40 GB, which ends the process on any machine. Nothing is timed.
    const { entries } = keeping([`${'a/'.repeat(depth)}all.yaml`]);
    assert.deepEqual(await entries('a/'.repeat(depth).slice(0, -1)), { entries: [{ name: 'all.yaml', kind: 'file' }] });
  });
});
