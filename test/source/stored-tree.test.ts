import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { snapshotOf } from '../../src/estate/load.ts';
import { loadSpecs } from '../../src/source/load.ts';
import { parseStored, storedSource } from '../../src/source/stored-tree.ts';

const keeping = (paths: readonly string[]) =>
  storedSource({ files: paths.map((path) => ({ path, text: path })), userData: new Map() });

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

const today = '2027-01-31';
const specs = `apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme }
spec: {}
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: here }
spec: { provider: memory, account: "1", region: r }
---
apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: core }
spec: { targets: [here], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.1.0/24 }] }
---
apiVersion: setpoint.dev/v1
kind: Instance
metadata: { name: web }
spec: { targets: [here], network: core, subnet: app, image: i, size: s, userData: { file: boot.sh } }
`;

test('a tree that was kept reads as it did from its folder, scripts and revision included', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-kept-'));
  try {
    await writeFile(join(folder, 'all.yaml'), specs);
    await writeFile(join(folder, 'boot.sh'), Buffer.from([0x23, 0x21, 0xc3, 0xbc]));
    const loaded = await loadSpecs(folder, today);
    assert.deepEqual(loaded.problems, []);
    const kept = parseStored(JSON.parse(JSON.stringify(snapshotOf(loaded))), loaded.revision, today);
    assert.equal(kept.revision, loaded.revision);
    assert.deepEqual(
      kept.documents.map(({ value }) => value),
      loaded.documents.map(({ value }) => value),
    );
    assert.deepEqual(kept.estate?.value, loaded.estate?.value);
    assert.deepEqual(kept.files, loaded.files);
    assert.deepEqual([...kept.userData], [...loaded.userData]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the estate is the root, whatever a tree of a team calls one', () => {
  const named = (name: string) => `apiVersion: setpoint.dev/v1\nkind: Estate\nmetadata: { name: ${name} }\nspec: {}\n`;
  const specs = [
    { path: '@web/a.yaml', text: named('theirs') },
    { path: 'estate.yaml', text: named('acme') },
  ];
  const tree = parseStored({ specs, userData: [] }, 'git:x', '2027-01-31');
  assert.equal(tree.estate?.value.metadata.name, 'acme');
});
