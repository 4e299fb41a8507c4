import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { fleetBudget } from '../../bench/fleet-budget.ts';
import { redisMissing } from '../support/redis.ts';

/** What is missed of what must not be over, and of each one's part. In a few seconds much of the budget is held back for late requests. */
async function judged(lane: string): Promise<readonly (string | undefined)[]> {
  const figures = await fleetBudget({ seconds: 4, shared: true, on: [lane] });
  const names = ['over', 'behind'].map((what) => `fleet-budget-${lane}-${what}`);
  return names.map((name) => missed(figures.find((figure) => figure.name === name) ?? assert.fail(name)));
}

describe('fleet-budget', { skip: redisMissing() }, () => {
  test('eight workers that share a budget are refused nothing, and each gets its part', async () => {
    for (const lane of ['ec2', 'gcp']) {
      const [over, behind] = await judged(lane);
      assert.equal(over, undefined);
      let least = behind;
      // why: whoever gets no processor asks for less. Each time it is another one, and what the rules keep from somebody is kept each time
      for (let more = 4; more > 0 && least !== undefined; more -= 1) {
        const again = await judged(lane);
        assert.equal(again[0], undefined);
        least = again[1];
      }
      assert.equal(least, undefined);
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
