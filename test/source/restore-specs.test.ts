import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { restoredSpecs } from '../../src/source/restore-specs.ts';
import { parseStored } from '../../src/source/stored-tree.ts';

const document = (kind: string, name: string, spec: string): string =>
  `apiVersion: setpoint.dev/v1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
const estate = document('Estate', 'acme', '{ mode: plan }');
const network = document('Network', 'core', '{ targets: [here], cidr: 10.0.0.0/16 }');
const web = `# The site.\n${document('Instance', 'web', '{ targets: [here], network: core, subnet: app }')}`;
const db = document('Instance', 'db', '{ targets: [here], network: core, subnet: app }');
const https = document('FirewallRule', 'https', '{ network: core, protocol: tcp, ports: [443], peers: { any: true } }');

const tree = (files: Readonly<Record<string, string>>, scripts: Readonly<Record<string, string>> = {}) =>
  parseStored(
    {
      specs: Object.entries(files).map(([path, text]) => ({ path, text })),
      userData: Object.entries(scripts).map(([path, text]) => ({ path, base64: Buffer.from(text).toString('base64') })),
    },
    'r1',
    '2026-01-01',
  );

describe('all files', () => {
  it('come back, change back and go; those of teams stay', () => {
    const then = tree({ 'a.yaml': estate, 'b.yaml': web, '@web/c.yaml': db }, { 'web.sh': 'run' });
    const now = tree({ 'a.yaml': `${estate}# more\n`, 'd.yaml': db });
    const { files, documents } = restoredSpecs(then, now, undefined);
    assert.deepEqual(files, [
      { path: 'a.yaml', before: `${estate}# more\n`, after: estate },
      { path: 'b.yaml', after: web },
      { path: 'd.yaml', before: db },
      { path: 'web.sh', after: 'run' },
    ]);
    assert.ok(documents.back.includes('Instance web'));
  });

  it('but no patch that held then: it is no file of the specs', () => {
    const then = tree({ 'a.yaml': estate, 'b.yaml': web });
    const patched = { ...then, files: [...then.files, { path: 'patch #1', text: '{}' }] };
    assert.deepEqual(restoredSpecs(patched, then, undefined).files, []);
  });

  it('of an empty folder all come back', () => {
    const then = tree({ 'a.yaml': estate, 'b.yaml': web });
    assert.deepEqual(
      restoredSpecs(then, { files: [], userData: new Map(), documents: [] }, undefined).files.map(({ path }) => path),
      ['a.yaml', 'b.yaml'],
    );
  });
});

describe('some documents', () => {
  const named = new Set(['instance web', 'firewall-rule core.https']);

  it('change back where they stand, come back in their file, or go; all others stay', () => {
    const changed = web.replace('subnet: app', 'subnet: other');
    const then = tree({ 'a.yaml': `${estate}---\n${network}`, 'b.yaml': `${web}---\n${https}`, 'c.yaml': db });
    const now = tree({ 'a.yaml': estate, 'b.yaml': `${db}---\n${changed}` });
    const { files, documents } = restoredSpecs(then, now, named);
    assert.deepEqual(files, [
      { path: 'b.yaml', before: `${db}---\n${changed}`, after: `${db}---\n${web}---\n${https}` },
    ]);
    assert.deepEqual(documents, {
      back: ['FirewallRule core.https'],
      changed: ['Instance web'],
      gone: [],
    });
    const none = restoredSpecs(tree({ 'a.yaml': estate }), now, named);
    assert.deepEqual(none.files, [{ path: 'b.yaml', before: `${db}---\n${changed}`, after: db }]);
    assert.deepEqual(none.documents.gone, ['Instance web']);
  });

  it('a file that cannot be cut is refused', () => {
    const json = {
      apiVersion: 'setpoint.dev/v1',
      kind: 'Instance',
      metadata: { name: 'web' },
      spec: { network: 'core' },
    };
    const text = `${JSON.stringify(json)}\n`;
    assert.doesNotThrow(() => restoredSpecs(tree({ 'a.json': text }), tree({}), named));
  });
});
