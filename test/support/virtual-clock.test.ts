import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stuck, virtualClock } from './virtual-clock.ts';

test('sleepers wake in the order of their times, at their times', async () => {
  const clock = virtualClock(0);
  const woke: string[] = [];
  const nap = async (name: string, ms: number): Promise<void> => {
    await clock.sleep(ms);
    woke.push(`${name} ${clock.now()}`);
  };
  await clock.run(() => Promise.all([nap('late', 300), nap('early', 100), nap('also early', 100)]));
  assert.deepEqual(woke, ['early 100', 'also early 100', 'late 300']);
});

test('a run of years takes no time, and answers what its work answers', async () => {
  const clock = virtualClock(0);
  const years = await clock.run(async () => {
    for (let day = 0; day < 1000; day++) await clock.sleep(86_400_000);
    return clock.now() / 86_400_000;
  });
  assert.equal(years, 1000);
});

test('advance wakes those whose time has come, and lets them sleep again meanwhile', async () => {
  const clock = virtualClock(0);
  const ticks: number[] = [];
  const ticking = (async () => {
    for (let i = 0; i < 4; i++) {
      await clock.sleep(40);
      ticks.push(clock.now());
    }
  })();
  await clock.advance(100);
  assert.deepEqual({ ticks, now: clock.now(), asleep: clock.sleepers() }, { ticks: [40, 80], now: 100, asleep: 1 });
  await clock.advance(100);
  await ticking;
  assert.deepEqual(ticks, [40, 80, 120, 160]);
});

test('an aborted sleep rejects with the reason of its signal and leaves nobody behind', async () => {
  const clock = virtualClock(0);
  const stop = new AbortController();
  const sleeping = assert.rejects(clock.sleep(1000, stop.signal), /lease lost/);
  stop.abort(new Error('lease lost'));
  await sleeping;
  await assert.rejects(clock.sleep(1000, stop.signal), /lease lost/);
  assert.deepEqual({ asleep: clock.sleepers(), now: clock.now() }, { asleep: 0, now: 0 });
});

test('work that fails fails the run, and the clock can be run again', async () => {
  const clock = virtualClock(0);
  await assert.rejects(
    clock.run(async () => {
      await clock.sleep(10);
      throw new Error('no such network');
    }),
    /no such network/,
  );
  await clock.run(() => clock.sleep(10));
  assert.equal(clock.now(), 20);
});

test('work that waits for what never comes is stuck, and says so', async () => {
  await assert.rejects(
    virtualClock(0).run(() => new Promise(() => {})),
    Stuck,
  );
});
