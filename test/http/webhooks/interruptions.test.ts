import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { interruptLimit } from '../../../src/http/webhooks/handle-events.ts';
import { virtualClock } from '../../support/virtual-clock.ts';

const north = { estate: 'acme', scope: 'aws/111122223333/eu-north-1' };

describe('a reconcile is ended for an event', () => {
  it('once a minute in each scope of each estate', async () => {
    const clock = virtualClock();
    const may = interruptLimit(clock);
    assert.deepEqual([may(north), may(north)], [true, false]);
    assert.equal(may({ ...north, scope: 'aws/111122223333/eu-south-1' }), true);
    assert.equal(may({ ...north, estate: 'other' }), true);
    await clock.advance(59_999);
    assert.equal(may(north), false);
    await clock.advance(1);
    assert.deepEqual([may(north), may(north)], [true, false]);
  });
});
