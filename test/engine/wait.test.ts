import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wait } from '../../src/engine/cancellation.ts';
import type { Progress } from '../../src/engine/ports.ts';
import { virtualClock } from '../support/virtual-clock.ts';

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
