import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Creation } from '../../../src/ports/provider.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { actionsOf, type Estate, groupOf, listOf, makeEstate, must, ruleOf } from './estate.ts';

let estate: Estate;
let closed: Creation<'group'>;
beforeEach(async () => {
  estate = await makeEstate();
  closed = groupOf('core.shut', estate.network.id, { defaultEgress: 'deny' });
});
afterEach(() => estate.stage.close());

const create = async (call = recordedCall()) => (await estate.session.actuators.group.create([closed], call))[0];
const egressOf = async (group: CloudId): Promise<number> =>
  (await listOf(estate.session, 'firewall-rule')).filter(
    ({ attributes }) => attributes.group === group && attributes.match.direction === 'egress',
  ).length;

describe('a group whose egress could not be closed', () => {
  const rows = [
    { name: 'throttled', effect: { kind: 'throttle' }, failure: 'retryable' },
    { name: 'a server error', effect: { kind: 'error', code: 'InternalError', status: 500 }, failure: 'retryable' },
    {
      name: 'not yet known',
      effect: { kind: 'error', code: 'InvalidGroup.NotFound', status: 400 },
      failure: 'retryable',
    },
    { name: 'denied', effect: { kind: 'access-denied' }, failure: 'ambiguous' },
    { name: 'lost on the way', effect: { kind: 'reset-before' }, failure: 'ambiguous' },
    { name: 'done, and the answer lost', effect: { kind: 'reset-after' }, failure: 'ambiguous' },
  ] as const;
  for (const { name, effect, failure } of rows) {
    test(`is not made yet: ${name}; the same creation again finds it and closes it`, async () => {
      estate.stage.sandbox.control.faults.add({ match: { action: 'RevokeSecurityGroupEgress', times: 1 }, effect });
      const first = await create();
      assert.equal(first?.ok === false && first.failure.kind, failure);
      const { id } = must(await create());
      assert.equal(await egressOf(id), 0);
      assert.equal((await listOf(estate.session, 'group')).filter((group) => group.name === 'core-shut').length, 1);
    });
  }

  test('is not made yet where the reconcile stopped in between', async () => {
    const call = recordedCall(undefined, ({ action }) => {
      if (action === 'RevokeSecurityGroupEgress') throw new Error('the lease is lost');
    });
    const first = await create(call);
    assert.equal(first?.ok === false && first.failure.kind, 'ambiguous');
    assert.equal(await egressOf(must(await create()).id), 0);
  });
});

test('a group with open egress takes one call', async () => {
  closed = groupOf('core.open', estate.network.id);
  assert.equal(await egressOf(must(await create()).id), 1);
  assert.deepEqual(actionsOf(estate.stage), ['CreateSecurityGroup', 'DescribeSecurityGroups']);
});

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
      /^The maximum number of rules per security group has been reached\. Setpoint adds new rules of a group/,
    );
    assert.match(message, /the old ones stay\. Raise the quota .*L-0EA8095F.* Or put the new rules into another group/);
  } finally {
    await estate.stage.close();
  }
});
