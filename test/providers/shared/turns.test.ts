import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapInTurns } from '../../../providers/shared/turns.ts';

test('items that take long are made in order, and others have their turn between them', async () => {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    ticking = setImmediate(count);
  };
  let ticking = setImmediate(count);
  try {
    assert.deepEqual(await mapInTurns([1, 2, 3, 4], longWork), [10, 20, 30, 40]);
    assert.ok(turns >= 3, `${turns} turns`);
  } finally {
    clearImmediate(ticking);
  }
});

/** Longer than a turn is. */
function longWork(item: number): number {
  const until = performance.now() + 10;
  while (performance.now() < until);
  return item * 10;
}
