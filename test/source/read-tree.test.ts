import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTree } from '../../src/source/read-tree.ts';
import { treeRules } from '../../src/source/tree-rules.ts';
import type { TreeEntry, TreeSource } from '../../src/source/tree-source.ts';

/** A tree of the same file everywhere; a name that ends with `/` is a folder that holds `inside`. */
const treeOf = (entries: readonly (string | TreeEntry)[], inside: readonly string[] = []): TreeSource => ({
  entries: async (folder) => ({ entries: (folder === '' ? entries : inside).map(entryOf) }),
  file: async (path) => (path.includes('refused') ? { refused: 'so' } : { bytes: Buffer.from('x: 1\n') }),
});

const entryOf = (entry: string | TreeEntry): TreeEntry => {
  if (typeof entry !== 'string') return entry;
  return entry.endsWith('/') ? { name: entry.slice(0, -1), kind: 'folder' } : { name: entry, kind: 'file' };
};

const rows: readonly {
  name: string;
  entries: readonly (string | TreeEntry)[];
  inside?: readonly string[];
  want: readonly string[];
}[] = [
  { name: 'a spec and a folder of specs', entries: ['a.yaml', 'd/'], inside: ['b.json'], want: ['a.yaml', 'd/b.json'] },
  { name: 'what reads as an option', entries: ['--output=x.yaml'], want: ['--output=x.yaml bad-name'] },
  { name: 'a folder that reads as an option', entries: ['-d/'], inside: ['b.yaml'], want: ['-d bad-name'] },
  { name: 'a dash in a file that is no spec', entries: ['a.yaml', '-notes.md'], want: ['a.yaml'] },
  { name: 'a line end in a name', entries: ['a\n.yaml'], want: ['a\ufffd.yaml bad-name'] },
  { name: 'a name that turns the order round', entries: ['a\u202elmay.yaml'], want: ['a\ufffdlmay.yaml bad-name'] },
  { name: 'a name with what does not show', entries: ['a\u200b.yaml'], want: ['a\ufffd.yaml bad-name'] },
  { name: 'a backslash', entries: ['a\\b.yaml'], want: ['a\\b.yaml bad-name'] },
  { name: 'a name too long', entries: [`${'x'.repeat(251)}.yaml`], want: [`${'x'.repeat(251)}.yaml bad-name`] },
  { name: 'a name that stands twice', entries: ['a.yaml', 'a.yaml'], want: ['a.yaml', 'a.yaml twin-file'] },
  { name: 'twins by case', entries: ['a.yaml', 'A.yaml'], want: ['A.yaml', 'a.yaml', 'a.yaml twin-file'] },
  {
    name: 'twins by accent',
    entries: ['\u00e9.yaml', 'e\u0301.yaml'],
    want: ['e\u0301.yaml', '\u00e9.yaml', '\u00e9.yaml twin-file'],
  },
  { name: 'twins by sharp s', entries: ['ss.yaml', 'ß.yaml'], want: ['ss.yaml', 'ß.yaml', 'ß.yaml twin-file'] },
  {
    name: 'the schemas of two trees',
    entries: ['schema.json', '@web/'],
    inside: ['schema.json', 'a.yaml'],
    want: ['@web/a.yaml'],
  },
  { name: 'a file that is refused', entries: ['refused.yaml'], want: ['refused.yaml unreadable'] },
];

for (const { name, entries, inside = [], want } of rows) {
  test(`tree: ${name}`, async () => {
    const { files, problems } = await readTree(treeOf(entries, inside));
    assert.deepEqual([...files.map(({ path }) => path), ...problems.map(({ at, code }) => `${at.file} ${code}`)], want);
  });
}

const most = (change: Partial<typeof treeRules.most>) => ({ ...treeRules, most: { ...treeRules.most, ...change } });

test('tree: a folder that holds itself ends by its depth, many files and entries by their count, each told once', async () => {
  const told = async (rules: typeof treeRules, entries: readonly string[], inside: readonly string[]) =>
    (await readTree(treeOf(entries, inside), rules)).problems.map(({ code }) => code);
  assert.deepEqual(await told(most({ folderDepth: 3 }), ['a.yaml', 'd/'], ['d/']), ['tree-too-deep']);
  assert.deepEqual(await told(most({ files: 2 }), ['d/', 'e/'], ['a.yaml', 'b.yaml', 'c.yaml']), ['tree-too-large']);
  assert.deepEqual(await told(most({ entries: 9 }), ['d/'], ['a/', 'b/', 'c/']), ['tree-too-large']);
});
