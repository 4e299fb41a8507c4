import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureOf, type Refusal, toFailure } from '../../../providers/gcp/errors.ts';
import type { Operation } from '../../../providers/gcp/messages.ts';
import type { Failure } from '../../../src/core/failure.ts';

const body = (code: number, reason: string, message = 'no'): string =>
  JSON.stringify({ error: { code, message, errors: [{ message, domain: 'global', reason }] } });
const refused = (status: number, reason: string): Refusal => ({ status, body: body(status, reason) });
const node = (code: string): Refusal => ({
  error: new TypeError('fetch failed', { cause: Object.assign(new Error(`connect ${code}`), { code }) }),
});

const unseen = (field: string, what: string): string =>
  `Invalid value for field '${field}': 'projects/acme/x'. The referenced ${what} resource cannot be found.`;

interface Row {
  readonly name: string;
  readonly refusal: Refusal;
  readonly read: Failure['kind'];
  readonly write?: Failure['kind'];
  readonly code: string;
}

const rows: readonly Row[] = [
  {
    name: '403 for too many requests',
    refusal: refused(403, 'rateLimitExceeded'),
    read: 'throttled',
    code: 'rateLimitExceeded',
  },
  { name: '429 of any reason', refusal: refused(429, 'tooFast'), read: 'throttled', code: 'tooFast' },
  {
    name: 'too many requests, in the newer form',
    refusal: {
      status: 403,
      body: JSON.stringify({
        error: { code: 403, message: 'm', status: 'PERMISSION_DENIED', details: [{ reason: 'RATE_LIMIT_EXCEEDED' }] },
      }),
    },
    read: 'throttled',
    code: 'RATE_LIMIT_EXCEEDED',
  },
  { name: '403 for lack of permission', refusal: refused(403, 'forbidden'), read: 'terminal', code: 'forbidden' },
  { name: '403 over quota', refusal: refused(403, 'quotaExceeded'), read: 'terminal', code: 'quotaExceeded' },
  { name: '403 of an unknown reason', refusal: refused(403, 'mood'), read: 'terminal', code: 'mood' },
  { name: '401', refusal: refused(401, 'authError'), read: 'terminal', code: 'authError' },
  { name: '400', refusal: refused(400, 'invalid'), read: 'terminal', code: 'invalid' },
  { name: '404', refusal: refused(404, 'notFound'), read: 'not-found', code: 'notFound' },
  { name: '409', refusal: refused(409, 'alreadyExists'), read: 'conflict', code: 'alreadyExists' },
  { name: '412', refusal: refused(412, 'conditionNotMet'), read: 'conflict', code: 'conditionNotMet' },
  { name: '412 of an unknown reason', refusal: refused(412, 'stale'), read: 'conflict', code: 'stale' },
  {
    name: '400 for what is in use',
    refusal: refused(400, 'resourceInUseByAnotherResource'),
    read: 'conflict',
    code: 'resourceInUseByAnotherResource',
  },
  {
    name: '400 for what is not ready',
    refusal: refused(400, 'resourceNotReady'),
    read: 'retryable',
    code: 'resourceNotReady',
  },
  { name: '503', refusal: refused(503, 'backendError'), read: 'retryable', code: 'backendError' },
  { name: '500 of an unknown reason', refusal: refused(500, 'mood'), read: 'retryable', code: 'mood' },
  {
    name: '502 of a proxy',
    refusal: { status: 502, body: '<html>' },
    read: 'retryable',
    write: 'ambiguous',
    code: 'Http502',
  },
  { name: '403 of a proxy', refusal: { status: 403, body: '<html>' }, read: 'terminal', code: 'Http403' },
  {
    name: 'a refused connection',
    refusal: node('ECONNREFUSED'),
    read: 'retryable',
    write: 'retryable',
    code: 'ECONNREFUSED',
  },
  { name: 'an unknown host', refusal: node('ENOTFOUND'), read: 'retryable', write: 'retryable', code: 'ENOTFOUND' },
  { name: 'a reset', refusal: node('ECONNRESET'), read: 'retryable', write: 'ambiguous', code: 'ECONNRESET' },
  {
    name: 'a timeout',
    refusal: { error: new Error('late') },
    read: 'retryable',
    write: 'ambiguous',
    code: 'Unanswered',
  },
  {
    name: 'an answer that cannot be read',
    refusal: { status: 200, error: new SyntaxError('not JSON') },
    read: 'retryable',
    write: 'ambiguous',
    code: 'Http200',
  },
  {
    name: 'a network that is not seen everywhere yet',
    refusal: { status: 400, body: body(400, 'invalid', unseen('resource.network', 'network')) },
    read: 'not-found',
    code: 'invalid',
  },
  {
    name: 'a subnet that is not seen everywhere yet',
    refusal: {
      status: 400,
      body: body(400, 'invalid', unseen('resource.networkInterfaces[0].subnetwork', 'subnetwork')),
    },
    read: 'not-found',
    code: 'invalid',
  },
  {
    name: 'an image that is not there',
    refusal: {
      status: 400,
      body: body(400, 'invalid', unseen('resource.disks[0].initializeParams.sourceImage', 'image')),
    },
    read: 'terminal',
    code: 'invalid',
  },
  {
    name: 'no credentials',
    refusal: { error: Object.assign(new Error('none found'), { code: 'credentials' }) },
    read: 'terminal',
    code: 'credentials',
  },
];

describe('what a refusal means', () => {
  for (const { name, refusal, read, write = read, code } of rows) {
    test(`${name}: ${read} of a read, ${write} of a write`, () => {
      const [ofRead, ofWrite] = [false, true].map((mutating) => toFailure(refusal, { mutating }));
      assert.deepEqual([ofRead?.kind, ofRead?.code], [read, code]);
      assert.deepEqual([ofWrite?.kind, ofWrite?.code], [write, code]);
    });
  }
  test('the cloud’s message is kept, and cut', () => {
    const long = toFailure({ status: 400, body: body(400, 'invalid', 'x'.repeat(5000)) }, { mutating: true });
    assert.equal(long.message.length, 600);
  });
  test('a throttle says how long', () => {
    const failure = toFailure({ ...refused(403, 'rateLimitExceeded'), retryAfterMs: 7000 }, { mutating: false });
    assert.equal(failure.kind === 'throttled' && failure.retryAfterMs, 7000);
  });
  test('nothing is said of a body that is none', () =>
    assert.match(toFailure({ status: 500, body: '' }, { mutating: false }).message, /500/));
});

describe('what an operation came to', () => {
  const ended = (code: string, httpErrorStatusCode = 400) =>
    failureOf({ name: 'operation-1', httpErrorStatusCode, error: { errors: [{ code, message: 'm' }] } });
  const meanings: readonly (readonly [string, Failure['kind']])[] = [
    ['RESOURCE_ALREADY_EXISTS', 'conflict'],
    ['RESOURCE_IN_USE_BY_ANOTHER_RESOURCE', 'conflict'],
    ['RESOURCE_NOT_FOUND', 'not-found'],
    ['RESOURCE_NOT_READY', 'retryable'],
    ['ZONE_RESOURCE_POOL_EXHAUSTED', 'retryable'],
    // No rate limit slows for an operation, so its caller waits by itself.
    ['RATE_LIMIT_EXCEEDED', 'retryable'],
    ['CONCURRENT_OPERATIONS_QUOTA_EXCEEDED', 'retryable'],
    ['QUOTA_EXCEEDED', 'terminal'],
    ['PERMISSIONS_ERROR', 'terminal'],
    ['A_CODE_OF_TOMORROW', 'terminal'],
  ];
  for (const [code, kind] of meanings)
    test(`${code}: ${kind}`, () => assert.deepEqual([ended(code)?.kind, ended(code)?.code], [kind, code]));
  test('one without errors is done', () => assert.equal(failureOf({ name: 'operation-1', status: 'DONE' }), undefined));
  test('one with a status and no code is judged by it', () =>
    assert.deepEqual(failureOf({ httpErrorStatusCode: 404, httpErrorMessage: 'NOT FOUND' })?.kind, 'not-found'));
  test('it names the operation', () => assert.equal(ended('QUOTA_EXCEEDED')?.requestId, 'operation-1'));
});

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Every reason and code that means something to us, by its meaning. */
const table: Readonly<Partial<Record<Failure['kind'], string>>> = {
  throttled: `
    rateLimitExceeded userRateLimitExceeded RATE_LIMIT_EXCEEDED concurrentLimitExceeded
    CONCURRENT_OPERATIONS_QUOTA_EXCEEDED
  `,
  retryable: `
    backendError internalError INTERNAL_ERROR serviceUnavailable SERVICE_UNAVAILABLE badGateway gatewayTimeout
    resourceNotReady RESOURCE_NOT_READY resourceOperationRateExceeded RESOURCE_OPERATION_RATE_EXCEEDED
    ZONE_RESOURCE_POOL_EXHAUSTED ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS
  `,
  conflict: `
    alreadyExists duplicate RESOURCE_ALREADY_EXISTS conditionNotMet CONDITION_NOT_MET fingerprintMismatch
    resourceInUseByAnotherResource RESOURCE_IN_USE_BY_ANOTHER_RESOURCE resourceInUse RESOURCE_IN_USE
    ipRangeConflict INVALID_STATE preconditionFailed
  `,
  'not-found': `
    notFound RESOURCE_NOT_FOUND
  `,
  terminal: `
    forbidden insufficientPermissions PERMISSIONS_ERROR authError required invalid badRequest INVALID_FIELD_VALUE
    INVALID_USAGE invalidParameter UNSUPPORTED_OPERATION IP_SPACE_EXHAUSTED quotaExceeded QUOTA_EXCEEDED
    limitExceeded LIMIT_EXCEEDED dailyLimitExceeded accessNotConfigured SERVICE_DISABLED billingNotEnabled
    credentials
  `,
};

const quotas = new Set(words('quotaExceeded QUOTA_EXCEEDED limitExceeded LIMIT_EXCEEDED IP_SPACE_EXHAUSTED'));

/** Node's codes for a request that never left. */
const neverSent = words('ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH');

const ofStatus: Readonly<Record<number, Failure['kind']>> = { 404: 'not-found', 409: 'conflict', 412: 'conflict' };

/** The truth table above `toFailure`, of an answer with a reason. */
function meaningOf(known: Failure['kind'] | undefined, status: number, mutating: boolean): Failure['kind'] {
  if (known !== undefined) return known;
  if (status < 400) return mutating ? 'ambiguous' : 'retryable';
  if (status === 429) return 'throttled';
  return status >= 500 ? 'retryable' : (ofStatus[status] ?? 'terminal');
}

const ofOperation = (status = 0): Failure['kind'] => (status === 429 ? 'throttled' : (ofStatus[status] ?? 'terminal'));

const modes = [false, true];
const sendings = modes.flatMap((mutating) =>
  [200, 302, 399, 400, 403, 404, 409, 410, 412, 413, 429, 499, 500, 502, 503, 504].map((status) => ({
    mutating,
    status,
  })),
);

describe('every reason, with every status, of a read and of a write', () => {
  const known = Object.entries(table).flatMap(([kind, codes]) =>
    // why: the keys of the table are kinds
    words(codes).map((code) => [code, kind as Failure['kind']] as const),
  );
  const codes = [...known, ...words('NeverHeardOf constructor').map((code) => [code, undefined] as const)];
  for (const [code, kind] of codes)
    test(`${code}: ${kind ?? 'by its status'}`, () => {
      const quota = quotas.has(code) ? { quota: true } : {};
      for (const { mutating, status } of sendings) {
        const want = meaningOf(kind, status, mutating);
        const told = { kind: want, code, message: 'no', ...quota };
        assert.deepEqual(toFailure(refused(status, code), { mutating }), told, `${status}, ${mutating}`);
      }
    });
  for (const [code, kind] of codes)
    test(`${code} of an operation: ${kind ?? 'by its status'}`, () => {
      const quota = quotas.has(code) ? { quota: true } : {};
      for (const status of [undefined, 200, 400, 404, 409, 412, 429, 500, 503]) {
        const http = status === undefined ? {} : { httpErrorStatusCode: status };
        const failure = failureOf({ name: 'operation-1', error: { errors: [{ code, message: 'm' }] }, ...http });
        const meant = kind ?? ofOperation(status);
        const want = meant === 'throttled' ? 'retryable' : meant;
        assert.deepEqual(failure, { kind: want, code, message: 'm', requestId: 'operation-1', ...quota }, `${status}`);
      }
    });

  test('a page without a reason is judged by its status; a gateway says nothing of a write', () => {
    for (const mutating of modes)
      for (const status of [400, 403, 404, 409, 412, 429, 500, 501, 502, 503, 504, 505]) {
        const isLost = mutating && (status === 502 || status === 504);
        const kind = isLost ? 'ambiguous' : meaningOf(undefined, status, mutating);
        const message = `the cloud answered ${status} and no reason`;
        for (const page of ['<html>', '', 'null', '7', '[]', '{"error":null}', '{"error":"no"}', '{"message":"no"}'])
          assert.deepEqual(
            toFailure({ status, body: page }, { mutating }),
            { kind, code: `Http${status}`, message },
            page,
          );
      }
  });

  for (const code of [...neverSent, 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'])
    test(`${code}: ${neverSent.includes(code) ? 'it never left' : 'it may have arrived'}`, () => {
      const write = neverSent.includes(code) ? 'retryable' : 'ambiguous';
      const message = `fetch failed: connect ${code}`;
      assert.deepEqual(toFailure(node(code), { mutating: true }), { kind: write, code, message });
      assert.deepEqual(toFailure(node(code), { mutating: false }), { kind: 'retryable', code, message });
    });
});

describe('what is told of a refusal', () => {
  const told = (error: object) => {
    const { code, message } = toFailure({ status: 400, body: JSON.stringify({ error }) }, { mutating: false });
    return [code, message];
  };
  const rows: readonly (readonly [name: string, error: object, want: readonly string[]])[] = [
    ['the first reason', { errors: [{ reason: 'a' }, { reason: 'b' }], message: 'm' }, ['a', 'm']],
    ['the first that there is', { errors: [{}, { reason: 'b' }], message: 'm' }, ['b', 'm']],
    [
      'one of the older form before the newer',
      { details: [{ reason: 'd' }], errors: [{ reason: 'a' }], message: 'm' },
      ['a', 'm'],
    ],
    ['one of the newer form', { details: [{}, { reason: 'd' }], status: 'S', message: 'm' }, ['d', 'm']],
    ['the status, where there is no reason', { status: 'S', message: 'm' }, ['S', 'm']],
    ['the number, where there is neither', { message: 'm' }, ['Http400', 'm']],
    ['no message', { status: 'S' }, ['S', 'the cloud gave no message']],
  ];
  for (const [name, error, want] of rows) test(name, () => assert.deepEqual(told(error), want));

  test('Node’s code is the innermost of four', () => {
    const chain = (...codes: readonly (string | undefined)[]): Error =>
      codes.reduceRight<Error | undefined>(
        (cause, code) => Object.assign(new Error('e', { cause }), code === undefined ? {} : { code }),
        undefined,
      ) ?? new Error('e');
    const codeOf = (error: unknown) => toFailure({ error }, { mutating: false }).code;
    assert.equal(codeOf(chain('A', 'B', undefined)), 'B');
    assert.equal(codeOf(chain('A', 'B', 'C', 'D')), 'D');
    assert.equal(codeOf(chain('A', 'B', 'C', 'D', 'E')), 'D');
    assert.equal(codeOf(chain(undefined)), 'Unanswered');
    assert.equal(codeOf('boom'), 'Unanswered');
    assert.equal(codeOf(Object.assign(new Error('e'), { code: 20 })), 'Unanswered');
  });
  test('a message tells its cause, and 600 characters are kept', () => {
    const messageOf = (error: unknown) => toFailure({ error }, { mutating: false }).message;
    assert.equal(messageOf(new Error('late')), 'late');
    assert.equal(messageOf(new Error('late', { cause: 'x' })), 'late');
    assert.equal(messageOf(new Error('late', { cause: new Error('cut') })), 'late: cut');
    assert.equal(messageOf('boom'), 'the cloud answered undefined and no reason');
    for (const many of [599, 600, 601])
      assert.equal(messageOf(new Error('m'.repeat(many))).length, Math.min(many, 600));
  });
  test('a throttle that names no wait lasts until its window ends, and nothing else does', () => {
    const waitOf = (reason: string, asked: Partial<Refusal>) => {
      const failure = toFailure({ ...refused(403, reason), ...asked }, { mutating: true });
      return 'retryAfterMs' in failure ? failure.retryAfterMs : undefined;
    };
    assert.equal(waitOf('rateLimitExceeded', { windowMs: 9 }), 9);
    assert.equal(waitOf('rateLimitExceeded', { windowMs: 9, retryAfterMs: 5 }), 5);
    assert.equal(waitOf('rateLimitExceeded', { windowMs: 9, retryAfterMs: 0 }), 0);
    assert.equal(waitOf('backendError', { windowMs: 9 }), undefined);
    assert.equal(waitOf('backendError', { windowMs: 9, retryAfterMs: 5 }), 5);
    assert.equal(waitOf('forbidden', { windowMs: 9, retryAfterMs: 5 }), undefined);
  });

  const unseenIn = (reason: string, field: string, message = unseen(field, 'network')) =>
    toFailure({ status: 400, body: body(400, reason, message) }, { mutating: true }).kind;
  for (const [field, kind] of [
    ['resource.network', 'not-found'],
    ['resource.networkInterfaces[0].network', 'not-found'],
    ['resource.networkInterfaces[12].subnetwork', 'not-found'],
    ['resource.networkInterfaces[].subnetwork', 'terminal'],
    ['resource.networks', 'terminal'],
    ['resource.disks[0].source', 'terminal'],
  ] as const)
    test(`${field} cannot be found: ${kind}`, () => {
      assert.equal(unseenIn('invalid', field), kind);
      assert.equal(unseenIn('required', field), 'terminal', 'only what is said to be invalid');
      assert.equal(unseenIn('invalid', field, `Invalid value for field '${field}'`), 'terminal');
    });
});

describe('every way in which an operation may say that it failed', () => {
  const rows: readonly (readonly [
    operation: Operation,
    want: readonly [kind: string, code: string, message: string],
  ])[] = [
    [{ error: {} }, ['terminal', 'OperationFailed', 'the operation failed']],
    [{ error: { errors: [] } }, ['terminal', 'OperationFailed', 'the operation failed']],
    [{ error: { errors: [{}] } }, ['terminal', 'OperationFailed', 'the operation failed']],
    [{ error: { errors: [{ code: 'A' }] } }, ['terminal', 'A', 'the operation failed']],
    [{ error: { errors: [{ code: '' }] }, httpErrorStatusCode: 409 }, ['conflict', 'Http409', 'the operation failed']],
    [{ error: { errors: [{ message: 'a' }, { message: 'b' }] } }, ['terminal', 'OperationFailed', 'a b']],
    [{ error: { errors: [{ message: '' }] }, httpErrorMessage: 'H' }, ['terminal', 'OperationFailed', 'H']],
    [{ error: { errors: [{ message: 'a' }] }, httpErrorMessage: 'H' }, ['terminal', 'OperationFailed', 'a']],
    [{ httpErrorStatusCode: 404 }, ['not-found', 'Http404', 'the operation failed']],
    [{ httpErrorStatusCode: 500 }, ['terminal', 'Http500', 'the operation failed']],
    [{ httpErrorMessage: 'FORBIDDEN' }, ['terminal', 'OperationFailed', 'FORBIDDEN']],
  ];
  for (const [operation, [kind, code, message]] of rows)
    test(JSON.stringify(operation), () => {
      assert.deepEqual(failureOf(operation), { kind, code, message });
      assert.deepEqual(failureOf({ ...operation, name: 'o' }), { kind, code, message, requestId: 'o' });
    });
  for (const operation of [{}, { status: 'DONE' }, { httpErrorStatusCode: 0 }, { httpErrorMessage: '' }] as const)
    test(`${JSON.stringify(operation)}: done`, () => assert.equal(failureOf(operation), undefined));
  test('600 characters of it are kept', () => {
    for (const many of [599, 600, 601])
      assert.equal(failureOf({ httpErrorMessage: 'm'.repeat(many) })?.message.length, Math.min(many, 600));
  });
});
