import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { keptTree } from '../../src/estate/load.ts';
import { parseKept } from '../../src/source/kept-tree.ts';
import { loadSpecs } from '../../src/source/load.ts';

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
    const kept = parseKept(JSON.parse(JSON.stringify(keptTree(loaded))), loaded.revision, today);
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
  const tree = parseKept({ specs, userData: [] }, 'git:x', '2027-01-31');
  assert.equal(tree.estate?.value.metadata.name, 'acme');
});
