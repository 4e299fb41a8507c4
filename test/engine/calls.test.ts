import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Sent } from '../../src/core/batches.ts';
import type { Failure } from '../../src/core/failure.ts';
import { callLog, callsOf } from '../../src/engine/calls.ts';
import { cancellationOn, type Progress } from '../../src/engine/control.ts';
import type { Lease } from '../../src/ports/leases.ts';
import type { Cost, Limiter, Need, Request } from '../../src/ports/limiter.ts';
import type { Call } from '../../src/ports/provider.ts';
import { scriptedSession } from '../support/scripted-session.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const cost = (key: string, amount = 1): Cost => ({
  rateLimit: { key, budget: { shape: 'bucket', capacity: 1, perSecond: 1, source: '' } },
  amount,
});
const request: Request = { action: 'DeleteVpc', mutating: true, costs: [cost('a'), cost('b', 40)] };

const site = {
  session: scriptedSession({}),
  account: '',
  batches: {},
  holds: { fixedMarks: [], oneByName: [] },
  secret: async () => ({}),
};

/** A line over a limiter that only records its arguments, and releases the n-th at n. */
function recordedLine() {
  const told: unknown[] = [];
  const needs: Need[] = [];
  const limiter: Limiter = {
    take: async (need) => needs.push(need),
    slow: (...slow) => told.push(slow),
    learn: (...learnt) => told.push(learnt),
  };
  const clock = virtualClock();
  const lease = { remainingMs: () => 1000, signal: new AbortController().signal } as Lease; // why: all that a line asks of it
  const halt = cancellationOn({ signal: new AbortController().signal }, clock);
  const line = callsOf('shop', { site, ports: { limiter, clock }, cancellation: halt, notify: undefined, lease });
  return { line, told, needs, end: () => halt.end() };
}

describe('what a line tells the limiter', () => {
  const rows: readonly { readonly sent: Sent | 'look'; readonly rank: string }[] = [
    { sent: 'delete', rank: 'frees' },
    { sent: 'create', rank: 'writes' },
    { sent: 'update', rank: 'writes' },
    { sent: 'look', rank: 'reads' },
  ];
  for (const { sent, rank } of rows)
    it(`${sent}: ${rank}, in the name of the estate`, async () => {
      const { line, needs, end } = recordedLine();
      const call: Call = sent === 'look' ? line.reading() : line.writing(callLog(), sent);
      await call.admit({ ...request, mutating: sent !== 'look' });
      assert.deepEqual(needs, [{ costs: request.costs, rank, share: 'shop' }]);
      end();
    });

  it('a refusal: each of its rate limits, with when it was let go and what it took there', async () => {
    const { line, told, end } = recordedLine();
    const call = line.writing(callLog(), 'delete');
    const other = { ...request };
    await call.admit(other);
    await call.admit(request);
    const failure = { kind: 'throttled', code: 'Busy', message: '', retryAfterMs: 7 } as const;
    call.report(request, { durationMs: 1, failure });
    call.report(other, { durationMs: 1, failure: { ...failure, kind: 'retryable' } });
    assert.deepEqual(told, [
      ['a', { sentAt: 2, retryAfterMs: 7, amount: 1 }],
      ['b', { sentAt: 2, retryAfterMs: 7, amount: 40 }],
    ]);
    end();
  });

  it('what the cloud says is left', async () => {
    const { line, told, end } = recordedLine();
    const call = line.reading();
    call.report(request, { durationMs: 1, remaining: [{ rateLimit: 'a', amount: 3 }] });
    assert.deepEqual(told, [['a', 3]]);
    end();
  });
});

describe('what a line tells those who watch', () => {
  /** A limiter that lets go after so long. */
  const toldBy = async (afterMs: number, failure?: Failure): Promise<readonly Progress[]> => {
    const told: Progress[] = [];
    const clock = virtualClock();
    const take = async (): Promise<number> => (afterMs > 0 ? clock.sleep(afterMs).then(() => 1) : 1);
    const limiter: Limiter = { take, slow: () => {}, learn: () => {} };
    const halt = cancellationOn({ signal: new AbortController().signal }, clock);
    const line = callsOf('shop', {
      site,
      ports: { limiter, clock },
      cancellation: halt,
      notify: (one) => told.push(one),
    });
    const call = line.reading();
    await clock.run(() => call.admit({ ...request, mutating: false }));
    call.report({ ...request, mutating: false }, { durationMs: 3, requestId: 'q', ...(failure ? { failure } : {}) });
    halt.end();
    return told;
  };
  const called = {
    at: 'called',
    action: 'DeleteVpc',
    mutating: false,
    lanes: ['a', 'b'],
    durationMs: 3,
    requestId: 'q',
  };

  it('each request: its rate limits, the cloud’s id of it and how long it took', async () =>
    assert.deepEqual(await toldBy(0), [called]));

  it('the code of one that failed, and nothing else of its failure', async () => {
    const told = await toldBy(0, { kind: 'terminal', code: 'Denied', message: 'no' });
    assert.deepEqual(told, [{ ...called, code: 'Denied' }]);
  });

  it('how long a budget was really waited for', async () => {
    const waited = { at: 'waited', why: 'budget', detail: 'DeleteVpc', forMs: 400 };
    assert.deepEqual(await toldBy(400), [waited, called]);
  });

  it('no wait where an answer only came from afar', async () => assert.deepEqual(await toldBy(10), [called]));
});
