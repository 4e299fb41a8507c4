import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Grant } from '../../../../src/core/access/grant.ts';
import { eventLimits } from '../../../../src/http/limits.ts';
import { ProblemError } from '../../../../src/http/problem.ts';
import type { StoredEvent } from '../../../../src/ports/events.ts';
import { watchers } from './support/watchers.ts';

const soon = 2 * eventLimits.times.poll;
const numbersOf = (events: readonly StoredEvent[]) => events.map(({ about }) => about['n']);

test('a quiet stream says every 15 s that it is still there, and moves on where to come back to', async () => {
  const { clock, tell, watch } = watchers();
  const watcher = await watch({ only: { types: ['word'] } });
  await clock.advance(0);
  const begun = watcher.lastId();
  const [told] = tell({});
  await clock.advance(14_000);
  assert.equal(watcher.comments(), 0);
  await clock.advance(2000);
  assert.deepEqual([watcher.comments(), watcher.events.length], [1, 0]);
  assert.notEqual(watcher.lastId(), begun);
  assert.equal(watcher.lastId(), told?.place);
  await clock.advance(60_000);
  assert.equal(watcher.comments(), 5);
});

test('a quiet stream ends after an hour, and the client comes back', async () => {
  const { clock, tell, watch } = watchers();
  const watcher = await watch();
  await clock.advance(3_599_000);
  assert.equal(watcher.hasEnded(), false);
  await clock.advance(2000);
  assert.equal(watcher.hasEnded(), true);
  const missed = tell({});
  const again = await watch({ from: watcher.lastId() });
  await clock.advance(soon);
  assert.deepEqual(again.numbers(), numbersOf(missed));
});

const viewer: readonly Grant[] = [{ role: 'viewer' }];

test('a credential that ends ends the stream within 30 s, and nothing is told after that', async () => {
  let isGood = true;
  const { clock, tell, watch } = watchers({ authenticate: async (caller) => (isGood ? caller : undefined) });
  const watcher = await watch();
  await clock.advance(60_000);
  assert.equal(watcher.hasEnded(), false);
  isGood = false;
  await clock.advance(12_000);
  assert.equal(watcher.hasEnded(), true);
  tell({});
  await clock.advance(soon);
  assert.deepEqual(watcher.events, []);
});

test('a credential that ends is another caller’s now', async () => {
  const { clock, watch } = watchers({ authenticate: async (caller) => ({ ...caller, id: 'lee' }) });
  const watcher = await watch();
  await clock.advance(12_000);
  assert.equal(watcher.hasEnded(), true);
});

test('a credential that ends may say less than before', async () => {
  let grants = viewer;
  const { clock, tell, watch } = watchers({ authenticate: async (caller) => ({ ...caller, grants }) });
  const watcher = await watch();
  grants = [{ role: 'viewer', estates: ['other'] }];
  await clock.advance(12_000);
  const [, other] = tell({}, { estate: 'other' });
  await clock.advance(soon);
  assert.deepEqual(watcher.numbers(), numbersOf(other ? [other] : []));
  grants = [];
  await clock.advance(12_000);
  assert.equal(watcher.hasEnded(), true);
});

test('a credential that ends cannot be looked at: the stream goes on for a moment, and no longer', async () => {
  let isAway = true;
  const { clock, watch } = watchers({
    authenticate: async (caller) => {
      if (isAway) throw new Error('no database');
      return caller;
    },
  });
  const watcher = await watch();
  await clock.advance(19_000);
  isAway = false;
  await clock.advance(60_000);
  assert.equal(watcher.hasEnded(), false);
  isAway = true;
  await clock.advance(31_000);
  assert.equal(watcher.hasEnded(), true);
});

const refused = (status: number) => (error: unknown) => {
  assert.ok(error instanceof ProblemError);
  assert.equal(error.problem.status, status);
  assert.equal(error.problem.headers?.['retry-after'], '10');
  return true;
};

test('too many clients of one caller are refused, until one of theirs leaves', async () => {
  const { clock, watch } = watchers({ limits: { perCaller: 2 } });
  const one = await watch();
  await watch();
  await assert.rejects(watch(), refused(429));
  await watch({ id: 'lee' });
  one.leave();
  await clock.advance(1000);
  assert.equal(one.hasEnded(), true);
  await watch();
  await assert.rejects(watch(), refused(429));
});

test('too many clients of all callers are refused, those that nobody ever read from included', async () => {
  const { clock, watch } = watchers({ limits: { clients: 2 } });
  const one = await watch({ slow: true });
  await watch({ id: 'lee' });
  await assert.rejects(watch({ id: 'max' }), refused(503));
  one.leave();
  await watch({ id: 'max' });
  await clock.advance(3_601_000);
  await watch({ id: 'eve' });
});

test('too many clients are not counted where the store did not say where to begin', async () => {
  let isAway = true;
  const { watch } = watchers({
    limits: { clients: 1 },
    events: (inner) => ({
      ...inner,
      newest: async () => {
        if (isAway) throw new Error('no database');
        return inner.newest();
      },
    }),
  });
  await assert.rejects(watch(), /no database/);
  isAway = false;
  await watch();
});
