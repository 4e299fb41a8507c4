import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  failureOfAnswer,
  failureOfOperation,
  failureOfThrown,
  hasFailed,
  retryAfterOf,
} from '../../../providers/azure/errors.ts';
import type { Failure } from '../../../src/core/failure.ts';

const headersOf = (headers: Readonly<Record<string, string>>) => (name: string) => headers[name];
const answer = (status: number, code: string, headers: Readonly<Record<string, string>> = {}) =>
  failureOfAnswer({ status, headers: headersOf(headers), body: JSON.stringify({ error: { code, message: 'why' } }) });

test('no credential anywhere: one line, not one for each place that was looked into', () => {
  const said =
    'ChainedTokenCredential authentication failed.\nCredentialUnavailableError: EnvironmentCredential is unavailable.';
  const { message } = failureOfThrown(Object.assign(new Error(said), { name: 'AggregateAuthenticationError' }), false);
  assert.match(message, /^no token for Azure: no credential was found in .* \(az login\)$/);
});

describe('what an answer means', () => {
  const rows: readonly (readonly [number, string, string])[] = [
    [429, 'TooManyRequests', 'throttled'],
    [429, 'SubscriptionRequestsThrottled', 'throttled'],
    [429, 'OperationNotAllowed', 'throttled'],
    [429, 'SomethingNew', 'throttled'],
    [429, 'RetryableErrorDueToAnotherOperation', 'retryable'],
    [429, 'AnotherOperationInProgress', 'retryable'],
    [409, 'OperationNotAllowed', 'terminal'],
    [409, 'AnotherOperationInProgress', 'retryable'],
    [412, 'PreconditionFailed', 'conflict'],
    [412, 'SomethingNew', 'conflict'],
    [400, 'InUseSubnetCannotBeDeleted', 'conflict'],
    [400, 'InUseNetworkSecurityGroupCannotBeDeleted', 'conflict'],
    [400, 'SecurityRuleConflict', 'conflict'],
    [400, 'ReferencedResourceNotProvisioned', 'retryable'],
    [400, 'NetcfgInvalidSubnet', 'terminal'],
    [400, 'SomethingNew', 'terminal'],
    [404, 'ResourceNotFound', 'not-found'],
    [404, 'ResourceGroupNotFound', 'not-found'],
    [404, 'SubscriptionNotFound', 'terminal'],
    [404, 'InvalidResourceType', 'terminal'],
    [404, 'SomethingNew', 'terminal'],
    [403, 'AuthorizationFailed', 'terminal'],
    [401, 'InvalidAuthenticationToken', 'terminal'],
    [500, 'InternalServerError', 'retryable'],
    [503, 'SomethingNew', 'retryable'],
    [409, 'toString', 'terminal'],
  ];
  for (const [status, code, want] of rows)
    test(`${status} ${code}: ${want}`, () => assert.equal(answer(status, code).kind, want));

  test('it keeps the cloud’s code, words and request id', () =>
    assert.deepEqual(answer(400, 'SomethingNew', { 'x-ms-request-id': 'r-1' }), {
      kind: 'terminal',
      code: 'SomethingNew',
      message: 'why',
      requestId: 'r-1',
    }));
  test('it keeps the id that the activity log and its events have, where there is one', () => {
    const headers = { 'x-ms-request-id': 'r-1', 'x-ms-correlation-request-id': 'c-1' };
    assert.equal(answer(400, 'SomethingNew', headers).requestId, 'c-1');
  });
  test('what is no JSON has its status for a code', () => {
    const page = failureOfAnswer({ status: 502, headers: () => undefined, body: '<html>bad gateway</html>' });
    assert.deepEqual([page.kind, page.code], ['retryable', 'Http502']);
    const write = failureOfAnswer({ status: 502, headers: () => undefined, body: 'bad gateway' }, true);
    assert.equal(write.kind, 'ambiguous', 'a proxy says nothing of what the cloud did');
  });
  test('a long message is cut', () => {
    const body = JSON.stringify({ code: 'X', message: 'm'.repeat(5000) });
    assert.equal(failureOfAnswer({ status: 400, headers: () => undefined, body }).message.length, 600);
  });
  test('a token that came back in a message stays out of it', () => {
    const body = JSON.stringify({ error: { code: 'X', message: 'header Bearer eyJhbGci.abc was bad' } });
    assert.doesNotMatch(failureOfAnswer({ status: 401, headers: () => undefined, body }).message, /eyJ/);
  });
});

describe('how long a throttle asks us to wait', () => {
  const rows: readonly (readonly [string, Readonly<Record<string, string>>, number | undefined])[] = [
    ['seconds', { 'retry-after': '17' }, 17_000],
    ['milliseconds before them', { 'retry-after': '17', 'retry-after-ms': '250' }, 250],
    ['an empty bucket of Resource Manager', { 'x-ms-ratelimit-remaining-subscription-writes': '0' }, 1000],
    ['one that is not empty', { 'x-ms-ratelimit-remaining-subscription-writes': '9' }, undefined],
    [
      'an empty bucket of a provider',
      {
        'x-ms-ratelimit-remaining-resource':
          'Microsoft.Compute/HighCostGet3Min;0,Microsoft.Compute/HighCostGet30Min;12',
      },
      60_000,
    ],
    [
      'none of a provider’s empty',
      { 'x-ms-ratelimit-remaining-resource': 'Microsoft.Compute/HighCostGet3Min;107' },
      undefined,
    ],
    ['nothing said', {}, undefined],
    ['nonsense said', { 'retry-after': 'soon' }, undefined],
  ];
  for (const [name, headers, want] of rows)
    test(name, () => {
      assert.equal(retryAfterOf(headersOf(headers)), want);
      const failure = answer(429, 'TooManyRequests', headers);
      assert.equal(failure.kind === 'throttled' && failure.retryAfterMs, want);
    });
});

describe('no answer', () => {
  const rows: readonly (readonly [object, boolean, string])[] = [
    [{ code: 'ECONNRESET', message: 'm' }, true, 'ambiguous ECONNRESET'],
    [{ code: 'ECONNRESET', message: 'm' }, false, 'retryable ECONNRESET'],
    [{ code: 'ECONNREFUSED', message: 'm' }, true, 'retryable ECONNREFUSED'],
    [{ code: 'ENOTFOUND', message: 'm' }, true, 'retryable ENOTFOUND'],
    [{ name: 'AbortError', message: 'm' }, true, 'ambiguous AbortError'],
    [{}, true, 'ambiguous Unknown'],
  ];
  for (const [error, mutating, want] of rows)
    test(`${mutating ? 'to a write' : 'to a read'}: ${want}`, () => {
      const { kind, code } = failureOfThrown(error, mutating);
      assert.equal(`${kind} ${code}`, want);
    });
});

describe('an operation that failed', () => {
  const failed = (code: string) =>
    failureOfOperation(JSON.stringify({ status: 'Failed', error: { code, message: 'm' } }));
  test('means what its code means', () => {
    assert.deepEqual([failed('AllocationFailed').kind, failed('SkuNotAvailable').kind], ['retryable', 'terminal']);
    assert.equal(failed('SomethingNew').kind, 'terminal');
  });
  test('without a reason is for a person to look at', () =>
    assert.deepEqual([failureOfOperation('').kind, failureOfOperation('').code], ['terminal', 'OperationFailed']));
});

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Every code that means something to us, by its meaning. */
const table: Readonly<Partial<Record<Failure['kind'], string>>> = {
  throttled: `
    TooManyRequests SubscriptionRequestsThrottled Throttled RequestRateLimitExceeded
  `,
  retryable: `
    InternalServerError InternalOperationError InternalExecutionError NetworkingInternalOperationError
    ServiceUnavailable ServerTimeout GatewayTimeout RetryableError RetryableErrorDueToAnotherOperation
    AnotherOperationInProgress ReferencedResourceNotProvisioned AllocationFailed ZonalAllocationFailed
    OperationTimedOut
  `,
  conflict: `
    PreconditionFailed Conflict ConcurrencyConflict Canceled CanceledAndSupersededDueToAnotherOperation
    OperationPreempted ResourceGroupBeingDeleted ResourcesBeingMoved ObjectIsBeingDeleted SecurityRuleConflict
    NetcfgSubnetRangesOverlap NicReservedForAnotherVm AttachDiskWhileBeingDetached
  `,
  'not-found': `
    ResourceNotFound ResourceGroupNotFound ParentResourceNotFound NotFound
  `,
  terminal: `
    InvalidResourceReference SubscriptionNotFound InvalidSubscriptionId InvalidResourceType
    NoRegisteredProviderFound MissingSubscriptionRegistration AuthorizationFailed LinkedAuthorizationFailed
    InvalidAuthenticationToken ExpiredAuthenticationToken AuthenticationFailed RequestDisallowedByPolicy
    ScopeLocked ReadOnlyDisabledSubscription OperationNotAllowed QuotaExceeded SkuNotAvailable
    OverconstrainedAllocationRequest SubnetIsFull NetcfgInvalidSubnet NetcfgSubnetRangeOutsideVnet
    PropertyChangeNotAllowed InvalidParameter InvalidRequestFormat InvalidRequestContent InvalidResourceLocation
    InvalidTagName
  `,
};

/** Node's codes for a request that never left. */
const neverSent = words('ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH');

/** The truth table above `failureOfAnswer`. */
function meaningOf(known: Failure['kind'] | undefined, status: number): Failure['kind'] {
  if (status === 429) return known === 'retryable' ? 'retryable' : 'throttled';
  if (known !== undefined) return known;
  if (status === 412) return 'conflict';
  return status === 408 || status >= 500 ? 'retryable' : 'terminal';
}

describe('every code, with every status', () => {
  const known = Object.entries(table).flatMap(([kind, codes]) =>
    // why: the keys of the table are kinds
    words(codes).map((code) => [code, kind as Failure['kind']] as const),
  );
  const others: readonly (readonly [string, Failure['kind'] | undefined])[] = [
    ['InUseSubnetCannotBeDeleted', 'conflict'],
    ['PublicIPAddressCannotBeDeleted', 'conflict'],
    ['NicInUse', 'conflict'],
    ['CannotBeDeletedNow', undefined],
    ['NeverHeardOf', undefined],
    ['constructor', undefined],
  ];
  for (const [code, kind] of [...known, ...others])
    test(`${code}: ${kind ?? 'by its status'}`, () => {
      const quota = code === 'QuotaExceeded' || code === 'SubnetIsFull' ? { quota: true } : {};
      for (const status of [400, 401, 403, 404, 407, 408, 409, 411, 412, 413, 428, 429, 430, 499, 500, 502, 503, 504]) {
        const want = meaningOf(kind, status);
        const told = { kind: want, code, message: 'why', ...(want === 'throttled' ? {} : quota) };
        assert.deepEqual(answer(status, code), told, `${status}`);
      }
      const body = JSON.stringify({ error: { code, message: 'why' } });
      const ended = kind === 'throttled' ? 'retryable' : (kind ?? 'terminal');
      assert.deepEqual(failureOfOperation(body), { kind: ended, code, message: 'why', ...quota }, 'an operation');
    });

  test('a write loses its answer to a proxy only where a gateway’s status comes without a code', () => {
    for (const status of [400, 500, 501, 502, 503, 504, 505])
      for (const mutating of [false, true]) {
        const isLost = mutating && (status === 502 || status === 504);
        const page = failureOfAnswer({ status, headers: headersOf({}), body: '<html>' }, mutating);
        const want = isLost ? 'ambiguous' : meaningOf(undefined, status);
        assert.deepEqual(page, { kind: want, code: `Http${status}`, message: '<html>' });
        const named = JSON.stringify({ code: 'NeverHeardOf', message: 'why' });
        const said = failureOfAnswer({ status, headers: headersOf({}), body: named }, mutating);
        assert.equal(said.kind, meaningOf(undefined, status));
      }
  });

  for (const code of [...neverSent, 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'])
    test(`${code}: ${neverSent.includes(code) ? 'it never left' : 'it may have arrived'}`, () => {
      const write = neverSent.includes(code) ? 'retryable' : 'ambiguous';
      assert.deepEqual(failureOfThrown({ code, message: 'm' }, true), { kind: write, code, message: 'm' });
      assert.deepEqual(failureOfThrown({ code, message: 'm' }, false), { kind: 'retryable', code, message: 'm' });
    });
});

describe('what a body says', () => {
  const said = (body: string) => {
    const { code, message } = failureOfAnswer({ status: 400, headers: headersOf({}), body });
    return { code, message };
  };
  const none = (body: string) => ({ code: 'Http400', message: body });
  const rows: readonly (readonly [body: string, want: { readonly code: string; readonly message: string }])[] = [
    ['{"error":{"code":"A","message":"b"}}', { code: 'A', message: 'b' }],
    ['{"code":"A","message":"b"}', { code: 'A', message: 'b' }],
    ['{"error":{"code":"A"}}', { code: 'A', message: '{"error":{"code":"A"}}' }],
    ['{"error":{"message":"b"}}', { code: 'Http400', message: 'b' }],
    ...[
      '{"error":{"code":"","message":""}}',
      '{"error":{"code":4,"message":5}}',
      '{"error":null}',
      '{"error":"no"}',
    ].map((body) => [body, none(body)] as const),
    ...['null', '"A"', '7', '[]', '{}', '{', ''].map((body) => [body, none(body)] as const),
  ];
  for (const [body, want] of rows) test(body || 'nothing', () => assert.deepEqual(said(body), want));

  test('an operation that gives no reason says so', () =>
    assert.deepEqual(failureOfOperation('{}'), {
      kind: 'terminal',
      code: 'OperationFailed',
      message: 'the operation failed, and Azure gave no reason',
    }));
  test('every token in a message is left out, and 600 characters are kept', () => {
    const message = 'Bearer abc.def and bearer  xyz; MyBearer stays';
    assert.equal(failureOfThrown({ message }, true).message, 'Bearer … and Bearer … MyBearer stays');
    for (const many of [599, 600, 601])
      assert.equal(failureOfThrown({ message: 'm'.repeat(many) }, true).message.length, Math.min(many, 600));
  });
  test('what was thrown and is no error is told as it is', () => {
    assert.deepEqual(failureOfThrown('boom', false), { kind: 'retryable', code: 'Unknown', message: 'boom' });
    assert.deepEqual(failureOfThrown(null, true), { kind: 'ambiguous', code: 'Unknown', message: 'null' });
    assert.equal(failureOfThrown({ name: 'AbortError', code: 20 }, true).code, 'AbortError');
  });
  test('a quota of machines is told from the text, as a word of its own', () => {
    const refused = (message: string) =>
      failureOfAnswer({
        status: 409,
        headers: headersOf({}),
        body: JSON.stringify({ code: 'OperationNotAllowed', message }),
      });
    assert.equal(refused('exceeding approved Cores Quota.').quota, true);
    assert.equal(refused('quotation marks are missing').quota, undefined);
    const other = JSON.stringify({ code: 'SkuNotAvailable', message: 'no quota' });
    assert.equal(failureOfAnswer({ status: 409, headers: headersOf({}), body: other }).quota, undefined);
  });
});

describe('the state of what was written last', () => {
  const rows: readonly (readonly [body: string, failed: boolean])[] = [
    ...['Failed', 'failed', 'Canceled', 'Cancelled', 'CANCELED'].map(
      (state) => [JSON.stringify({ properties: { provisioningState: state } }), true] as const,
    ),
    ...['Succeeded', 'Updating', 'NotFailed', 'Failed2', ''].map(
      (state) => [JSON.stringify({ properties: { provisioningState: state } }), false] as const,
    ),
    ['{"properties":{"provisioningState":["failed"]}}', false],
    ['{"provisioningState":"Failed"}', false],
    ...['{"properties":null}', '{}', 'null', '<html>', ''].map((body) => [body, false] as const),
  ];
  for (const [body, failed] of rows)
    test(`${body || 'nothing'}: ${failed ? 'failed' : 'not failed'}`, () => assert.equal(hasFailed(body), failed));
});

describe('every bucket that may be empty', () => {
  const fronts = ['subscription', 'tenant', 'subscription-global'].flatMap((scope) =>
    ['reads', 'writes', 'deletes'].map((what) => `x-ms-ratelimit-remaining-${scope}-${what}`),
  );
  for (const name of fronts)
    test(name, () => {
      assert.equal(retryAfterOf(headersOf({ [name]: '0' })), 1000);
      for (const left of ['1', '10', '', '-1'])
        assert.equal(retryAfterOf(headersOf({ [name]: left })), undefined, left);
      assert.equal(retryAfterOf(headersOf({ [name]: '0', 'retry-after': '3' })), 3000, 'what it asks for counts first');
      const both = { [name]: '0', 'x-ms-ratelimit-remaining-resource': 'Microsoft.Compute/A;0' };
      assert.equal(retryAfterOf(headersOf(both)), 60_000, 'the longer of two');
    });
  for (const [text, want] of [
    ['A;0', 60_000],
    ['A;0,B;5', 60_000],
    ['A;5,B;0', 60_000],
    ['A;10,B;20', undefined],
    ['A;05', undefined],
    ['', undefined],
  ] as const)
    test(`x-ms-ratelimit-remaining-resource: ${text}`, () =>
      assert.equal(retryAfterOf(headersOf({ 'x-ms-ratelimit-remaining-resource': text })), want));
  for (const [headers, want] of [
    [{ 'x-ms-retry-after-ms': '40' }, 40],
    [{ 'retry-after-ms': '30', 'x-ms-retry-after-ms': '40' }, 30],
    [{ 'retry-after-ms': '1.5', 'retry-after': '2' }, 2000],
    [{ 'retry-after-ms': 'x9', 'retry-after': '2' }, 2000],
    [{ 'retry-after-ms': '9x', 'retry-after': '2' }, 2000],
  ] as const)
    test(`asked for: ${JSON.stringify(headers)}`, () => {
      assert.equal(retryAfterOf(headersOf(headers)), want);
      const failure = answer(503, 'ServiceUnavailable', headers);
      assert.equal(failure.kind === 'retryable' && failure.retryAfterMs, want);
    });
});
