import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { type TestContext, test } from 'node:test';
import { backoff, breaker, JobLost, runningReconciles } from '../../src/queue/worker-pool.ts';

const ceiling = { firstMs: 1_000, capMs: 30_000 };

const rows = [
  { reason: 'the first pause has the first ceiling', tries: 1, random: 0.999, want: 999 },
  { reason: 'the ceiling doubles with each failure', tries: 3, random: 0.5, want: 2_000 },
  { reason: 'and ends at the cap', tries: 20, random: 0.5, want: 15_000 },
  { reason: 'a pause may be none at all', tries: 5, random: 0, want: 0 },
];

for (const { reason, tries, random, want } of rows)
  test(reason, () =>
    assert.equal(
      backoff(tries, ceiling, () => random),
      want,
    ),
  );

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

/** A reconcile under a lock of 1500 ms. */
function running(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const reconciles = runningReconciles(1_500);
  const told: Error[] = [];
  const end = Promise.withResolvers<void>();
  const job = { id: '7' } as Parameters<typeof reconciles.during>[0]; // why: nothing else of it is asked
  const over = reconciles.during(job, 'token', (signal) => {
    signal.addEventListener('abort', () => told.push(signal.reason));
    return end.promise;
  });
  const finish = async (): Promise<void> => {
    end.resolve();
    await over;
  };
  const reasons = (): readonly string[] => told.map(({ name }) => name);
  return { passes: reconciles, reasons, finish, tick: (ms: number) => t.mock.timers.tick(ms) };
}

test('a reconcile is told to end as soon as its lock was not renewed for as long as it lasts', (t) => {
  const { passes: reconciles, reasons, tick } = running(t);
  for (let times = 0; times < 3; times++) {
    tick(1_499);
    reconciles.renewed(['7', 'somebody else']);
  }
  tick(1_499);
  assert.deepEqual(reasons(), []);
  tick(1);
  assert.deepEqual(reasons(), [JobLost.name]);
});

test('a reconcile whose lock the server says is lost is told at once', (t) => {
  const { passes: reconciles, reasons } = running(t);
  reconciles.lose(['somebody else']);
  assert.deepEqual(reasons(), []);
  reconciles.lose(['7']);
  assert.deepEqual(reasons(), [JobLost.name]);
});

test('a reconcile that was told to end, and does not, keeps no timer: it would keep the process', (t) => {
  const { passes: reconciles } = running(t);
  const cleared = t.mock.method(globalThis, 'clearTimeout');
  reconciles.abort(new Error('this worker stops'));
  reconciles.renewed(['7']);
  assert.equal(cleared.mock.callCount(), 1);
});

test('a reconcile that has ended is listed no more, and told nothing', async (t) => {
  const { passes: reconciles, reasons, finish, tick } = running(t);
  assert.equal(reconciles.list().length, 1);
  await finish();
  tick(9_000);
  assert.deepEqual([reconciles.list(), reasons()], [[], []]);
});
