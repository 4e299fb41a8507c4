import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './until.ts';

test('until: looks as often as it takes, and fails by name where it never is so', async () => {
  let looks = 0;
  await until('the third look', async () => ++looks === 3);
  assert.equal(looks, 3);
  await assert.rejects(
    until('a miracle', () => false, 20),
    { message: 'not within 0.02 s: a miracle' },
  );
});
