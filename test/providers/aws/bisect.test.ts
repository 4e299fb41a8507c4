import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sendBisecting } from '../../../providers/aws/bisect.ts';
import { done, failed } from '../../../providers/shared/answer.ts';
import type { Result } from '../../../src/core/failure.ts';
import { codes } from './estate.ts';

const many = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

describe('together', () => {
  const sunkBy = (bad: readonly number[], failure: Result<never>) => {
    const calls: number[] = [];
    const send = async (some: readonly number[]): Promise<Result<void>> => {
      calls.push(some.length);
      return some.some((n) => bad.includes(n)) ? failure : done;
    };
    return { calls, send };
  };
  const gone = failed('not-found', 'InvalidInstanceID.NotFound', 'x');

  test('all well is one call', async () => {
    const { calls, send } = sunkBy([], gone);
    await sendBisecting(many(1000), send);
    assert.deepEqual(calls, [1000]);
  });
  test('one bad item is found in few calls, and alone fails', async () => {
    const { calls, send } = sunkBy([437], gone);
    const results = await sendBisecting(many(1000), send);
    assert.deepEqual(
      results.flatMap((result, n) => (result.ok ? [] : [n])),
      [437],
    );
    assert.ok(calls.length <= 22, `${calls.length} calls`);
  });
  for (const kind of ['ambiguous', 'retryable'] as const) {
    test(`${kind}: nothing is sent again`, async () => {
      const { calls, send } = sunkBy([0], failed(kind, 'X', 'x'));
      assert.deepEqual(codes(await sendBisecting(many(4), send)), ['X', 'X', 'X', 'X']);
      assert.equal(calls.length, 1);
    });
  }
  test('denied is denied at any size', async () => {
    const { calls, send } = sunkBy([0], failed('terminal', 'UnauthorizedOperation', 'x'));
    await sendBisecting(many(4), send);
    assert.equal(calls.length, 1);
  });
});
