import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { done } from '../../../providers/shared/answer.ts';
import { each } from '../../../providers/shared/each.ts';
import { eachChunk } from '../../../providers/shared/each-chunk.ts';
import type { Result } from '../../../src/core/failure.ts';

const many = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

const codes = (results: readonly Result<unknown>[]): readonly string[] =>
  results.map((result) => (result.ok ? 'ok' : result.failure.code));

describe('each by itself', () => {
  test('answers in order, whatever ends first', async () => {
    const results = await each(many(40), async (n) => {
      for (let i = n; i < 40; i++) await Promise.resolve();
      return { ok: true, value: n };
    });
    assert.deepEqual(
      results.map((result) => result.ok && result.value),
      many(40),
    );
  });
  test('a stop keeps the answers there are', async () => {
    const results = await each(many(3), async (n) => {
      if (n === 1) throw new Error('stop');
      return done;
    });
    assert.equal(codes(results)[1], 'CutShort', 'it may have been sent in part');
    assert.equal(codes(results)[0], 'ok');
  });
  test('a stop before any answer is thrown', async () => {
    await assert.rejects(
      each(many(3), async () => Promise.reject(new Error('stop'))),
      /stop/,
    );
  });
});

test('items that share a key share a run, up to its size, and keep their places', async () => {
  const runs: string[] = [];
  const results = await eachChunk(many(7), { key: (n) => `${n % 2}`, size: 3 }, async (some) => {
    runs.push(some.join(''));
    return some.map((n) => ({ ok: true, value: n }));
  });
  assert.deepEqual(runs.toSorted(), ['024', '135', '6']);
  assert.deepEqual(
    results.map((result) => result.ok && result.value),
    many(7),
  );
});

test('an item that a run does not answer for is a failure', async () => {
  const results = await eachChunk(['a', 'b'], { key: () => '', size: 9 }, async () => [done]);
  assert.deepEqual(codes(results), ['ok', 'Unanswered']);
});
