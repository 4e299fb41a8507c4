import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lookup } from '../../../providers/aws/lookup.ts';
import { failed } from '../../../providers/shared/answer.ts';
import type { Result } from '../../../src/core/failure.ts';
import { codes } from './estate.ts';

const many = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

describe('looking for ids by name', () => {
  const standing = new Set(many(600).map((n) => `i-${n}`));
  const describeIds = async (ids: readonly string[]): Promise<Result<readonly string[]>> =>
    ids.every((id) => standing.has(id)) ? { ok: true, value: ids } : failed('not-found', 'X.NotFound', 'x');
  const found = async (ids: readonly string[]) => lookup(ids, describeIds, (id) => id);

  test('missing ones are told apart from the others', async () => {
    const results = await found(['i-1', 'nowhere', 'i-2']);
    assert.deepEqual(
      results.map((result) => result.ok && result.value),
      ['i-1', undefined, 'i-2'],
    );
  });
  test('an id that is neither described nor called missing is a failure', async () => {
    const results = await lookup(
      ['i-1', 'i-2'],
      async () => ({ ok: true, value: ['i-1'] }),
      (id) => id,
    );
    assert.deepEqual(codes(results), ['ok', 'Unanswered']);
  });
});
