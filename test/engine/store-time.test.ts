import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storeTimeOf } from '../../src/engine/execute.ts';

describe('the moment by the store’s clock', () => {
  for (const aheadMs of [-200_000, 0, 200_000])
    it(`is known to a worker whose clock is ahead by ${aheadMs} ms`, () => {
      let store = 1_000_000;
      const clock = { now: () => store + aheadMs };
      const readFrom = clock.now();
      store += 400;
      const knowledge = { readAt: store };
      store += 700; // why: the answer of the store takes its time
      const { storeTime } = storeTimeOf({ knowledge, readFrom }, clock);
      store += 5_000;
      const { earliest = Number.NaN, latest = Number.NaN } = storeTime?.() ?? {};
      assert.ok(earliest <= store && store <= latest, `${earliest} <= ${store} <= ${latest}`);
      assert.deepEqual([store - earliest, latest - store], [700, 400]);
    });

  it('is not known without a store', () => {
    assert.deepEqual(storeTimeOf({ knowledge: {} }, { now: () => 1 }), {});
  });
});
