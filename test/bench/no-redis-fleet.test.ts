import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { noRedisFleet } from '../../bench/no-redis-fleet.ts';

/** A worker that stands still for so long sends its requests too late: budgets hold back for one second in all. */
const tooLateMs = 500;

test('workers without Redis are refused nothing, whether one of two is busy or four are', async () => {
  for (const rateLimit of ['ec2', 'gcp']) {
    let over: string | undefined = '';
    for (let rounds = 0; rounds < 5 && over !== undefined; rounds += 1) {
      const figures = await noRedisFleet({ seconds: 4, shared: true, on: [rateLimit] });
      over = figures.flatMap((figure) => (figure.name.endsWith('-over') ? (missed(figure) ?? []) : []))[0];
      const stoodMs = figures.find(({ name }) => name.endsWith('-stood'))?.value ?? 0;
      assert.ok(over === undefined || stoodMs >= tooLateMs, `${over}; nobody stood still: ${stoodMs} ms`);
    }
    assert.equal(over, undefined);
  }
});

test('workers that each take the budget to be theirs are refused, and the figure says so', async () => {
  let said = '';
  // why: a machine with too much to do needs longer to ask for more than there is
  for (let seconds = 3; seconds <= 50 && said === ''; seconds *= 4) {
    const figures = await noRedisFleet({ seconds, shared: false, on: ['ec2'] });
    said = figures.flatMap((figure) => missed(figure) ?? []).join();
  }
  assert.match(said, /no-redis-fleet-over: value \d+ is over 0/);
});
