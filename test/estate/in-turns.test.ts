import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Steps } from '../../src/core/steps.ts';
import { inTurns } from '../../src/estate/in-turns.ts';

test('the process does its other work between steps that take long', async () => {
  const order: string[] = [];
  function* steps(): Steps<string> {
    for (const step of ['a', 'b', 'c']) {
      order.push(step);
      setImmediate(() => order.push(`after ${step}`));
      for (const from = performance.now(); performance.now() - from < 11; );
      yield;
    }
    return 'done';
  }
  assert.equal(await inTurns(steps()), 'done');
  assert.deepEqual(order, ['a', 'after a', 'b', 'after b', 'c', 'after c']);
});
