import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeClock, makeTimeline } from '../../sandbox/clock.ts';

describe('the clock', () => {
  it('by hand stands still until it is moved, and wakes whom it passes', async () => {
    const clock = makeClock({ rate: 0, start: 1000 });
    const woken: number[] = [];
    const sleepers = [300, 100, 200].map((ms) => clock.sleep(ms).then(() => woken.push(ms)));
    assert.equal(clock.now(), 1000);
    clock.advance(250);
    await Promise.all(sleepers.slice(1));
    assert.deepEqual(woken, [100, 200]);
    clock.advance(50);
    await Promise.all(sleepers);
    assert.equal(clock.now(), 1300);
  });

  it('sped up runs as many times as fast', async () => {
    const clock = makeClock({ rate: 100_000, start: 0 });
    await clock.sleep(60_000);
    assert.ok(clock.now() >= 60_000);
  });

  it('wakes nobody early, and nobody too late whose timer rang early', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const clock = makeClock({ rate: 1, start: 0 });
    let isAwake = false;
    const sleeping = clock.sleep(40).then(() => {
      isAwake = true;
    });
    t.mock.timers.tick(41);
    await Promise.resolve();
    assert.ok(!isAwake, 'no time has passed on the clock itself');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
    t.mock.timers.tick(41);
    await Promise.resolve();
    assert.ok(isAwake);
    await sleeping;
  });

  it('never goes back', () => {
    assert.throws(() => makeClock({ rate: 0 }).advance(-1), RangeError);
    assert.throws(() => makeClock({ rate: -1 }), RangeError);
  });
});

describe('the timeline', () => {
  it('happens in order of time, and of scheduling at the same time', () => {
    const timeline = makeTimeline();
    const seen: string[] = [];
    for (const [at, name] of [
      [3, 'd'],
      [1, 'a'],
      [2, 'b'],
      [2, 'c'],
    ] as const)
      timeline.schedule(at, () => seen.push(name));
    timeline.catchUp(2);
    assert.deepEqual(seen, ['a', 'b', 'c']);
    timeline.catchUp(9);
    assert.deepEqual(seen, ['a', 'b', 'c', 'd']);
  });

  it('lets what happens schedule more', () => {
    const timeline = makeTimeline();
    const seen: number[] = [];
    timeline.schedule(1, () => timeline.schedule(2, () => seen.push(2)));
    timeline.catchUp(1);
    assert.deepEqual(seen, []);
    timeline.catchUp(2);
    assert.deepEqual(seen, [2]);
  });
});
