import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Sent, toFailure } from '../../../providers/aws/errors.ts';
import type { Failure } from '../../../src/core/failure.ts';

const read: Sent = { mutating: false };
const write: Sent = { mutating: true };
const twins: Sent = { mutating: true, makesTwins: true };

/** As the SDK throws what the cloud refused. */
const refusal = (name: string, httpStatusCode = 400, headers = {}): object =>
  Object.assign(new Error(`${name}: no`), {
    name,
    Code: name,
    $metadata: { httpStatusCode, requestId: 'req-1' },
    $response: { statusCode: httpStatusCode, headers },
  });
const broken = (code: string, name = 'Error'): object => Object.assign(new Error(code), { code, name });

describe('what an error means', () => {
  const rows: readonly {
    readonly name: string;
    readonly error: object;
    readonly sent: Sent;
    readonly want: Failure['kind'];
  }[] = [
    { name: 'the published throttle', error: refusal('RequestLimitExceeded', 503), sent: write, want: 'throttled' },
    {
      name: 'a throttle of a twin maker was not carried out',
      error: refusal('RequestLimitExceeded', 503),
      sent: twins,
      want: 'throttled',
    },
    { name: 'an internal error of a read', error: refusal('InternalError', 500), sent: read, want: 'retryable' },
    {
      name: 'an internal error of a write that can be repeated',
      error: refusal('InternalError', 500),
      sent: write,
      want: 'retryable',
    },
    {
      name: 'an internal error of a write that makes twins',
      error: refusal('InternalError', 500),
      sent: twins,
      want: 'ambiguous',
    },
    { name: 'a page of HTML from a proxy', error: refusal('Unknown', 502), sent: write, want: 'retryable' },
    { name: 'a page of HTML, and a twin maker', error: refusal('Unknown', 502), sent: twins, want: 'ambiguous' },
    {
      name: 'no capacity just now',
      error: refusal('InsufficientInstanceCapacity', 500),
      sent: write,
      want: 'retryable',
    },
    { name: 'something still in the way', error: refusal('DependencyViolation'), sent: write, want: 'conflict' },
    {
      name: 'the same token for something else',
      error: refusal('IdempotentParameterMismatch'),
      sent: write,
      want: 'ambiguous',
    },
    { name: 'gone', error: refusal('InvalidInstanceID.NotFound'), sent: write, want: 'not-found' },
    {
      name: 'an image that is not there is a mistake of the spec',
      error: refusal('InvalidAMIID.NotFound'),
      sent: write,
      want: 'terminal',
    },
    { name: 'denied', error: refusal('UnauthorizedOperation', 403), sent: write, want: 'terminal' },
    { name: 'over quota', error: refusal('VcpuLimitExceeded'), sent: write, want: 'terminal' },
    { name: 'a code nobody knows', error: refusal('NeverHeardOf'), sent: write, want: 'terminal' },
    { name: 'a code that is a property of every object', error: refusal('constructor'), sent: write, want: 'terminal' },
    { name: 'a write that was cut', error: broken('ECONNRESET'), sent: write, want: 'ambiguous' },
    { name: 'a read that was cut', error: broken('ECONNRESET'), sent: read, want: 'retryable' },
    { name: 'a write that timed out', error: broken('', 'TimeoutError'), sent: write, want: 'ambiguous' },
    { name: 'a read that timed out', error: broken('', 'TimeoutError'), sent: read, want: 'retryable' },
    { name: 'a write that was aborted under way', error: broken('', 'AbortError'), sent: write, want: 'ambiguous' },
    { name: 'a write that never left', error: broken('ECONNREFUSED'), sent: write, want: 'retryable' },
    { name: 'a host that has no address', error: broken('ENOTFOUND'), sent: twins, want: 'retryable' },
    { name: 'no credentials', error: broken('', 'CredentialsProviderError'), sent: write, want: 'terminal' },
    { name: 'a write whose answer nobody can read', error: new SyntaxError('bad xml'), sent: write, want: 'ambiguous' },
  ];
  for (const { name, error, sent, want } of rows)
    test(`${name}: ${want}`, () => assert.equal(toFailure(error, sent).kind, want));
});

describe('what is told of an error', () => {
  test('the code and the request id of the cloud', () => {
    const { code, requestId } = toFailure(refusal('DependencyViolation'), write);
    assert.deepEqual({ code, requestId }, { code: 'DependencyViolation', requestId: 'req-1' });
  });
  test('Retry-After, in milliseconds', () => {
    const failure = toFailure(refusal('RequestLimitExceeded', 503, { 'retry-after': '7' }), write);
    assert.equal(failure.kind === 'throttled' && failure.retryAfterMs, 7000);
  });
  test('an encoded authorization message is cut short', () => {
    const error = Object.assign(new Error('x'.repeat(10_000)), { name: 'UnauthorizedOperation', $metadata: {} });
    assert.ok(toFailure(error, write).message.length <= 600);
  });
  test('what is no error at all', () => assert.equal(toFailure('boom', read).message, 'boom'));
});
