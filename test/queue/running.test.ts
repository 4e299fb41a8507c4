import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { JobLost, runningPasses } from '../../src/queue/worker-pool.ts';

/** A pass under a lock of 1500 ms. */
function running(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const passes = runningPasses(1_500);
  const told: Error[] = [];
  const end = Promise.withResolvers<void>();
  const job = { id: '7' } as Parameters<typeof passes.during>[0]; // why: nothing else of it is asked
  const over = passes.during(job, 'token', (signal) => {
    signal.addEventListener('abort', () => told.push(signal.reason));
    return end.promise;
  });
  const finish = async (): Promise<void> => {
    end.resolve();
    await over;
  };
  const reasons = (): readonly string[] => told.map(({ name }) => name);
  return { passes, reasons, finish, tick: (ms: number) => t.mock.timers.tick(ms) };
}

test('a pass is told to end as soon as its lock was not renewed for as long as it lasts', (t) => {
  const { passes, reasons, tick } = running(t);
  for (let times = 0; times < 3; times++) {
    tick(1_499);
    passes.renewed(['7', 'somebody else']);
  }
  tick(1_499);
  assert.deepEqual(reasons(), []);
  tick(1);
  assert.deepEqual(reasons(), [JobLost.name]);
});

test('a pass whose lock the server says is lost is told at once', (t) => {
  const { passes, reasons } = running(t);
  passes.lose(['somebody else']);
  assert.deepEqual(reasons(), []);
  passes.lose(['7']);
  assert.deepEqual(reasons(), [JobLost.name]);
});

test('a pass that was told to end, and does not, keeps no timer: it would keep the process', (t) => {
  const { passes } = running(t);
  const cleared = t.mock.method(globalThis, 'clearTimeout');
  passes.abort(new Error('this worker stops'));
  passes.renewed(['7']);
  assert.equal(cleared.mock.callCount(), 1);
});

test('a pass that has ended is listed no more, and told nothing', async (t) => {
  const { passes, reasons, finish, tick } = running(t);
  assert.equal(passes.list().length, 1);
  await finish();
  tick(9_000);
  assert.deepEqual([passes.list(), reasons()], [[], []]);
});
