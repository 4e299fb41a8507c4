import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Sent, toFailure } from '../../../providers/aws/errors.ts';
import type { Failure } from '../../../src/core/failure.ts';

const read: Sent = { mutating: false };
const write: Sent = { mutating: true };
const twins: Sent = { mutating: true, makesTwins: true };

/** A refusal, as the SDK throws it. */
const refusal = (name: string, httpStatusCode = 400, headers = {}): object =>
  Object.assign(new Error(`${name}: no`), {
    name,
    Code: name,
    $metadata: { httpStatusCode, requestId: 'req-1' },
    $response: { statusCode: httpStatusCode, headers },
  });
const broken = (code: string, name = 'Error'): object => Object.assign(new Error(code), { code, name });

const nowhere = (code: string, $metadata?: object): object =>
  Object.assign(new Error(`getaddrinfo ${code} sts.eu-nowhere-1.amazonaws.com`), { code, $metadata });

test('a host name without an address: the message names the region, which may be none', () => {
  const said = 'getaddrinfo ENOTFOUND sts.eu-nowhere-1.amazonaws.com';
  const { message } = toFailure(Object.assign(new Error(said), { code: 'ENOTFOUND' }), read);
  assert.match(
    message,
    /^the host sts\.eu-nowhere-1\.amazonaws\.com is unknown, so "eu-nowhere-1" may not be a region of AWS\. Correct `region:` of the target\. To list the regions: aws ec2 describe-regions /,
  );
  const other = toFailure(Object.assign(new Error('getaddrinfo ENOTFOUND proxy.example'), { code: 'ENOTFOUND' }), read);
  assert.equal(other.message, 'getaddrinfo ENOTFOUND proxy.example');
});

test('the failure names a region only where the network says that its host does not exist', () => {
  const regionOf = (error: object, sent: Sent): string | undefined => toFailure(error, sent).region;
  assert.equal(regionOf(nowhere('ENOTFOUND'), read), 'eu-nowhere-1');
  assert.equal(regionOf(nowhere('ENOTFOUND'), write), undefined);
  assert.equal(regionOf(nowhere('EAI_AGAIN'), read), undefined);
  assert.equal(regionOf(broken('ENOTFOUND'), read), undefined);
});

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
    { name: 'the host of a region that is none', error: nowhere('ENOTFOUND'), sent: read, want: 'terminal' },
    {
      name: 'the same, as the SDK marks it',
      error: nowhere('ENOTFOUND', { attempts: 1 }),
      sent: read,
      want: 'terminal',
    },
    { name: 'the same, to a write', error: nowhere('ENOTFOUND'), sent: write, want: 'retryable' },
    { name: 'the same, where the network cannot tell', error: nowhere('EAI_AGAIN'), sent: read, want: 'retryable' },
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

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Every code that means something to us, by its meaning. */
const table: Readonly<Partial<Record<Failure['kind'], string>>> = {
  throttled: `
    RequestLimitExceeded Throttling ThrottlingException ThrottledException EC2ThrottledException RequestThrottled
    RequestThrottledException TooManyRequestsException SlowDown BandwidthLimitExceeded
  `,
  retryable: `
    InternalError InternalFailure Unavailable ServiceUnavailable InsufficientInstanceCapacity
    InsufficientHostCapacity InsufficientCapacity ConcurrentTagAccess RequestExpired RequestTimeTooSkewed
  `,
  conflict: `
    DependencyViolation IncorrectState IncorrectInstanceState IncorrectModificationState
    IdempotentInstanceTerminated InvalidGroup.Duplicate InvalidGroup.InUse InvalidPermission.Duplicate
    InvalidSubnet.Conflict Resource.AlreadyAssociated Resource.AlreadyAttached RouteAlreadyExists
    Gateway.NotAttached InvalidNextToken InvalidPaginationToken VolumeInUse
  `,
  ambiguous: `
    IdempotentParameterMismatch
  `,
  terminal: `
    InvalidAMIID.NotFound InvalidAMIID.Unavailable InvalidAMIID.Malformed InvalidGroupId.Malformed
    InvalidInstanceID.Malformed InvalidInternetGatewayId.Malformed InvalidRouteTableId.Malformed AuthFailure
    UnauthorizedOperation AccessDenied ExpiredToken InvalidClientTokenId SignatureDoesNotMatch OptInRequired
    OperationNotPermitted InstanceLimitExceeded VcpuLimitExceeded VpcLimitExceeded SubnetLimitExceeded
    SecurityGroupLimitExceeded RulesPerSecurityGroupLimitExceeded InternetGatewayLimitExceeded
    RouteTableLimitExceeded SecurityGroupsPerInstanceLimitExceeded SecurityGroupsPerInterfaceLimitExceeded
    TagLimitExceeded InsufficientFreeAddressesInSubnet InvalidParameterValue InvalidParameterCombination
    InvalidParameter MissingParameter InvalidVpcRange InvalidVpc.Range InvalidSubnet.Range InvalidGroup.Reserved
    InvalidKeyPair.NotFound InvalidPrefixListID.NotFound CannotDelete Unsupported UnsupportedOperation
    VolumeModificationRateExceeded CredentialsProviderError
  `,
  'not-found': `
    InvalidAssociationID.NotFound InvalidGroup.NotFound InvalidInstanceID.NotFound
    InvalidInternetGatewayID.NotFound InvalidPermission.NotFound InvalidRoute.NotFound
    InvalidRouteTableID.NotFound InvalidSecurityGroupRuleId.NotFound InvalidSubnetID.NotFound
    InvalidVolume.NotFound InvalidVpcID.NotFound
  `,
};

const quotas = new Set(
  words(`
    InstanceLimitExceeded VcpuLimitExceeded VpcLimitExceeded SubnetLimitExceeded SecurityGroupLimitExceeded
    RulesPerSecurityGroupLimitExceeded InternetGatewayLimitExceeded RouteTableLimitExceeded
    InsufficientFreeAddressesInSubnet
  `),
);

/** Node's codes for a request that never left. */
const neverSent = words('ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH');

const requests = { read, write, twins };
const statuses = [undefined, 200, 302, 399, 400, 403, 404, 409, 429, 499, 500, 502, 503];

/** The truth table above `toFailure`. */
function meaningOf(known: Failure['kind'] | undefined, status: number | undefined, sent: Sent): Failure['kind'] {
  const unanswered = sent.mutating ? 'ambiguous' : 'retryable';
  const isServerError = status !== undefined && status >= 500;
  if (sent.makesTwins && isServerError && (known === undefined || known === 'retryable')) return 'ambiguous';
  if (known !== undefined) return known;
  if (status === undefined || status < 400) return unanswered;
  return isServerError ? 'retryable' : 'terminal';
}

/** As the SDK throws: without a status no answer came. */
const thrown = (name: string, status: number | undefined): object =>
  status === undefined ? Object.assign(new Error(`${name}: no`), { name }) : refusal(name, status);

const flagsOf = (code: string): object => ({
  ...(quotas.has(code) ? { quota: true } : {}),
  ...(code === 'IdempotentInstanceTerminated' ? { ended: true } : {}),
});

const sendings = Object.entries(requests).flatMap(([name, sent]) =>
  statuses.map((status) => ({ name: `${name}, ${status}`, sent, status })),
);

describe('every code, after every status, of every request', () => {
  const known = Object.entries(table).flatMap(([kind, codes]) =>
    // why: the keys of the table are kinds
    words(codes).map((code) => [code, kind as Failure['kind']] as const),
  );
  const codes = [
    ...known,
    ...words('Unknown NeverHeardOf constructor toString').map((code) => [code, undefined] as const),
  ];
  for (const [code, kind] of codes)
    test(`${code}: ${kind ?? 'by its status'}`, () => {
      for (const { name, sent, status } of sendings) {
        const want = {
          kind: meaningOf(kind, status, sent),
          code,
          message: `${code}: no`,
          ...(status === undefined ? {} : { requestId: 'req-1' }),
          ...flagsOf(code),
        };
        assert.deepEqual(toFailure(thrown(code, status), sent), want, name);
      }
    });
  test('the codes of the table are each of one meaning', () =>
    assert.equal(new Set(known.map(([code]) => code)).size, known.length));

  for (const code of neverSent)
    test(`${code}: it never left`, () => {
      for (const sent of Object.values(requests))
        assert.deepEqual(toFailure(broken(code), sent), { kind: 'retryable', code, message: code });
    });
  for (const code of ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])
    test(`${code}: it may have arrived`, () => {
      const kinds = Object.values(requests).map((sent) => toFailure(broken(code), sent).kind);
      assert.deepEqual(kinds, ['retryable', 'ambiguous', 'ambiguous']);
    });
});

describe('the code of what was thrown', () => {
  const answered = { $metadata: { httpStatusCode: 400 } };
  const page = (name?: string, statusCode?: number) => ({ name, $response: { statusCode } });
  const rows: readonly (readonly [name: string, thrown: unknown, code: string])[] = [
    ['Node’s code, without an answer', { name: 'Error', code: 'EPIPE' }, 'EPIPE'],
    ['the name, after an answer', { name: 'Refused', code: 'EPIPE', ...answered }, 'Refused'],
    ['the name, where the code is a number', { name: 'Refused', code: 20 }, 'Refused'],
    ['the name, where the code is empty', { name: 'Refused', code: '' }, 'Refused'],
    ['a status, where nobody names it', page(undefined, 502), 'Http502'],
    ['a status, where its name says nothing', page('Error', 503), 'Http503'],
    ['a status, where the answer is no XML', page('SyntaxError', 504), 'Http504'],
    ['a name, and a status', page('Denied', 403), 'Denied'],
    ['a name that says nothing, and no status', page('Error'), 'Error'],
    ['nothing at all', {}, 'Unknown'],
    ['null', null, 'Unknown'],
    ['a text', 'boom', 'Unknown'],
  ];
  for (const [name, error, code] of rows) test(name, () => assert.equal(toFailure(error, read).code, code));

  test('the status of the SDK goes before that of the answer', () => {
    const error = { name: 'X', $metadata: { httpStatusCode: 500 }, $response: { statusCode: 400 } };
    assert.equal(toFailure(error, write).kind, 'retryable');
    assert.equal(toFailure({ ...error, $metadata: {} }, write).kind, 'terminal');
  });
  test('a message is kept up to 600 characters, and what has none is told as it is', () => {
    for (const many of [1, 599, 600, 601])
      assert.equal(toFailure({ message: 'm'.repeat(many) }, read).message.length, Math.min(many, 600));
    assert.equal(toFailure(undefined, read).message, 'undefined');
  });
});
