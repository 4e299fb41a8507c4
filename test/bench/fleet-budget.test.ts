import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { fleetBudget } from '../../bench/fleet-budget.ts';
import { redisMissing } from '../support/redis.ts';

/** Of what must not be over, and of each one's part; or why there are no figures. In a few seconds what is held back for late requests is much of the budget. */
async function missesOf(lane: string): Promise<readonly string[]> {
  const figures = await fleetBudget({ seconds: 4, shared: true, on: [lane] }).catch((error: unknown) => String(error));
  if (typeof figures === 'string') return [figures];
  const judged = figures.filter(({ name }) => !name.endsWith('-unused'));
  assert.equal(judged.length, 2);
  return judged.flatMap((figure) => missed(figure) ?? []);
}

describe('fleet-budget', { skip: redisMissing() }, () => {
  test('eight workers that share a budget are refused nothing, and each gets its part', async () => {
    for (const lane of ['ec2', 'gcp']) {
      let misses = await missesOf(lane);
      // why: who gets no processor for seconds asks for less, or sends what it had taken too late; what the rules do wrong is there each time
      for (let more = 5; more > 0 && misses.length > 0; more -= 1) misses = await missesOf(lane);
      assert.deepEqual(misses, []);
    }
  });

  test('eight workers that each take the budget to be theirs are refused, and the figure says so', async () => {
    const over = /fleet-budget-ec2-over: value \d+ is over 0/;
    let said = '';
    // why: a machine with too much to do needs longer to ask for more than there is
    for (let seconds = 3; seconds <= 50 && !over.test(said); seconds *= 4) {
      const figures = await fleetBudget({ seconds, shared: false, on: ['ec2'] });
      said = figures.flatMap((figure) => missed(figure) ?? []).join();
    }
    assert.match(said, over);
  });
});
