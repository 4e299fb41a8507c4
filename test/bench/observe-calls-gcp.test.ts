import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { observeCallsGcp } from '../../bench/observe-calls-gcp.ts';

const small = { networks: 2, subnetworks: 3, firewalls: 4, machines: 3 };

test('a project is seen in a page a listing, a call a network in use, and one to ask whose it is', async () => {
  const [figure] = await observeCallsGcp(small);
  assert.deepEqual(figure, { name: 'observe-calls-gcp', value: 9, unit: 'calls', floor: 9, ratio: 1 });
});

test('a call a machine is over the floor', async () => {
  const [figure] = await observeCallsGcp(small, ({ faults }) =>
    faults.add({ match: { action: 'compute.instances.aggregatedList' }, effect: { kind: 'short-page', items: 1 } }),
  );
  assert.equal(figure?.value, 9 + 6 - 1);
  assert.match(figure === undefined ? '' : (missed(figure) ?? ''), /observe-calls-gcp: ratio 1\.5\d+ is over 1/);
});

test('a throttle answered is no figure', async () => {
  const throttled = observeCallsGcp(small, ({ faults }) =>
    faults.add({ match: { action: 'compute.firewalls.list', times: 1 }, effect: { kind: 'throttle' } }),
  );
  await assert.rejects(throttled, /1 calls were refused, first rateLimitExceeded/);
});

test('a machine that is not seen is no figure', async () => {
  const short = observeCallsGcp(small, ({ compute }) => {
    const { instances } = compute.project('acme-prod');
    const [first] = instances.values();
    instances.remove(first?.id ?? '');
  });
  await assert.rejects(short, /5 of 6 were seen: instance/);
});
