import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { fleetBudget } from '../../bench/fleet-budget.ts';
import { redisMissing } from '../support/redis.ts';

describe('fleet-budget', { skip: redisMissing() }, () => {
  test('eight workers that share a budget are refused nothing, and each gets its part', async () => {
    const figures = await fleetBudget({ seconds: 4, shared: true });
    // In a few seconds what is held back for late requests is much of the budget.
    const judged = figures.filter(({ name }) => !name.endsWith('-unused'));
    assert.equal(judged.length, 4);
    assert.deepEqual(
      judged.flatMap((figure) => missed(figure) ?? []),
      [],
    );
  });

  test('eight workers that each take the budget to be theirs are refused, and the figure says so', async () => {
    const figures = await fleetBudget({ seconds: 3, shared: false, on: ['ec2'] });
    const misses = figures.flatMap((figure) => missed(figure) ?? []);
    assert.match(misses.join(), /fleet-budget-ec2-over: value \d+ is over 0/);
  });
});
