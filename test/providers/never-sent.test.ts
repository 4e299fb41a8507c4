import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toFailure as aws } from '../../providers/aws/errors.ts';
import { failureOfThrown } from '../../providers/azure/errors.ts';
import { toFailure as gcp } from '../../providers/gcp/errors.ts';
import type { Failure } from '../../src/core/failure.ts';

const thrown = (code: string): Error => Object.assign(new Error(`connect ${code}`), { code });

const clouds: readonly { readonly name: string; readonly fail: (code: string, mutating: boolean) => Failure }[] = [
  { name: 'AWS', fail: (code, mutating) => aws(thrown(code), { mutating, makesTwins: mutating }) },
  { name: 'Azure', fail: (code, mutating) => failureOfThrown(thrown(code), mutating) },
  { name: 'Google Cloud', fail: (code, mutating) => gcp({ error: thrown(code) }, { mutating }) },
];

/** https://nodejs.org/api/errors.html#common-system-errors */
const neverSent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];
const lost = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'NEVER_HEARD_OF'];

for (const { name, fail } of clouds)
  describe(`${name}: a request without an answer`, () => {
    for (const code of neverSent)
      test(`${code}: it never left, so it may be sent again, a write too`, () => {
        for (const mutating of [true, false]) {
          const failure = fail(code, mutating);
          assert.deepEqual([failure.kind, failure.code], ['retryable', code]);
        }
      });
    for (const code of lost)
      test(`${code}: a write may have been done, a read is asked again`, () => {
        assert.equal(fail(code, true).kind, 'ambiguous');
        assert.equal(fail(code, false).kind, 'retryable');
      });
  });
