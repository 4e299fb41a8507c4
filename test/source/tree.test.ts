import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { folderTree } from '../../src/source/folder.ts';
import { limits } from '../../src/source/limits.ts';
import { loadSpecs, loadTree } from '../../src/source/load.ts';
import { readTree, type TreeEntry, type TreeSource, treeRules } from '../../src/source/tree.ts';

const made: string[] = [];
after(() => {
  for (const dir of made) rmSync(dir, { recursive: true });
});

/** A folder with these files; `->x` makes a symlink to x. */
function folder(files: Readonly<Record<string, string | Buffer>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'setpoint-folder-'));
  made.push(dir);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    if (typeof content === 'string' && content.startsWith('->')) symlinkSync(content.slice(2), join(dir, path));
    else writeFileSync(join(dir, path), content);
  }
  return dir;
}

const estate = 'apiVersion: setpoint.dev/v1\nkind: Estate\nmetadata: { name: acme }\nspec: {}\n';
const target =
  'apiVersion: setpoint.dev/v1\nkind: Target\nmetadata: { name: m }\nspec: { provider: memory, account: a, region: r }\n';
const network =
  'apiVersion: setpoint.dev/v1\nkind: Network\nmetadata: { name: core }\nspec: { targets: [m], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.0.0/24 }] }\n';
const instance = (file: string): string =>
  `apiVersion: setpoint.dev/v1\nkind: Instance\nmetadata: { name: web }\nspec: { targets: [m], network: core, subnet: app, image: i, size: s, userData: { file: ${file} } }\n`;
const today = '2027-01-31';

test('folder: files come sorted by path, hidden ones, schemas and other files do not come', async () => {
  const dir = folder({
    'b.yaml': 'x: 1',
    'a/z.yml': 'x: 1',
    'a.json': '{}',
    'B.yaml': 'x: 2',
    'schema.json': '{}',
    'schema.2020-12.json': '{}',
    '.hidden.yaml': 'x: 1',
    '.git/x.yaml': 'x: 1',
    'node_modules/x.yaml': 'x: 1',
    'README.md': '# x',
    'web.sh': 'x',
  });
  const { files, problems } = await readTree(folderTree(dir));
  assert.deepEqual(
    files.map((file) => file.path),
    ['B.yaml', 'a/z.yml', 'a.json', 'b.yaml'],
  );
  assert.deepEqual(
    problems.map((problem) => `${problem.at.file} ${problem.code}`),
    ['b.yaml twin-file'],
  );
});

const refusals: readonly { name: string; files: Readonly<Record<string, string | Buffer>>; want: string }[] = [
  { name: 'an empty folder', files: {}, want: ' empty-tree' },
  { name: 'a folder of other files', files: { 'README.md': 'x' }, want: ' empty-tree' },
  { name: 'a symlink to a file', files: { 'a.yaml': 'x: 1', 'b.yaml': '->a.yaml' }, want: 'b.yaml symlink' },
  { name: 'a symlink to a folder outside', files: { 'a.yaml': 'x: 1', sub: '->/etc' }, want: 'sub symlink' },
  { name: 'a file too large', files: { 'a.yaml': 'x'.repeat(limits.fileBytes + 1) }, want: 'a.yaml unreadable' },
  { name: 'what is not UTF-8', files: { 'a.yaml': Buffer.from([0x61, 0xff, 0xfe]) }, want: 'a.yaml bad-encoding' },
  {
    name: 'folders nested too deep',
    files: { [`${'d/'.repeat(20)}a.yaml`]: 'x: 1' },
    want: `${'d/'.repeat(17).slice(0, -1)} tree-too-deep`,
  },
];

for (const { name, files, want } of refusals) {
  test(`folder refuses ${name}`, async () => {
    const { problems } = await readTree(folderTree(folder(files)));
    assert.deepEqual(
      problems.map((problem) => `${problem.at.file} ${problem.code}`),
      [want],
    );
    assert.ok(problems.every((problem) => problem.severity === 'error'));
  });
}

test('load: a folder that does not exist is an error, never an empty estate', async () => {
  const { documents, estate, problems } = await loadSpecs('/nonexistent/specs', today);
  assert.deepEqual([documents, estate], [[], undefined]);
  assert.ok(problems.some((problem) => problem.severity === 'error'));
});

test('load: user data is read from beside its document, by its hash', async () => {
  const dir = folder({
    'e.yaml': `${estate}---\n${target}---\n${network}`,
    'w/web.yaml': instance('boot/web.sh'),
    'w/boot/web.sh': '#!/bin/sh\n',
  });
  const { problems, userData, estate: found } = await loadSpecs(dir, today);
  assert.deepEqual(problems, []);
  assert.equal(found?.value.metadata.name, 'acme');
  assert.equal(
    userData.get('w/boot/web.sh')?.sha256,
    'a8076d3d28d21e02012b20eaf7dbf75409a6277134439025f282e368e3305abf',
  );
});

const badUserData: readonly { name: string; file: string; files: Readonly<Record<string, string>> }[] = [
  { name: 'a file that is not there', file: 'web.sh', files: {} },
  { name: 'a symlink', file: 'web.sh', files: { 'web.sh': '->/etc/hostname' } },
  { name: 'a file behind a symlink', file: 'sub/hostname', files: { sub: '->/etc' } },
  { name: 'a file with a twin', file: 'web.sh', files: { 'web.sh': '1', 'Web.sh': '2' } },
  { name: 'a folder', file: 'sub', files: { 'sub/x': '1' } },
  { name: 'a file outside', file: '../x', files: {} },
  { name: 'an absolute path', file: '/etc/hostname', files: {} },
  { name: 'a file too large', file: 'web.sh', files: { 'web.sh': 'x'.repeat(limits.userDataBytes + 1) } },
];

for (const { name, file, files } of badUserData) {
  test(`load refuses user data in ${name}`, async () => {
    const dir = folder({ 'e.yaml': `${estate}---\n${target}---\n${network}---\n${instance(file)}`, ...files });
    const { problems, userData } = await loadSpecs(dir, today);
    assert.ok(problems.some((problem) => problem.severity === 'error'));
    assert.equal(userData.size, 0);
  });
}

const strange: readonly { name: string; at: string; file: string; told: string }[] = [
  { name: "the estate's", at: '@web/i.yaml', file: '../web.sh', told: '`spec.userData.file` is "../web.sh"' },
  {
    name: "a team's, for the estate",
    at: 'i.yaml',
    file: '@web/web.sh',
    told: 'the file "@web/web.sh" is not read: it lies in the tree of another repository',
  },
];

for (const { name, at, file, told } of strange) {
  test(`load refuses user data in another repository's tree: ${name}`, async () => {
    const files = { 'e.yaml': `${estate}---\n${target}---\n${network}`, 'web.sh': 'x', '@web/web.sh': 'x' };
    const { problems, userData } = await loadSpecs(folder({ ...files, [at]: instance(JSON.stringify(file)) }), today);
    const errors = problems.filter(({ severity }) => severity === 'error');
    assert.deepEqual([errors.map(({ message }) => message), userData.size], [[told], 0]);
  });
}

test('load: the revision is of what was read, and of nothing else', async () => {
  const files = { 'e.yaml': `${estate}---\n${target}---\n${network}---\n${instance('web.sh')}`, 'web.sh': '1' };
  const revision = async (changed: Readonly<Record<string, string>>): Promise<string> =>
    (await loadSpecs(folder({ ...files, ...changed }), today)).revision;
  const first = await revision({});
  assert.match(first, /^folder:[0-9a-f]{64}$/);
  assert.equal(await revision({ 'README.md': 'x' }), first);
  assert.notEqual(await revision({ 'web.sh': '2' }), first, 'user data counts');
  assert.notEqual(await revision({ 'more.yaml': '# nothing' }), first, 'every spec file counts');
});

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
