import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureOfAnswer, failureOfOperation, failureOfThrown, retryAfterOf } from '../../../providers/azure/errors.ts';

const headersOf = (headers: Readonly<Record<string, string>>) => (name: string) => headers[name];
const answer = (status: number, code: string, headers: Readonly<Record<string, string>> = {}) =>
  failureOfAnswer({ status, headers: headersOf(headers), body: JSON.stringify({ error: { code, message: 'why' } }) });

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
