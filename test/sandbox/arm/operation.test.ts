import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Bench,
  bench,
  LOCATION,
  NETWORK,
  networkBody,
  outcome,
  QUICK,
  type Received,
  SUBSCRIPTION,
} from './bench.ts';
import { app, CORE, db, put } from './networks.ts';

const TIMES = { arm: { durations: { networkWrite: 2000, networkDelete: 3000 } } };

const FAILURE = { kind: 'operation-error', code: 'SubnetConflict', status: 409, message: 'conflicts' } as const;

async function follow(made: Bench, answer: Received): Promise<string> {
  const { body, status } = await made.send('GET', answer.headers.get('azure-asyncoperation') ?? '');
  assert.equal(status, 200);
  return body.error === undefined ? body.status : `${body.status} ${body.error.code}`;
}

async function result(made: Bench, answer: Received): Promise<string> {
  return outcome(await made.send('GET', answer.headers.get('location') ?? ''));
}

const state = async (made: Bench): Promise<string> =>
  (await made.send('GET', CORE)).body?.properties?.provisioningState;

describe('long-running operations', () => {
  it('a PUT is seen at once, as Updating, and Succeeded when its operation is', async () => {
    await using made = await bench(TIMES);
    const answer = await made.send('PUT', CORE, { body: networkBody({}, [app]) });
    assert.deepEqual([answer.status, answer.body.properties.provisioningState], [201, 'Updating']);
    const url = answer.headers.get('azure-asyncoperation') ?? '';
    assert.match(
      url,
      new RegExp(
        `^${made.sandbox.url}/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Network/locations/${LOCATION}/operations/[0-9a-f-]{36}\\?api-version=2026-01-01$`,
      ),
    );
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.deepEqual([await state(made), await follow(made, answer)], ['Updating', 'InProgress']);
    made.sandbox.control.clock.advance(1999);
    assert.deepEqual([await state(made), await follow(made, answer)], ['Updating', 'InProgress']);
    made.sandbox.control.clock.advance(1);
    assert.deepEqual([await state(made), await follow(made, answer)], ['Succeeded', 'Succeeded']);
    const again = await made.send('PUT', CORE, { body: networkBody({}, [app]) });
    assert.deepEqual([again.status, again.body.properties.provisioningState], [200, 'Updating']);
  });

  it('a poll says when to come again while it is under way', async () => {
    await using made = await bench(TIMES);
    const answer = await made.send('PUT', CORE, { body: networkBody() });
    const poll = () => made.send('GET', answer.headers.get('azure-asyncoperation') ?? '');
    assert.equal((await poll()).headers.get('retry-after'), '1');
    made.sandbox.control.clock.advance(2000);
    const done = await poll();
    assert.equal(done.headers.get('retry-after'), null);
    assert.deepEqual(
      [done.body.startTime, done.body.endTime],
      ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:02.000Z'],
    );
  });
});

describe('the operation of a deletion', () => {
  it('leaves the resource there, as Deleting, until its operation is done', async () => {
    await using made = await bench(TIMES);
    await put(made);
    made.sandbox.control.clock.advance(2000);
    const answer = await made.send('DELETE', CORE);
    assert.deepEqual([answer.status, answer.body], [202, undefined]);
    assert.deepEqual(
      [await state(made), await follow(made, answer), await result(made, answer)],
      ['Deleting', 'InProgress', '202'],
    );
    made.sandbox.control.clock.advance(3000);
    assert.deepEqual(
      [await state(made), await follow(made, answer), await result(made, answer)],
      [undefined, 'Succeeded', '204'],
    );
    assert.equal(outcome(await made.send('GET', CORE)), '404 ResourceNotFound');
  });

  it('leaves a subnet there until it is done, too', async () => {
    await using made = await bench(TIMES);
    await put(made, [app, db]);
    made.sandbox.control.clock.advance(2000);
    const answer = await made.send('DELETE', `${CORE}/subnets/app`);
    assert.equal(outcome(await made.send('GET', `${CORE}/subnets/app`)), '200');
    made.sandbox.control.clock.advance(2000);
    assert.equal(await follow(made, answer), 'Succeeded');
    assert.equal(outcome(await made.send('GET', `${CORE}/subnets/app`)), '404 NotFound');
  });
});

describe('operations', () => {
  it('ask for no pace where the sandbox is told so', async () => {
    await using made = await bench({ arm: { durations: { networkWrite: 2000 }, retryAfter: 0 } });
    const answer = await made.send('PUT', CORE, { body: networkBody() });
    const poll = await made.send('GET', answer.headers.get('azure-asyncoperation') ?? '');
    assert.deepEqual([answer.headers.get('retry-after'), poll.headers.get('retry-after')], [null, null]);
  });

  it('are found by nobody else, nor by another id', async () => {
    await using made = await bench(TIMES);
    const base = `/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Network/locations/${LOCATION}`;
    const id = '00000000-0000-4000-a000-000000000000';
    assert.equal(outcome(await made.send('GET', `${base}/operations/${id}`)), '404 NotFound');
    assert.equal(outcome(await made.send('GET', `${base}/operationResults/${id}`)), '404 NotFound');
  });

  it('are waited for by the SDK, on the sandbox’s time', async () => {
    await using made = await bench({ ...TIMES, clock: { rate: 100 } });
    const asked = { location: LOCATION, addressSpace: { addressPrefixes: ['10.0.0.0/16'] } };
    const network = await made.network.virtualNetworks.createOrUpdate('rg', 'core', asked, QUICK);
    assert.equal(network.provisioningState, 'Succeeded');
    await made.network.virtualNetworks.delete('rg', 'core', QUICK);
    assert.equal(outcome(await made.send('GET', CORE)), '404 ResourceNotFound');
  });
});

describe('an operation that fails', () => {
  it('after a creation leaves the resource there, as Failed', async () => {
    await using made = await bench(TIMES);
    made.sandbox.control.faults.add({ match: { action: 'virtualNetworks.createOrUpdate', times: 1 }, effect: FAILURE });
    const answer = await made.send('PUT', CORE, { body: networkBody({}, [app]) });
    assert.deepEqual([answer.status, await follow(made, answer)], [201, 'InProgress']);
    made.sandbox.control.clock.advance(2000);
    assert.deepEqual([await state(made), await follow(made, answer)], ['Failed', 'Failed SubnetConflict']);
    assert.equal(await result(made, answer), '409 SubnetConflict');
    assert.equal(await put(made, [app]), '200');
  });

  it('after a change leaves all as it was, but Failed', async () => {
    await using made = await bench();
    await put(made, [app]);
    made.sandbox.control.faults.add({ match: { action: 'subnets.createOrUpdate' }, effect: FAILURE });
    const answer = await made.send('PUT', `${CORE}/subnets/db`, { body: db });
    assert.equal(await follow(made, answer), 'Failed SubnetConflict');
    const { body } = await made.send('GET', CORE);
    assert.deepEqual([body.properties.subnets.length, body.properties.provisioningState], [1, 'Failed']);
  });

  it('after a deletion leaves the resource there, as Failed', async () => {
    await using made = await bench();
    await put(made);
    made.sandbox.control.faults.add({ match: { action: 'virtualNetworks.delete' }, effect: FAILURE });
    const answer = await made.send('DELETE', CORE);
    assert.deepEqual([await follow(made, answer), await state(made)], ['Failed SubnetConflict', 'Failed']);
  });

  it('reaches the SDK as an error in words', async () => {
    await using made = await bench();
    made.sandbox.control.faults.add({ match: { action: 'virtualNetworks.createOrUpdate' }, effect: FAILURE });
    const asked = { location: LOCATION, addressSpace: { addressPrefixes: ['10.0.0.0/16'] } };
    await assert.rejects(
      async () => await made.network.virtualNetworks.createOrUpdate('rg', 'core', asked, QUICK),
      /SubnetConflict\. conflicts/,
    );
  });
});

const NIC = `${NETWORK}/networkInterfaces/nic`;

const busy: readonly {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly want: string;
  readonly detail?: string;
}[] = [
  {
    name: 'a PUT of it',
    method: 'PUT',
    path: CORE,
    body: networkBody({}, [app]),
    want: '429 RetryableError',
    detail: 'RetryableErrorDueToAnotherOperation',
  },
  {
    name: 'new tags for it',
    method: 'PATCH',
    path: CORE,
    body: { tags: {} },
    want: '429 RetryableError',
    detail: 'RetryableErrorDueToAnotherOperation',
  },
  {
    name: 'a DELETE of it',
    method: 'DELETE',
    path: CORE,
    want: '429 RetryableError',
    detail: 'RetryableErrorDueToAnotherOperation',
  },
  {
    name: 'a PUT of a child',
    method: 'PUT',
    path: `${CORE}/subnets/db`,
    body: db,
    want: '409 AnotherOperationInProgress',
  },
  {
    name: 'a DELETE of a child',
    method: 'DELETE',
    path: `${CORE}/subnets/app`,
    want: '409 AnotherOperationInProgress',
  },
  {
    name: 'a PUT of what refers to it',
    method: 'PUT',
    path: NIC,
    body: {
      location: LOCATION,
      properties: { ipConfigurations: [{ name: 'ip', properties: { subnet: { id: `${CORE}/subnets/app` } } }] },
    },
    want: '429 RetryableError',
    detail: 'ReferencedResourceNotProvisioned',
  },
  { name: 'a GET of it', method: 'GET', path: CORE, want: '200' },
  { name: 'a PUT of another', method: 'PUT', path: `${CORE}2`, body: networkBody(), want: '201' },
];

describe('while an operation on a network is under way', () => {
  for (const { name, method, path, body, want, detail } of busy) {
    it(`${name}: ${want}`, async () => {
      await using made = await bench(TIMES);
      await put(made, [app]);
      const answer = await made.send(method, path, { body });
      assert.equal(outcome(answer), want);
      assert.equal(answer.body?.error?.details?.[0]?.code, detail);
      if (want.startsWith('429')) assert.ok(Number(answer.headers.get('retry-after')) >= 1);
      made.sandbox.control.clock.advance(3000);
      assert.match(outcome(await made.send(method, path, { body })), /^20\d$/);
    });
  }
});
