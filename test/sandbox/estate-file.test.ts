import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startSandbox } from '../../sandbox/index.ts';

test('the file of docs/sandbox-accounts.md fills the accounts of three clouds', async () => {
  const text = readFileSync(new URL('../../docs/sandbox-accounts.md', import.meta.url), 'utf8');
  const [, json = ''] = /```json\n([\s\S]*?)```/.exec(text) ?? [];
  const sandbox = await startSandbox({ estate: JSON.parse(json) });
  try {
    const { ec2, compute, arm } = sandbox.control;
    const region = ec2.region('111122223333', 'eu-west-1');
    assert.equal(region.images.get('ami-0bbbbbbbbbbbbbbbb')?.ownerId, '999988887777');
    assert.equal(
      compute.project('acme-prod').images.get('global/images/web-1')?.metadata.deprecated?.state,
      'DEPRECATED',
    );
    assert.equal(compute.project('somebody').images.get('global/images/free-web')?.name, 'free-web');
    const subscription = arm.subscription('11112222-3333-4444-8555-666677778888');
    assert.equal(subscription.platformVersions.at(-1)?.publisher, 'somebody');
  } finally {
    await sandbox.close();
  }
});
