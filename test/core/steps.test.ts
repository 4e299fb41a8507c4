import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finish, flatMapInSteps, type Steps } from '../../src/core/steps.ts';

function countSteps(steps: Steps<unknown>): number {
  let count = 0;
  while (!steps.next().done) count += 1;
  return count;
}

test('steps give what is made at once, in its order', () => {
  const items = Array.from({ length: 1_001 }, (_, i) => i);
  const twice = (item: number): readonly number[] => (item % 3 === 0 ? [] : [item, -item]);
  assert.deepEqual(finish(flatMapInSteps(items, twice)), items.flatMap(twice));
});

test('work may be done between them', () => {
  const items = Array.from({ length: 1_000 }, (_, i) => i);
  const made: number[] = [];
  const steps = flatMapInSteps(items, (item) => [made.push(item)], 100);
  steps.next();
  assert.equal(made.length, 100);
  assert.equal(countSteps(steps), 9);
  assert.equal(made.length, 1_000);
});

test('no item needs no step', () => {
  assert.equal(countSteps(flatMapInSteps([], () => [1])), 0);
});
