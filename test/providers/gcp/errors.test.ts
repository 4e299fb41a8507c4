import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureOf, type Refusal, toFailure } from '../../../providers/gcp/errors.ts';
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
    // No lane slows for an operation, so whoever began it waits by himself.
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
