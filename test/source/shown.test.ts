import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadTree } from '../../src/source/load.ts';
import type { TreeSource } from '../../src/source/tree-source.ts';

const hostile = '\u001b]0;mine\u0007\u202e\u200b\u009b2J\u2028\ud800';
const unseen = /[^\P{C}\t]|[\u2028\u2029]/u;

test('what problems tell of a tree moves no cursor and turns no text round: names of files, and lines', async () => {
  const tree: TreeSource = {
    entries: async (folder) => ({
      entries:
        folder === ''
          ? [
              { name: `${hostile}.yaml`, kind: 'file' },
              { name: hostile, kind: 'symlink' },
              { name: 'text.yaml', kind: 'file' },
            ]
          : [],
    }),
    file: async () => ({ bytes: Buffer.from(`kind:\tx\nb: "${hostile}"\n`) }),
  };
  const { problems } = await loadTree(tree, { today: '2026-01-01' });
  assert.deepEqual(problems.map(({ code }) => code).sort(), ['bad-character', 'bad-name', 'no-estate', 'symlink']);
  for (const problem of problems) assert.doesNotMatch(Object.values({ ...problem, ...problem.at }).join(' '), unseen);
  assert.match(problems.find(({ code }) => code === 'bad-character')?.source ?? '', /^b: "\ufffd\]0;mine\ufffd/);
});
