import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedCall } from '../../support/fixtures.ts';
import { makeEstate, must, ruleOf } from './estate.ts';

test('a full group of rules: why there is no room although others are to go, and what to do', async () => {
  const estate = await makeEstate();
  const create = (ports: readonly number[]) =>
    estate.session.actuators['firewall-rule'].create(
      ports.map((port) => ruleOf(estate, { ports: `${port}` })),
      recordedCall(),
    );
  try {
    const full = Array.from({ length: 60 }, (_, n) => 5000 + n);
    (await create(full)).map(must);
    const [refused] = await create([6000]);
    assert.ok(refused && !refused.ok);
    const { code, kind, quota, message } = refused.failure;
    assert.deepEqual([code, kind, quota], ['RulesPerSecurityGroupLimitExceeded', 'terminal', true]);
    assert.match(
      message,
      /^The maximum number of rules per security group has been reached\. New rules of a group are added/,
    );
    assert.match(message, /the old ones stay\. Raise the quota .*L-0EA8095F.* Or put the new rules into another group/);
  } finally {
    await estate.stage.close();
  }
});
