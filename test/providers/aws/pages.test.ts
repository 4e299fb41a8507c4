import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Ask, pages } from '../../../providers/aws/pages.ts';
import { failed } from '../../../providers/shared/answer.ts';
import type { Result } from '../../../src/core/failure.ts';
import { recordedCall } from '../../support/fixtures.ts';

describe('pages', () => {
  const read = async (ask: Ask<number>): Promise<readonly number[]> => {
    const all: number[] = [];
    for await (const page of pages(ask, recordedCall())) all.push(...page);
    return all;
  };
  const page = (
    items: readonly number[],
    next?: string,
  ): Result<Awaited<ReturnType<Ask<number>>> extends Result<infer P> ? P : never> => ({
    ok: true,
    value: { items, next },
  });

  test('an empty page in the middle is no end', async () => {
    const answers = new Map([
      ['', page([1], 'a')],
      ['a', page([], 'b')],
      ['b', page([2])],
    ]);
    assert.deepEqual(await read(async (token = '') => answers.get(token) ?? page([])), [1, 2]);
  });
  test('a page that failed because we stopped is a stop, not a gap', async () => {
    const stop = new AbortController();
    const ask = async (): Promise<Result<never>> => {
      stop.abort(new Error('shutdown'));
      return failed('retryable', 'AbortError', 'x');
    };
    await assert.rejects(pages(ask, recordedCall(stop.signal)).next(), /shutdown/);
  });
  test('a token that comes again ends in a failure, not in a circle', async () => {
    await assert.rejects(
      read(async () => page([1], 'a')),
      { code: 'TokenLoop' },
    );
  });
});
