import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchers } from './support/watchers.ts';

/** Events that are told only once an earlier transaction has ended. */
function heldUp() {
  let isHeld = false;
  const all = watchers({
    events: (inner) => ({
      ...inner,
      after: async (place, limit) =>
        isHeld
          ? { events: [], place, more: false, gone: false, waits: place < (await inner.newest()) }
          : inner.after(place, limit),
    }),
  });
  const hold = (held: boolean): void => {
    isHeld = held;
  };
  return { ...all, hold, said: () => all.lines.map((line) => JSON.parse(line).message) };
}

const warned = 'events are delayed';
const over = 'events continue';

test('where what happened cannot be told for 10 s, the log says so once, and again when it is over', async () => {
  const { clock, tell, watch, hold, said, lines } = heldUp();
  const watcher = await watch();
  await clock.advance(1000);
  hold(true);
  tell({});
  await clock.advance(9000);
  assert.deepEqual(said(), []);
  await clock.advance(120_000);
  assert.deepEqual(said(), [warned]);
  assert.match(JSON.parse(lines[0] ?? '').reason, /has not ended: pg_stat_activity shows it by its backend_xid/);
  assert.match(watcher.lastComment() ?? '', /^heartbeat; an open transaction delays events/);
  hold(false);
  await clock.advance(1000);
  assert.deepEqual([said(), watcher.events.length], [[warned, over], 1]);
  await clock.advance(16_000);
  assert.equal(watcher.lastComment(), 'heartbeat');
});

test('where nothing happens nothing is held up, and what is told late is not either', async () => {
  const { clock, tell, watch, hold, said } = heldUp();
  await watch();
  hold(true);
  await clock.advance(60_000);
  for (let n = 0; n < 5; n++) {
    hold(true);
    tell({});
    await clock.advance(9000);
    hold(false);
    await clock.advance(1000);
  }
  assert.deepEqual(said(), []);
});

test('where something always waits, and is told in time, nothing is held up', async () => {
  const { clock, tell, watch, lines } = watchers({
    events: (inner) => ({
      ...inner,
      after: async (place, limit) => ({ ...(await inner.after(place, limit)), waits: true }),
    }),
  });
  await watch();
  for (let n = 0; n < 10; n++) {
    tell({});
    await clock.advance(6000);
  }
  assert.deepEqual(lines, []);
});
