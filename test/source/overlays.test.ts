import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { hashesOf } from '../../src/estate/boot-data.ts';
import { snapshotOf } from '../../src/estate/load.ts';
import { loadSpecs } from '../../src/source/load.ts';
import { parseStored } from '../../src/source/stored-tree.ts';

const today = '2027-01-31';
const head = 'apiVersion: setpoint.dev/v1\n';
const files = {
  'all.yaml': [
    `${head}kind: Estate\nmetadata: { name: acme }\nspec: {}\n`,
    `${head}kind: Target\nmetadata: { name: m }\nspec: { provider: memory, account: a, region: r }\n`,
    `${head}kind: Network\nmetadata: { name: core }\nspec: { targets: [m], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.0.0/24 }] }\n`,
    `${head}kind: Instance\nmetadata: { name: web }\nspec: { targets: [m], network: core, subnet: app, image: i, size: s, userData: { file: boot.sh } }\n`,
  ].join('---\n'),
  'boot.sh': 'echo base\n',
  'overlays/prod/machines.yaml':
    'kind: Instance\nmetadata: { name: web }\nspec: { size: xl, userData: { file: boot.sh } }\n',
  'overlays/prod/boot.sh': 'echo prod\n',
  'overlays/staging/machines.yaml': 'kind: Instance\nmetadata: { name: web }\nspec: { size: xs }\n',
  'overlays/broken/machines.yaml': '{{{',
  'overlays/README': 'one for each environment\n',
};

const made: string[] = [];
after(() => {
  for (const dir of made) rmSync(dir, { recursive: true });
});

function folder(more: Readonly<Record<string, string>> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'setpoint-overlays-'));
  made.push(dir);
  for (const [path, text] of Object.entries({ ...files, ...more })) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}

const dir = folder();

async function web(overlay?: string) {
  const tree = await loadSpecs(dir, today, overlay);
  assert.deepEqual(tree.problems, []);
  const document = tree.documents.find(({ value }) => value.kind === 'Instance');
  if (document?.value.kind !== 'Instance') return assert.fail('no instance');
  const { size, userData } = document.value.spec;
  const script = document.at(['spec', 'userData', 'file']).file;
  return { tree, size, script: hashesOf(tree).userData(script, userData?.file ?? '') };
}

test('without an overlay the folder of overlays is passed over, whatever is in it', async () => {
  const { tree, size } = await web();
  assert.deepEqual(
    tree.files.map(({ path }) => path),
    ['all.yaml'],
  );
  assert.deepEqual([size, tree.overlay, tree.revision.length], ['s', undefined, 'folder:'.length + 64]);
});

test('with an overlay it lies over the base, and no other is read', async () => {
  const { tree, size } = await web('prod');
  assert.deepEqual(
    tree.files.map(({ path }) => path),
    ['all.yaml', 'overlays/prod/machines.yaml'],
  );
  assert.deepEqual([size, tree.overlay], ['xl', 'prod']);
  assert.equal((await web('staging')).size, 'xs');
});

test('a script counts from the folder of the spec file that names it', async () => {
  const { tree, script } = await web('prod');
  assert.deepEqual([...tree.userData.keys()], ['overlays/prod/boot.sh']);
  assert.notEqual(script, (await web()).script);
  assert.equal(script, tree.userData.get('overlays/prod/boot.sh')?.sha256);
});

test('each overlay is a revision of its own, though nothing else differs', async () => {
  const same = folder({ 'overlays/a/x.yaml': '# nothing\n', 'overlays/b/x.yaml': '# nothing\n' });
  const revisions = await Promise.all(
    [undefined, 'a', 'b'].map(async (overlay) => (await loadSpecs(same, today, overlay)).revision),
  );
  assert.equal(new Set(revisions.map((revision) => revision.split('@')[0])).size, 3);
  assert.match(revisions[1] ?? '', /^folder:[0-9a-f]{64}@a$/);
});

test('a tree that was kept with its overlay reads as it did from its folder', async () => {
  const { tree } = await web('prod');
  const kept = parseStored(JSON.parse(JSON.stringify(snapshotOf(tree))), tree.revision, today);
  const plain = ({ documents, ...rest }: typeof kept) => ({
    ...rest,
    estate: rest.estate?.value,
    documents: documents.map(({ value, at }) => ({ value, at: at(['spec', 'size']) })),
  });
  assert.equal(kept.overlay, 'prod');
  assert.deepEqual(plain({ ...kept, userData: new Map() }), plain({ ...tree, userData: new Map() }));
  assert.deepEqual([...kept.userData], [...tree.userData]);
});

const missing: readonly { name: string; overlay: string; more?: Readonly<Record<string, string>>; hint: object }[] = [
  { name: 'is not there', overlay: 'live', hint: { expected: 'broken, prod, staging', didYouMean: undefined } },
  { name: 'is called nearly so', overlay: 'prood', hint: { expected: 'broken, prod, staging', didYouMean: 'prod' } },
  {
    name: 'holds no spec',
    overlay: 'empty',
    more: { 'overlays/empty/notes.md': '' },
    hint: { expected: 'broken, empty, prod, staging', didYouMean: 'empty' },
  },
  {
    name: 'has no name of an overlay',
    overlay: 'a@b',
    more: { 'overlays/a@b/x.yaml': '# nothing' },
    hint: { expected: 'broken, prod, staging', didYouMean: undefined },
  },
  { name: 'lies outside', overlay: '../..', hint: { expected: 'broken, prod, staging', didYouMean: undefined } },
];

for (const { name, overlay, more, hint } of missing)
  test(`an overlay that ${name} is an error, never the base alone`, async () => {
    const { problems } = await loadSpecs(folder(more), today, overlay);
    assert.deepEqual(
      problems.map(({ severity, code, at, hint: given }) => ({ severity, code, at, hint: given })),
      [{ severity: 'error', code: 'missing-overlay', at: { file: 'overlays', line: 1, column: 1 }, hint }],
    );
  });

test('a base without an Estate, and no overlay named: it is told which there are', async () => {
  const base = folder({ 'all.yaml': files['all.yaml'].slice(files['all.yaml'].indexOf('---')) });
  const { problems } = await loadSpecs(base, today);
  assert.deepEqual(
    problems.map(({ code, hint }) => `${code}: ${hint?.expected}`),
    [
      'no-estate: exactly one, here or in an overlay that is named: --overlay broken, --overlay prod, --overlay staging',
    ],
  );
});

test('where there are no overlays at all it is told where they would be', async () => {
  const plain = mkdtempSync(join(tmpdir(), 'setpoint-overlays-'));
  made.push(plain);
  writeFileSync(join(plain, 'all.yaml'), files['all.yaml'].replace(', userData: { file: boot.sh }', ''));
  const { problems } = await loadSpecs(plain, today, 'prod');
  assert.deepEqual(
    problems.map(({ hint }) => hint?.expected),
    ['specs in overlays/prod/'],
  );
});
