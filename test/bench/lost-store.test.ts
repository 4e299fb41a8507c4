import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { lostStore } from '../../bench/lost-store.ts';

test('a new store writes nothing before it takes over; what somebody ended meanwhile is made again, and counted', async () => {
  const [second, lost] = await lostStore(['aws-prod'], ({ ec2 }) => {
    const { instances } = ec2.region('111122223333', 'eu-west-1');
    const [first] = instances.values();
    if (first) instances.remove(first.id);
  });
  assert.equal(second?.value, 0);
  assert.equal(lost?.value, 4, 'a machine is gone, and another has come with its disk and its interface');
  assert.match(lost === undefined ? '' : (missed(lost) ?? ''), /lost-store: value 4 is over 0/);
});
