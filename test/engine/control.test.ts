import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Cancelled, cancellationOn, type Progress, wait } from '../../src/engine/control.ts';
import type { Lease } from '../../src/ports/leases.ts';
import { type VirtualClock, virtualClock } from '../support/virtual-clock.ts';

const leaseOn = (signal: AbortSignal): Lease => ({
  epoch: 1,
  holder: 'me',
  remainingMs: () => 30_000,
  signal,
  release: async () => undefined,
});

/** When each of the two signals aborted, in ms from the start; undefined: not within five seconds. */
async function timesOf(
  clock: VirtualClock,
  halt: ReturnType<typeof cancellationOn>,
): Promise<readonly (number | undefined)[]> {
  const start = clock.now();
  const times: (number | undefined)[] = [undefined, undefined];
  for (const [i, signal] of [halt.waits, halt.requests].entries()) {
    const note = (): void => {
      times[i] = clock.now() - start;
    };
    if (signal.aborted) note();
    signal.addEventListener('abort', note);
  }
  await clock.advance(5000);
  halt.end();
  return times;
}

describe('halt', () => {
  it('nothing stops what nobody stops', async () => {
    const clock = virtualClock();
    const halt = cancellationOn({ signal: new AbortController().signal, poll: async () => 'go' }, clock);
    assert.deepEqual(await timesOf(clock, halt), [undefined, undefined]);
  });

  it('the caller ends waits at once, and leaves requests nine tenths of a second', async () => {
    const clock = virtualClock();
    const stop = new AbortController();
    const halt = cancellationOn({ signal: stop.signal }, clock);
    void clock.sleep(100).then(() => stop.abort(new Error('shutdown')));
    assert.deepEqual(await timesOf(clock, halt), [100, 1000]);
    assert.ok(halt.waits.reason instanceof Cancelled);
  });

  it('so does a caller who had stopped before', async () => {
    const clock = virtualClock();
    const halt = cancellationOn({ signal: AbortSignal.abort() }, clock);
    assert.deepEqual(await timesOf(clock, halt), [0, 900]);
  });

  it('a lost lease cuts requests too', async () => {
    const clock = virtualClock();
    const lost = new AbortController();
    const halt = cancellationOn({ signal: new AbortController().signal }, clock, leaseOn(lost.signal));
    void clock.sleep(100).then(() => lost.abort());
    assert.deepEqual(await timesOf(clock, halt), [100, 100]);
  });

  it('something more urgent is seen within a second, even after a look that failed', async () => {
    const clock = virtualClock();
    const answers: (() => Promise<'go' | 'stop'>)[] = [
      async () => 'go',
      async () => Promise.reject(new Error('no database')),
      async () => 'stop',
    ];
    const look = () => (answers.shift() ?? (async () => 'go' as const))();
    const halt = cancellationOn({ signal: new AbortController().signal, poll: look }, clock);
    assert.deepEqual(await timesOf(clock, halt), [2000, 2900]);
  });

  it('after its end nothing is watched', async () => {
    const clock = virtualClock();
    const stop = new AbortController();
    const halt = cancellationOn({ signal: stop.signal, poll: async () => 'go' }, clock);
    halt.end();
    await clock.advance(1);
    stop.abort();
    assert.deepEqual([halt.waits.aborted, clock.sleepers()], [false, 0]);
  });
});

describe('a wait', () => {
  const awaited = { why: 'ready', detail: '2 instance', forMs: 5000 } as const;

  it('is told before, and how long it was after', async () => {
    const clock = virtualClock();
    const told: Progress[] = [];
    const { signal } = new AbortController();
    await clock.run(() => wait(awaited, { clock, waits: signal, notify: (one) => told.push(one) }));
    assert.deepEqual(told, [
      { at: 'waiting', ...awaited },
      { at: 'waited', ...awaited },
    ]);
  });

  it('that was cut short was as long as it was', async () => {
    const clock = virtualClock();
    const told: Progress[] = [];
    const halt = new AbortController();
    const waiting = wait(awaited, { clock, waits: halt.signal, notify: (one) => told.push(one) });
    await clock.advance(1200);
    halt.abort(new Error('others'));
    await assert.rejects(waiting, /others/);
    assert.deepEqual(told.at(-1), { at: 'waited', ...awaited, forMs: 1200 });
  });
});
