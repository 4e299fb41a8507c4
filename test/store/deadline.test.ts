import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deadline, momentBy } from '../../src/store/leases.ts';
import { virtualClock } from '../support/virtual-clock.ts';

test('deadline: the wall clock ends it, also while the monotonic one stood still', async () => {
  const clock = virtualClock();
  const until = deadline(clock, 30_000, momentBy(clock));
  assert.ok(until.remainingMs() > 20_000);
  await clock.advance(29_000);
  assert.ok(until.remainingMs() > 0 && until.remainingMs() <= 1000);
  await clock.advance(1000);
  assert.ok(until.remainingMs() <= 0);
});

test('deadline: the monotonic clock ends it, also while somebody sets the wall clock back', () => {
  const start = { monotonic: performance.now() - 31_000, wall: Date.now() };
  const until = deadline({ now: () => start.wall - 3_600_000, sleep: async () => {} }, 30_000, start);
  assert.ok(until.remainingMs() <= 0);
});

test('deadline: renewing counts from before the question, ending is for good', async () => {
  const clock = virtualClock();
  const until = deadline(clock, 30_000, momentBy(clock));
  await clock.advance(10_000);
  const asked = momentBy(clock);
  await clock.advance(5000);
  until.extend(asked);
  assert.ok(until.remainingMs() <= 25_000 && until.remainingMs() > 24_000);
  until.end();
  until.extend(momentBy(clock));
  assert.equal(until.remainingMs(), 0);
});
