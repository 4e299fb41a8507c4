import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { done, failed } from '../../../providers/aws/answer.ts';
import { each, eachChunk, together } from '../../../providers/aws/batch.ts';
import { lookup } from '../../../providers/aws/lookup.ts';
import { type Ask, pages } from '../../../providers/aws/pages.ts';
import type { Result } from '../../../src/core/failure.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { codes } from './estate.ts';

const many = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

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
    assert.equal(codes(results)[1], 'NotSent');
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
    await together(many(1000), send);
    assert.deepEqual(calls, [1000]);
  });
  test('one bad item is found in few calls, and alone fails', async () => {
    const { calls, send } = sunkBy([437], gone);
    const results = await together(many(1000), send);
    assert.deepEqual(
      results.flatMap((result, n) => (result.ok ? [] : [n])),
      [437],
    );
    assert.ok(calls.length <= 22, `${calls.length} calls`);
  });
  for (const kind of ['ambiguous', 'retryable'] as const) {
    test(`${kind}: nothing is sent again`, async () => {
      const { calls, send } = sunkBy([0], failed(kind, 'X', 'x'));
      assert.deepEqual(codes(await together(many(4), send)), ['X', 'X', 'X', 'X']);
      assert.equal(calls.length, 1);
    });
  }
  test('denied is denied at any size', async () => {
    const { calls, send } = sunkBy([0], failed('terminal', 'UnauthorizedOperation', 'x'));
    await together(many(4), send);
    assert.equal(calls.length, 1);
  });
});

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

describe('pages', () => {
  const read = async (ask: Ask<number>): Promise<readonly number[]> => {
    const all: number[] = [];
    for await (const page of pages(ask, '1', recordedCall())) all.push(...page);
    return all;
  };
  const page = (
    items: readonly number[],
    next?: string,
  ): Result<Awaited<ReturnType<Ask<number>>> extends Result<infer P> ? P : never> => ({
    ok: true,
    value: { items, next, owners: [] },
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
    await assert.rejects(pages(ask, '1', recordedCall(stop.signal)).next(), /shutdown/);
  });
  test('a token that comes again ends in a failure, not in a circle', async () => {
    await assert.rejects(
      read(async () => page([1], 'a')),
      { code: 'TokenLoop' },
    );
  });
});
