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
const scripted = document(
  'Instance',
  'web',
  '{ targets: [here], network: core, subnet: app, userData: { file: web.sh } }',
);
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
    assert.deepEqual(documents, { back: ['Instance web'], changed: [], gone: ['Instance db'] });
  });

  it('a document with another script changes', () => {
    const then = tree({ 'a.yaml': scripted }, { 'web.sh': 'old' });
    const { files, documents } = restoredSpecs(then, tree({ 'a.yaml': scripted }, { 'web.sh': 'new' }), undefined);
    assert.deepEqual(files, [{ path: 'web.sh', before: 'new', after: 'old' }]);
    assert.deepEqual(documents.changed, ['Instance web']);
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

  it('scripts of others stay, and edited scripts of theirs are as they were', () => {
    const other = scripted.replace('name: web', 'name: db').replace('web.sh', 'db.sh');
    const then = tree({ 'a.yaml': scripted, 'b.yaml': other }, { 'web.sh': 'old\n---\n\n---\n', 'db.sh': 'old' });
    const edited = tree({ 'a.yaml': scripted, 'b.yaml': other }, { 'web.sh': 'new', 'db.sh': 'new' });
    const { files, documents } = restoredSpecs(then, edited, named);
    assert.deepEqual(files, [{ path: 'web.sh', before: 'new', after: 'old\n---\n\n---\n' }]);
    assert.deepEqual(documents.changed, ['Instance web']);
    const without = restoredSpecs(then, tree({ 'a.yaml': estate }), named);
    assert.deepEqual(
      without.files.map(({ path }) => path),
      ['a.yaml', 'web.sh'],
    );
  });

  it('a script that others name too is refused', () => {
    const other = scripted.replace('name: web', 'name: db');
    const then = tree({ 'a.yaml': scripted, 'b.yaml': other }, { 'web.sh': 'old' });
    const edited = tree({ 'a.yaml': scripted, 'b.yaml': other }, { 'web.sh': 'new' });
    assert.throws(() => restoredSpecs(then, edited, named), /web\.sh is the script of Instance db too/);
  });

  it('a rule without a network has its own name', () => {
    const rule = document(
      'FirewallRule',
      'ssh',
      '{ targets: [here], protocol: tcp, ports: [22], peers: { any: true } }',
    );
    const { documents } = restoredSpecs(tree({ 'a.yaml': rule }), tree({}), new Set(['firewall-rule ssh']));
    assert.deepEqual(documents.back, ['FirewallRule ssh']);
  });

  it('a part of an overlay is refused', () => {
    const part = 'kind: Instance\nmetadata: { name: web }\nspec: { subnet: other }\n';
    const then = tree({ 'a.yaml': web, 'overlays/prod/a.yaml': part });
    assert.doesNotThrow(() => restoredSpecs(then, tree({ 'a.yaml': db, 'overlays/prod/a.yaml': part }), named));
    assert.throws(() => restoredSpecs(then, tree({ 'a.yaml': web }), named), /overlays\/prod\/a\.yaml changed/);
  });

  const json = (name: string) => ({
    apiVersion: 'setpoint.dev/v1',
    kind: 'Instance',
    metadata: { name },
    spec: { targets: ['here'], network: 'core', subnet: 'app' },
  });

  it('a file that cannot be cut is refused', () => {
    const two = tree({ 'a.json': JSON.stringify([json('web'), json('db')]) });
    assert.throws(() => restoredSpecs(two, tree({}), named), /a\.json cannot be cut into its 2 documents/);
  });

  it('a JSON file of one document needs no cut', () => {
    const text = `${JSON.stringify(json('web'))}\n`;
    assert.deepEqual(restoredSpecs(tree({ 'a.json': text }), tree({}), named).files, [{ path: 'a.json', after: text }]);
  });
});
