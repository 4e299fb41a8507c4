import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collector } from '../../../src/http/webhooks/collector.ts';
import { virtualClock } from '../../support/virtual-clock.ts';

/** Times are counted from the beginning. */
function collecting({ fails = 0, takesMs = 0 } = {}) {
  const clock = virtualClock();
  const start = clock.now();
  const told: (readonly [key: string, items: readonly number[], at: number])[] = [];
  const lost: (readonly [key: string, count: number])[] = [];
  let failing = fails;
  const made = collector<number>({
    clock,
    deliver: async (key, items) => {
      if (takesMs > 0) await clock.sleep(takesMs);
      failing -= 1;
      if (failing >= 0) throw new Error('away');
      told.push([key, items, clock.now() - start]);
    },
    lost: (key, count) => lost.push([key, count]),
  });
  return { clock, made, told, lost };
}

describe('what comes together is delivered together', () => {
  it('one alone, after 100 ms', async () => {
    const { clock, made, told } = collecting();
    made.add('acme', [1]);
    await clock.advance(99);
    assert.deepEqual(told, []);
    await clock.advance(1);
    assert.deepEqual(told, [['acme', [1], 100]]);
  });

  it('a thousand in a second are one', async () => {
    const { clock, made, told } = collecting();
    for (let i = 0; i < 1_000; i += 1) {
      made.add('acme', [i]);
      await clock.advance(1);
    }
    await clock.advance(5_000);
    assert.deepEqual(
      told.map(([key, items, at]) => [key, items.length, at]),
      [['acme', 1_000, 1_100]],
    );
  });

  it('a stream without an end is told every 5 s', async () => {
    const { clock, made, told } = collecting();
    for (let i = 0; i < 240; i += 1) {
      made.add('acme', [i]);
      await clock.advance(50);
    }
    assert.deepEqual(
      told.map(([, items, at]) => [items.length, at]),
      [
        [100, 5_000],
        [100, 10_000],
      ],
    );
  });

  it('what is expected is waited for, for 5 s', async () => {
    const { clock, made, told } = collecting();
    const [one, two] = [made.expect('acme'), made.expect('acme')];
    made.add('acme', [1]);
    one();
    await clock.advance(1_000);
    made.add('acme', [2]);
    two();
    await clock.advance(150);
    made.expect('acme');
    made.add('acme', [3]);
    await clock.advance(10_000);
    assert.deepEqual(told, [
      ['acme', [1, 2], 1_150],
      ['acme', [3], 6_150],
    ]);
  });

  it('of another key nothing is waited for', async () => {
    const { clock, made, told } = collecting();
    made.expect('other');
    made.add('acme', [1]);
    await clock.advance(100);
    assert.deepEqual(told, [['acme', [1], 100]]);
  });
});

describe('keys', () => {
  it('of each key by itself', async () => {
    const { clock, made, told } = collecting();
    made.add('acme', [1]);
    await clock.advance(60);
    made.add('other', [2]);
    await clock.advance(1_000);
    assert.deepEqual(told, [
      ['acme', [1], 100],
      ['other', [2], 160],
    ]);
  });
});

describe('what is delivered', () => {
  it('what comes while one is delivered waits for the next', async () => {
    const { clock, made, told } = collecting({ takesMs: 500 });
    made.add('acme', [1]);
    await clock.advance(200);
    made.add('acme', [2]);
    made.add('acme', [3]);
    await clock.advance(2_000);
    assert.deepEqual(told, [
      ['acme', [1], 600],
      ['acme', [2, 3], 1_200],
    ]);
  });

  it('and its 5 s are counted from when it came', async () => {
    const { clock, made, told } = collecting({ takesMs: 6_000 });
    made.add('acme', [1]);
    await clock.advance(6_000);
    made.add('acme', [2]);
    await clock.advance(10_000);
    assert.deepEqual(told, [
      ['acme', [1], 6_100],
      ['acme', [2], 12_200],
    ]);
  });

  it('5,000 wait for nothing', async () => {
    const { clock, made, told } = collecting();
    made.add(
      'acme',
      Array.from({ length: 5_000 }, (_, index) => index),
    );
    await clock.advance(0);
    assert.equal(told.length, 1);
  });

  it('nothing is not delivered', async () => {
    const { clock, made, told } = collecting();
    made.add('acme', []);
    await clock.advance(1_000);
    assert.deepEqual(told, []);
  });
});

describe('a delivery that fails', () => {
  it('is tried again each second', async () => {
    const { clock, made, told, lost } = collecting({ fails: 4 });
    made.add('acme', [1]);
    await clock.advance(10_000);
    assert.deepEqual([told, lost], [[['acme', [1], 4_100]], []]);
  });

  it('is given up after five times, and told; what comes later is delivered', async () => {
    const { clock, made, told, lost } = collecting({ fails: 5 });
    made.add('acme', [1, 2]);
    await clock.advance(10_000);
    assert.deepEqual([told, lost], [[], [['acme', 2]]]);
    made.add('acme', [3]);
    await clock.advance(100);
    assert.deepEqual(told, [['acme', [3], 10_100]]);
  });
});

describe('closing', () => {
  it('delivers at once what has been collected', async () => {
    const { made, told } = collecting();
    made.add('acme', [1]);
    await made.close();
    assert.deepEqual(told, [['acme', [1], 0]]);
  });

  it('does not wait for what cannot be delivered', async () => {
    const { made, lost } = collecting({ fails: 9 });
    made.add('acme', [1]);
    await made.close();
    assert.deepEqual(lost, [['acme', 1]]);
  });
});
