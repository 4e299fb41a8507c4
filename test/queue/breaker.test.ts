import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { type TestContext, test } from 'node:test';
import { breaker } from '../../src/queue/worker-pool.ts';

/** A worker that only counts how often it was held back and let go. */
function held(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const told: string[] = [];
  const worker = Object.assign(new EventEmitter(), {
    name: 'w',
    paused: 0,
    resumed: 0,
    pause: async () => {
      worker.paused += 1;
    },
    resume: async () => {
      worker.resumed += 1;
    },
  });
  // why: a real worker connects to a server as soon as it is made.
  const held = worker as unknown as Parameters<typeof breaker>[0];
  let now = 0;
  const brake = breaker(
    held,
    (message) => told.push(message),
    () => now,
  );
  const fail = (times: number) => {
    for (let time = 0; time < times; time++) worker.emit('error', new Error('relation "job" does not exist'));
  };
  const tick = (ms: number) => {
    now += ms;
    t.mock.timers.tick(ms);
  };
  return { worker, brake, told, fail, tick };
}

test('a few errors hold nobody back', (t) => {
  const { worker, fail } = held(t);
  fail(4);
  assert.equal(worker.paused, 0);
});

test('many errors hold the worker back, once, and it goes on within 5.1 s', (t) => {
  const { worker, fail, told, tick } = held(t);
  fail(50);
  assert.equal(worker.paused, 1);
  tick(99);
  assert.equal(worker.resumed, 0);
  tick(5_001);
  assert.equal(worker.resumed, 1);
  assert.deepEqual(told, ['w: the queue\'s server fails: relation "job" does not exist']);
});

test('a spell of failures is told of once', (t) => {
  const { worker, fail, told, tick } = held(t);
  for (let times = 0; times < 5; times++) {
    fail(5);
    tick(5_100);
  }
  assert.equal(worker.paused, 5);
  assert.equal(told.length, 1);
});

test('a spell of failures that come slowly holds nobody back, and is told of once it lasts', (t) => {
  const { worker, fail, told, tick } = held(t);
  const slowly = (times: number) => {
    for (let time = 0; time < times; time++) {
      fail(1);
      tick(5_000);
    }
  };
  slowly(4);
  assert.deepEqual(told, []);
  slowly(4);
  assert.equal(told.length, 1);
  tick(60_000);
  slowly(4);
  assert.equal(told.length, 1);
  slowly(1);
  assert.equal(told.length, 2);
  assert.equal(worker.paused, 0);
});

test('a worker that stops is not started again', (t) => {
  const { worker, brake, fail, tick } = held(t);
  fail(5);
  brake.close();
  tick(10_000);
  fail(5);
  assert.equal(worker.resumed, 0);
  assert.equal(worker.paused, 1);
});
