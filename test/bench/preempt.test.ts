import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { preempt } from '../../bench/preempt.ts';

test('a rule goes ahead of launches that wait', async () => {
  const [figure] = await preempt({ times: 1, machines: 1300 });
  assert.equal(figure?.name, 'preempt');
  assert.match(figure.unit, /^s at p95 of 1, \d+ launches still waiting$/);
  assert.ok(figure.value > 0);
});

test('six seconds are too many', () => {
  assert.equal(missed({ name: 'preempt', value: 6, unit: 's' }), 'preempt: value 6 is over 5');
});
