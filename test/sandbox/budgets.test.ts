import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Charge, makeBudgets } from '../../sandbox/budgets.ts';
import { makeClock } from '../../sandbox/clock.ts';

const MINUTE = 60_000;
const TEN = Date.UTC(2026, 0, 1, 10);

const charge = (rateLimit: string, tokens = 1): Charge => ({
  kind: 'window',
  rateLimit,
  capacity: 2,
  windowMs: MINUTE,
  tokens,
});

describe('budgets: windows', () => {
  it('a limit reached at 10:00:15 is back at 10:01:00, whole, and not a moment before', () => {
    const clock = makeClock({ rate: 0, start: TEN + 15_000 });
    const budgets = makeBudgets(clock);
    const take = () => budgets.take([charge('a')]);
    assert.deepEqual([take(), take(), take()], [undefined, undefined, 'a']);
    clock.advance(44_999);
    assert.equal(take(), 'a');
    clock.advance(1);
    assert.deepEqual([take(), take(), take()], [undefined, undefined, 'a']);
  });

  it('nothing is saved up for a later window', () => {
    const clock = makeClock({ rate: 0, start: TEN });
    const budgets = makeBudgets(clock);
    assert.equal(budgets.take([charge('a')]), undefined);
    clock.advance(10 * MINUTE);
    assert.deepEqual(budgets.levels(), { a: 2 });
  });

  it('a call may draw on windows and buckets, and takes from all or from none', () => {
    const budgets = makeBudgets(makeClock({ rate: 0, start: TEN }));
    const bucket: Charge = { kind: 'bucket', rateLimit: 'b', capacity: 5, refill: 1, tokens: 1 };
    assert.equal(budgets.take([bucket, charge('a', 3)]), 'a');
    assert.deepEqual(budgets.levels(), { b: 5, a: 2 });
    budgets.fill();
    assert.deepEqual(budgets.levels(), {});
  });
});
