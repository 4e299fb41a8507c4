import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSpecs } from '../../src/source/load.ts';

const specs = join(import.meta.dirname, '../../specs');

test('the example estate is sound, and has no warnings either', async () => {
  const { documents, estate, problems, userData } = await loadSpecs(specs, '2026-11-21');
  assert.deepEqual(problems, []);
  assert.equal(estate?.value.metadata.name, 'acme');
  assert.deepEqual(
    documents.map(({ value }) => `${value.kind} ${value.metadata.name}`),
    [
      'Estate acme',
      'Target aws-prod',
      'Target gcp-prod',
      'Target azure-prod',
      'Instance web',
      'Instance db',
      'Network core',
      'FirewallRule web-https',
      'FirewallRule office-ssh',
      'FirewallRule web-to-db',
    ],
  );
  assert.deepEqual([...userData.keys()], ['web.sh']);
});
