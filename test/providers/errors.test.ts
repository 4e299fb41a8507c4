import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toFailure as aws, toFailure as ofAws } from '../../providers/aws/errors.ts';
import type { Sdk } from '../../providers/azure/client.ts';
import { failureOfAnswer, failureOfOperation, failureOfThrown } from '../../providers/azure/errors.ts';
import { failureOf, toFailure as gcp, toFailure as ofGcp } from '../../providers/gcp/errors.ts';
import type { Failure, Result } from '../../src/core/failure.ts';
import { creationOf, desiredOf, recordedCall } from '../support/fixtures.ts';
import { at, network as azureNetwork, type Came, type Reply, scriptedArm } from './azure/scripted-arm.ts';
import { type Asked, refusal, type Scripted, scriptedCloud } from './gcp/scripted-cloud.ts';

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

const quotasAws = (name: string): Failure =>
  ofAws(Object.assign(new Error('no'), { name, $metadata: { httpStatusCode: 400 } }), { mutating: true });
const inBody = (code: string, message: string): string => JSON.stringify({ error: { code, message } });
const azure = (code: string, message = 'no', status = 409): Failure =>
  failureOfAnswer({ status, headers: () => undefined, body: inBody(code, message) }, true);
const quotasGcp = (reason: string): Failure =>
  ofGcp({ status: 403, body: JSON.stringify({ error: { code: 403, errors: [{ reason }] } }) }, { mutating: true });
const cores = 'Operation could not be completed as it results in exceeding approved standardBSFamily Cores quota.';

/** The clouds' messages for an exceeded quota, and similar messages. */
const rows: readonly (readonly [name: string, failure: Failure | undefined, quota: boolean])[] = [
  ['EC2: instances', quotasAws('InstanceLimitExceeded'), true],
  ['EC2: vCPUs', quotasAws('VcpuLimitExceeded'), true],
  ['EC2: addresses of a subnet', quotasAws('InsufficientFreeAddressesInSubnet'), true],
  ['EC2: requests', quotasAws('RequestLimitExceeded'), false],
  ['EC2: groups of one machine', quotasAws('SecurityGroupsPerInstanceLimitExceeded'), false],
  ['EC2: it has no more such machines', quotasAws('InsufficientInstanceCapacity'), false],
  ['EC2: denied', quotasAws('UnauthorizedOperation'), false],
  ['Azure: cores', azure('OperationNotAllowed', cores), true],
  ['Azure: cores, of an operation', failureOfOperation(inBody('OperationNotAllowed', cores)), true],
  ['Azure: any quota', azure('QuotaExceeded'), true],
  ['Azure: not allowed for another reason', azure('OperationNotAllowed', 'the machine is deallocated'), false],
  ['Azure: not now', azure('OperationNotAllowed', 'quota of requests', 429), false],
  ['Compute Engine: a quota', quotasGcp('quotaExceeded'), true],
  [
    'Compute Engine: a quota, of an operation',
    failureOf({ name: 'o', error: { errors: [{ code: 'QUOTA_EXCEEDED', message: 'no' }] } }),
    true,
  ],
  ['Compute Engine: requests', quotasGcp('rateLimitExceeded'), false],
];

describe('what is refused for how many there would be', () => {
  for (const [name, failure, quota] of rows)
    test(`${name}: ${quota ? 'a quota' : 'no quota'}`, () => {
      assert.equal(failure?.quota, quota ? true : undefined);
      if (quota) assert.equal(failure?.kind, 'terminal');
    });
});

/**
 * Compute Engine's fields of a failed operation: `error`, `httpErrorStatusCode` and `httpErrorMessage`, each "if the
 * operation fails", and none needs another. https://docs.cloud.google.com/compute/docs/reference/rest/v1/globalOperations
 */
const errors: readonly object[] = [
  {},
  { error: {} },
  { error: { errors: [] } },
  { error: { errors: [{}] } },
  { error: { errors: [{ message: 'it went wrong' }] } },
  { error: { errors: [{ code: 'RESOURCE_IN_USE_BY_ANOTHER_RESOURCE', message: 'it is in use' }] } },
  { error: { errors: [{ code: 'NEVER_HEARD_OF' }] } },
];
const codes: readonly object[] = [
  {},
  ...[400, 403, 404, 409, 412, 429, 500, 503].map((httpErrorStatusCode) => ({ httpErrorStatusCode })),
];
const words: readonly object[] = [{}, { httpErrorMessage: 'BAD REQUEST' }];

/** Every way to fail: all of these together, but for the one that says nothing. */
const failed: readonly object[] = errors
  .flatMap((error) => codes.flatMap((code) => words.map((word) => ({ ...error, ...code, ...word }))))
  .filter((shape) => Object.keys(shape).length > 0);

const network = (name: string) =>
  creationOf(
    desiredOf('network', {
      address: `gcp/acme/global/network/${name}`,
      name,
      attributes: { internet: true, labels: {} },
    }),
    `intent-${name}`,
  );

/** When the operation's end is seen: in the answer to the write, by `wait`, or in a listing of several. */
type Seen = 'at once' | 'by wait' | 'in a listing';

async function createdOnGoogle(shape: object, seen: Seen): Promise<readonly Result<unknown>[]> {
  let begun = 0;
  const operation = (name: string, status: string): object => ({
    kind: 'compute#operation',
    name,
    operationType: 'insert',
    selfLink: `https://www.googleapis.com/compute/v1/projects/acme/global/operations/${name}`,
    status,
    ...(status === 'DONE' ? shape : {}),
  });
  const made = new Map<string, object>();
  const answer = ({ method, path, body }: Asked): Scripted => {
    if (method === 'POST' && path === 'global/networks') {
      const asked: { readonly name: string } = JSON.parse(body);
      made.set(`global/networks/${asked.name}`, { ...asked, id: '9', autoCreateSubnetworks: false });
      return { body: operation(`op-${++begun}`, seen === 'at once' ? 'DONE' : 'RUNNING') };
    }
    const [, named] = /^global\/operations\/(op-\d+)/.exec(path) ?? [];
    if (named !== undefined) return { body: operation(named, 'DONE') };
    if (path === 'global/operations')
      return { body: { items: ['op-1', 'op-2'].map((name) => operation(name, 'DONE')) } };
    const stands = Object.keys(shape).length === 0 ? made.get(path) : undefined;
    return stands === undefined ? refusal(404, 'notFound') : { body: stands };
  };
  const cloud = await scriptedCloud(answer);
  try {
    const items = seen === 'in a listing' ? [network('one'), network('two')] : [network('one')];
    return await (await cloud.open()).actuators.network.create(items, recordedCall());
  } finally {
    await cloud.close();
  }
}

describe('an operation of Google Cloud that failed is never done', () => {
  for (const shape of failed)
    test(JSON.stringify(shape), () => {
      const failure = failureOf({ name: 'op-1', status: 'DONE', ...shape });
      assert.ok(failure !== undefined && failure.message !== '' && failure.code !== '', JSON.stringify(failure));
      assert.equal(failure.requestId, 'op-1');
    });

  test('one that succeeded is', () => {
    for (const nothing of [{}, { error: null, httpErrorStatusCode: null, httpErrorMessage: null }, { warnings: [{}] }])
      assert.equal(failureOf({ name: 'op-1', status: 'DONE', ...nothing }), undefined);
  });

  for (const seen of ['at once', 'by wait', 'in a listing'] as const)
    test(`over the wire, seen ${seen}`, async () => {
      for (const result of await createdOnGoogle({}, seen)) assert.ok(result.ok, JSON.stringify(result));
      for (const shape of [...errors, ...codes, ...words].filter((each) => Object.keys(each).length > 0)) {
        const results = await createdOnGoogle(shape, seen);
        assert.equal(results.length, seen === 'in a listing' ? 2 : 1);
        for (const result of results) assert.equal(result.ok, false, JSON.stringify(shape));
      }
    });
});

const polled = at('providers/Microsoft.Network/locations/westeurope/operations/op-1');
const vnet = azureNetwork('virtualNetworks/v');
const put = ({ network: { virtualNetworks } }: Sdk) => virtualNetworks.createOrUpdate('rg', 'v', {});
const remove = ({ network: { virtualNetworks } }: Sdk) => virtualNetworks.delete('rg', 'v');

/** `Succeeded`, `Failed` and `Canceled` end an operation: https://learn.microsoft.com/azure/azure-resource-manager/management/async-operations */
const statuses = ['Failed', 'Canceled', 'failed', 'canceled'];
const reasons: readonly object[] = [
  {},
  { error: null },
  { error: {} },
  { error: { code: 'AnyCode', message: 'it went wrong' } },
  { error: { code: 'TooManyRequests', message: 'slower' } },
];

/** The ways that a write's end is seen: by its operation, by its place, or in the resource itself. */
const ends: readonly {
  readonly name: string;
  readonly begun: (url: string) => Reply;
  readonly end: (status: string, reason: object) => Reply;
}[] = [
  {
    name: 'Azure-AsyncOperation',
    begun: (url) => ({ status: 201, headers: { 'azure-asyncoperation': url + polled }, body: {} }),
    end: (status, reason) => ({ body: { status, ...reason } }),
  },
  {
    name: 'Azure-AsyncOperation beside Location',
    begun: (url) => ({ status: 202, headers: { 'azure-asyncoperation': url + polled, location: url + polled } }),
    end: (status, reason) => ({ body: { status, ...reason } }),
  },
  {
    name: 'Location that answers with the resource',
    begun: (url) => ({ status: 202, headers: { location: url + polled } }),
    end: (status, reason) => ({ body: { name: 'v', properties: { provisioningState: status }, ...reason } }),
  },
  {
    name: 'the resource in the answer',
    begun: () => ({ body: { name: 'v', properties: { provisioningState: 'Updating' } } }),
    end: (status, reason) => ({ body: { name: 'v', properties: { provisioningState: status }, ...reason } }),
  },
];

async function endedOnAzure(
  begun: (url: string) => Reply,
  end: Reply,
  write: typeof put | typeof remove,
): Promise<Result<unknown>> {
  const arm = await scriptedArm(({ method, path }: Came) => {
    if (method === 'PUT' || method === 'DELETE') return begun(arm.url);
    if (path === polled || path === vnet) return end;
    return { status: 404 };
  });
  try {
    return await (await arm.open()).run<unknown>(recordedCall(), write);
  } finally {
    await arm.close();
  }
}

const failureIn = (result: Result<unknown>): Failure => {
  assert.ok(!result.ok, `taken for done: ${JSON.stringify(result)}`);
  return result.failure;
};

describe('an operation of Azure that failed or was canceled is never done', () => {
  for (const { name, begun, end } of ends)
    for (const status of statuses)
      test(`${name}: ${status}`, async () => {
        for (const reason of reasons) {
          const failure = failureIn(await endedOnAzure(begun, end(status, reason), put));
          assert.notEqual(failure.kind, 'not-found');
        }
      });

  for (const status of statuses)
    test(`a deletion: ${status}`, async () => {
      const [way] = ends;
      assert.ok(way);
      for (const reason of reasons) failureIn(await endedOnAzure(way.begun, way.end(status, reason), remove));
    });

  for (const status of statuses)
    test(`at once, in the answer to the write: ${status}`, async () => {
      const whole: Reply = { body: { name: 'v', properties: { provisioningState: status } } };
      failureIn(await endedOnAzure(() => whole, whole, put));
    });

  test('one that succeeded is', async () => {
    for (const { begun, end } of ends) assert.ok((await endedOnAzure(begun, end('Succeeded', {}), put)).ok);
  });
});
