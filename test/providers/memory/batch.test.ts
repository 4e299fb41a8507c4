import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendGrouped } from '../../../providers/memory/batch.ts';
import type { Failure, Result } from '../../../src/core/failure.ts';

/** Items that begin with `!` sink every call they are in. */
async function sendAll(items: readonly string[], failure: Failure) {
  const sent: string[] = [];
  const results = await sendGrouped(items, {
    key: (item) => item.replace('!', '').slice(0, 1),
    size: 2,
    send: async (some): Promise<Result<readonly string[]>> => {
      sent.push(some.join('+'));
      return some.some((item) => item.startsWith('!'))
        ? { ok: false, failure }
        : { ok: true, value: some.map((item) => item.toUpperCase()) };
    },
  });
  return { sent, results: results.map((result) => (result.ok ? result.value : result.failure.kind)) };
}

const notFound: Failure = { kind: 'not-found', code: 'NotFound', message: '' };
const lost: Failure = { kind: 'ambiguous', code: 'ConnectionReset', message: '' };

test('items of one key share calls of at most so many, and results keep their order', async () => {
  assert.deepEqual(await sendAll(['a1', 'b1', 'a2', 'a3', 'b2'], notFound), {
    sent: ['a1+a2', 'a3', 'b1+b2'],
    results: ['A1', 'B1', 'A2', 'A3', 'B2'],
  });
});

test('where one item sank a call its items go singly, once', async () => {
  assert.deepEqual(await sendAll(['a1', '!a2', 'b1'], notFound), {
    sent: ['a1+!a2', 'a1', '!a2', 'b1'],
    results: ['A1', 'not-found', 'B1'],
  });
});

test('a call without an answer fails for all its items, and nothing goes again', async () => {
  assert.deepEqual(await sendAll(['a1', '!a2', 'b1'], lost), {
    sent: ['a1+!a2', 'b1'],
    results: ['ambiguous', 'ambiguous', 'B1'],
  });
});

test('an item that the cloud did not answer for is ambiguous, never a success', async () => {
  const results = await sendGrouped(['a', 'b'], {
    key: () => '',
    size: 10,
    send: async () => ({ ok: true, value: ['only one'] }),
  });
  assert.deepEqual(
    results.map((result) => (result.ok ? result.value : result.failure.kind)),
    ['only one', 'ambiguous'],
  );
});
