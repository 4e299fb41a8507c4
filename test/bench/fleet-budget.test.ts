import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { fleetBudget } from '../../bench/fleet-budget.ts';
import { redisMissing } from '../support/redis.ts';

interface Round {
  /** Of what must not be over, and of each one's part. In a few seconds what is held back for late requests is much of the budget. */
  readonly misses: readonly string[];
  readonly stoodMs: number;
}

async function roundOf(rateLimit: string): Promise<Round> {
  const figures = await fleetBudget({ seconds: 4, shared: true, on: [rateLimit] });
  const stood = figures.find(({ name }) => name.endsWith('-stood'));
  const judged = figures.filter(({ name }) => /-(?:over|behind)$/.test(name));
  assert.equal(judged.length, 2);
  return { misses: judged.flatMap((figure) => missed(figure) ?? []), stoodMs: stood?.value ?? 0 };
}

/** A worker stopped for so long sends its requests later than the delay that budgets allow for, a second in all. */
const tooLateMs = 500;

describe('fleet-budget', { skip: redisMissing() }, () => {
  test('eight workers that share a budget are refused nothing, and each gets its part', async () => {
    for (const rateLimit of ['ec2', 'gcp']) {
      let round = await roundOf(rateLimit);
      // why: who gets no processor for a moment asks for less than its part; that, and what is sent too late, the machine does
      for (let more = 5; more > 0 && round.misses.length > 0; more -= 1) {
        const over = round.misses.filter((miss) => miss.includes('-over'));
        assert.ok(over.length === 0 || round.stoodMs >= tooLateMs, `${over}; nobody stood still: ${round.stoodMs} ms`);
        round = await roundOf(rateLimit);
      }
      assert.deepEqual(round.misses, []);
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
