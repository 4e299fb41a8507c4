import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { secondReconcile } from '../../bench/second-pass.ts';
import { account, region } from '../../bench/world/stage.ts';

test('a reconcile right after convergence changes nothing', async () => {
  const [figure] = await secondReconcile(1);
  assert.equal(figure?.value, 0);
});

test('a description that somebody changed is changed back, and counted', async () => {
  const [figure] = await secondReconcile(1, ({ ec2, clock }) => {
    const { groups, rules } = ec2.region(account, region);
    const ours = [...groups.values()].filter(({ tags }) => tags.has('setpoint:estate'));
    const [rule] = ours.flatMap(({ id }) => [...rules.of(id)]);
    if (rule) rules.put({ ...rule, description: 'somebody was here' });
    clock.advance(2000);
  });
  assert.equal(figure?.value, 1);
  assert.match(figure === undefined ? '' : (missed(figure) ?? ''), /second-pass: value 1 is over 0/);
});
