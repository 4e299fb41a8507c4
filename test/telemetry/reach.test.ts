import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchReach } from '../../src/telemetry/health.ts';
import { virtualClock } from '../support/virtual-clock.ts';

/** A database that answers, refuses or is silent, and a clock to look at it by. */
function watching(how: 'answers' | 'refuses' | 'is silent' = 'answers') {
  const clock = virtualClock();
  const far = { how, asked: 0, over: 0 };
  const ping = (signal: AbortSignal): Promise<void> => {
    far.asked += 1;
    signal.addEventListener('abort', () => (far.over += 1));
    if (far.how === 'refuses') return Promise.reject(new Error('connect ECONNREFUSED 127.0.0.1:5432'));
    return far.how === 'is silent' ? new Promise(() => {}) : Promise.resolve();
  };
  return { clock, far, reach: watchReach({ name: 'database', ping, clock }) };
}

describe('something that must be in reach', () => {
  it('is not before it has answered once', async () => {
    const { reach, clock } = watching();
    assert.deepEqual(reach.look(), { ok: false, reason: 'never reached: not asked yet' });
    await clock.advance(0);
    assert.deepEqual(reach.look(), { ok: true });
  });

  it('may miss a question, but is out of reach seven seconds after its last answer, with why', async () => {
    const { reach, clock, far } = watching();
    await clock.advance(0);
    far.how = 'refuses';
    await clock.advance(7000);
    assert.deepEqual(reach.look(), { ok: true });
    await clock.advance(1000);
    assert.deepEqual(reach.look(), {
      ok: false,
      reason: 'last reached 8 s ago: connect ECONNREFUSED 127.0.0.1:5432',
    });
    far.how = 'answers';
    await clock.advance(2000);
    assert.deepEqual(reach.look(), { ok: true });
  });

  it('is asked again after a silence, and told that nobody waits any more', async () => {
    const { reach, clock, far } = watching('is silent');
    await clock.advance(4999);
    assert.deepEqual({ asked: far.asked, over: far.over }, { asked: 1, over: 1 });
    assert.deepEqual(reach.look(), { ok: false, reason: 'never reached: no answer within 3 s' });
    await clock.advance(1);
    assert.equal(far.asked, 2);
  });

  it('is left alone once the watch has stopped', async () => {
    const { reach, clock, far } = watching();
    await clock.advance(4000);
    reach.stop();
    await clock.advance(60_000);
    assert.equal(far.asked, 3);
    assert.equal(clock.sleepers(), 0);
  });
});
