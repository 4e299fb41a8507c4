import assert from 'node:assert/strict';
import { it, test } from 'node:test';
import { baseRevision, fieldPath, overlap } from '../../src/core/patch.ts';
import { shortRevision } from '../../src/core/render/wording.ts';
import { parseGitRevision } from '../../src/source/git/refs.ts';
import { parseValue } from '../../src/source/parse-specs.ts';

for (const [given, path] of [
  ['size', ['spec', 'size']],
  ['spec.disk.size', ['spec', 'disk', 'size']],
  ['on.aws-prod.size', ['spec', 'on', 'aws-prod', 'size']],
  ['labels.tier', ['metadata', 'labels', 'tier']],
  ['metadata.labels.app.io/name', ['metadata', 'labels', 'app.io/name']],
] as const)
  it(`${given} is a field`, () => assert.deepEqual(fieldPath(given).path, path));

for (const given of [
  ...['', 'spec', 'metadata', 'labels', 'size.', 'subnets[0].cidr', 'on', 'on.aws-prod', 'owner.x.', 'kind.'],
  ...['metadata.name', 'metadata.was', 'metadata.adopt.here', 'metadata.owner', 'labels.'],
  ...[
    'mode',
    'protect',
    'spec.protect',
    'deletionPolicy',
    'ignore',
    'rollout',
    'rollout.canary',
    'remediation',
    'replace',
    'filter',
    'allGroup',
    'on.here.on.x',
    'minReady',
    'rules',
    'names.here',
  ],
  ...[
    'targets',
    'network',
    'image',
    'userData.file',
    'access.user',
    'identity',
    'on.aws-prod.image',
    'on.aws-prod.identity',
  ],
])
  it(`${given} is none that a patch sets`, () => assert.equal(typeof fieldPath(given).refused, 'string'));

test('two fields overlap where one holds the other', () => {
  const of = (...path: readonly string[]) => ({ path, value: 1 });
  assert.ok(overlap(of('spec', 'size'), of('spec', 'size')));
  assert.ok(overlap(of('spec', 'disk'), of('spec', 'disk', 'size')));
  assert.ok(!overlap(of('spec', 'disk', 'type'), of('spec', 'disk', 'size')));
});

test('a revision with patches is that of its specs', () => {
  const git = `git:${'a'.repeat(40)}+web=${'b'.repeat(40)}@prod`;
  assert.equal(baseRevision(`${git}~0123456789ab`), git);
  assert.deepEqual(parseGitRevision(`${git}~0123456789ab`), parseGitRevision(git));
  assert.equal(shortRevision(`${git}~0123456789ab`), `${shortRevision(git)}, patched`);
});

test('a value is what a field of a spec would be', () => {
  assert.deepEqual(parseValue('[443, 8000-8100]'), { value: [443, '8000-8100'] });
  assert.deepEqual(parseValue('{ size: 20 }'), { value: { size: 20 } });
  assert.deepEqual(parseValue('null'), { value: null });
  for (const text of ['[1', '&a 1', '*a', '1\nb: 2', '{ a: 1, a: 2 }']) assert.equal(parseValue(text), undefined, text);
});
