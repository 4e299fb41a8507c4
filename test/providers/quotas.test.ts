import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toFailure as ofAws } from '../../providers/aws/errors.ts';
import { failureOfAnswer, failureOfOperation } from '../../providers/azure/errors.ts';
import { failureOf, toFailure as ofGcp } from '../../providers/gcp/errors.ts';
import type { Failure } from '../../src/core/failure.ts';

const aws = (name: string): Failure =>
  ofAws(Object.assign(new Error('no'), { name, $metadata: { httpStatusCode: 400 } }), { mutating: true });
const inBody = (code: string, message: string): string => JSON.stringify({ error: { code, message } });
const azure = (code: string, message = 'no', status = 409): Failure =>
  failureOfAnswer({ status, headers: () => undefined, body: inBody(code, message) }, true);
const gcp = (reason: string): Failure =>
  ofGcp({ status: 403, body: JSON.stringify({ error: { code: 403, errors: [{ reason }] } }) }, { mutating: true });
const cores = 'Operation could not be completed as it results in exceeding approved standardBSFamily Cores quota.';

/** As clouds say that there are too many already, and what they say much alike. */
const rows: readonly (readonly [name: string, failure: Failure | undefined, quota: boolean])[] = [
  ['EC2: instances', aws('InstanceLimitExceeded'), true],
  ['EC2: vCPUs', aws('VcpuLimitExceeded'), true],
  ['EC2: addresses of a subnet', aws('InsufficientFreeAddressesInSubnet'), true],
  ['EC2: requests', aws('RequestLimitExceeded'), false],
  ['EC2: groups of one machine', aws('SecurityGroupsPerInstanceLimitExceeded'), false],
  ['EC2: it has no more such machines', aws('InsufficientInstanceCapacity'), false],
  ['EC2: denied', aws('UnauthorizedOperation'), false],
  ['Azure: cores', azure('OperationNotAllowed', cores), true],
  ['Azure: cores, of an operation', failureOfOperation(inBody('OperationNotAllowed', cores)), true],
  ['Azure: any quota', azure('QuotaExceeded'), true],
  ['Azure: not allowed for another reason', azure('OperationNotAllowed', 'the machine is deallocated'), false],
  ['Azure: not now', azure('OperationNotAllowed', 'quota of requests', 429), false],
  ['Compute Engine: a quota', gcp('quotaExceeded'), true],
  [
    'Compute Engine: a quota, of an operation',
    failureOf({ name: 'o', error: { errors: [{ code: 'QUOTA_EXCEEDED', message: 'no' }] } }),
    true,
  ],
  ['Compute Engine: requests', gcp('rateLimitExceeded'), false],
];

describe('what is refused for how many there would be', () => {
  for (const [name, failure, quota] of rows)
    test(`${name}: ${quota ? 'a quota' : 'no quota'}`, () => {
      assert.equal(failure?.quota, quota ? true : undefined);
      if (quota) assert.equal(failure?.kind, 'terminal');
    });
});
