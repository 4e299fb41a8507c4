import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queue } from '../../bench/queue.ts';
import { redisMissing } from '../support/redis.ts';

const skip = redisMissing() ?? false;

test('passes are counted on both backends, beside bare BullMQ on the same', { skip, timeout: 300_000 }, async () => {
  const figures = await queue({ redis: 200, postgres: 100 });
  assert.deepEqual(
    figures.map(({ name, unit }) => `${name} ${unit}`),
    ['queue-redis passes/s', 'queue-postgres passes/s'],
  );
  for (const { name, value, floor = 0, ratio = 0 } of figures) {
    assert.ok(value > 0 && floor > 0, name);
    assert.ok(Math.abs(ratio - value / floor) < 0.02, name);
  }
});
