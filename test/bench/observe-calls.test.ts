import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { observeCalls } from '../../bench/observe-calls.ts';

const small = {
  networks: 2,
  subnets: 3,
  groups: 3,
  rulesPerGroup: 2,
  machines: { documents: 2, replicas: 3, furnished: true },
  internet: true,
};

test('a scope that stands as wanted is seen in one call a listing, and one to ask whose it is', async () => {
  const [figure] = await observeCalls(small);
  assert.deepEqual(figure, { name: 'observe-calls', value: 9, unit: 'calls', floor: 16, ratio: 9 / 16 });
});

test('a call a machine is over the floor', async () => {
  const [figure] = await observeCalls(small, ({ faults }) =>
    faults.add({ match: { action: 'DescribeInstances' }, effect: { kind: 'short-page', items: 1 } }),
  );
  assert.equal(figure?.value, 9 + 12 - 1);
  assert.match(figure === undefined ? '' : (missed(figure) ?? ''), /observe-calls: ratio 1\.25 is over 1/);
});

test('a throttle answered is no figure', async () => {
  const throttled = observeCalls(small, ({ faults }) =>
    faults.add({ match: { action: 'DescribeSubnets', times: 1 }, effect: { kind: 'throttle' } }),
  );
  await assert.rejects(throttled, /1 calls were refused, first RequestLimitExceeded/);
});

test('a machine that is not seen is no figure', async () => {
  const short = observeCalls(small, ({ ec2 }) => {
    const { instances } = ec2.region('111122223333', 'eu-west-1');
    const [first] = instances.values();
    instances.remove(first?.id ?? '');
  });
  await assert.rejects(short, /all stands as wanted, and yet/);
});
