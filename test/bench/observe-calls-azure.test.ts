import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { observeCallsAzure } from '../../bench/observe-calls-azure.ts';

const small = { networks: 2, subnets: 3, rules: 4, groups: 2, machines: 3 };

test('a subscription is seen in a page a listing, machines in two, a call a network in use, and one to ask whose it is', async () => {
  const [figure] = await observeCallsAzure(small);
  assert.deepEqual(figure, { name: 'observe-calls-azure', value: 11, unit: 'calls', floor: 11, ratio: 1 });
});

test('a call a disk is over the floor', async () => {
  const [figure] = await observeCallsAzure(small, ({ faults }) =>
    faults.add({ match: { action: 'disks.list' }, effect: { kind: 'short-page', items: 1 } }),
  );
  assert.equal(figure?.value, 11 + 6 - 1);
  assert.match(figure === undefined ? '' : (missed(figure) ?? ''), /observe-calls-azure: ratio 1\.4\d+ is over 1/);
});

test('a throttle answered is no figure', async () => {
  const throttled = observeCallsAzure(small, ({ faults }) =>
    faults.add({ match: { action: 'virtualNetworks.listAll', times: 1 }, effect: { kind: 'throttle' } }),
  );
  await assert.rejects(throttled, /1 calls were refused, first \w+/);
});

test('a machine that is not seen is no figure', async () => {
  const short = observeCallsAzure(small, ({ faults }) =>
    faults.add({ match: { action: 'virtualMachines.listAll' }, effect: { kind: 'flicker', share: 1 } }),
  );
  await assert.rejects(short, /not all could be listed: instance|of 6 were seen: instance/);
});
