import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Client } from '../../../providers/azure/client.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { account, at, network, type Reply, type ScriptedArm, scriptedArm } from './scripted-arm.ts';

const open: ScriptedArm[] = [];
after(async () => {
  for (const arm of open) await arm.close();
});

async function arm(answer: Parameters<typeof scriptedArm>[0] | Reply) {
  const one = await scriptedArm(typeof answer === 'function' ? answer : () => answer);
  open.push(one);
  return { ...one, client: await one.open() };
}

const vnet = { id: network('virtualNetworks/v'), name: 'v', location: 'westeurope', properties: {} };
const getVnet = ({ sdk }: Client) => sdk.network.virtualNetworks.get('rg', 'v');
const tagVnet = ({ sdk }: Client) => sdk.network.virtualNetworks.updateTags('rg', 'v', { tags: {} });

describe('every request', () => {
  test('is admitted before it is sent, and reported with the cloud’s request id', async () => {
    const { client, came } = await arm({ body: vnet });
    const call = recordedCall(undefined, () => assert.equal(came.length, 0));
    const answer = await client.ask(call, () => getVnet(client));
    assert.equal(answer.ok && answer.value.name, 'v');
    assert.deepEqual(
      call.reported.map(({ request, answer: { requestId, failure } }) => [request.action, requestId, failure]),
      [['VirtualNetworks_Get', 'req-1', undefined]],
    );
    assert.deepEqual(
      call.admitted.flatMap(({ costs }) => costs.map(({ rateLimit }) => rateLimit.key)),
      [`azure/${account}/westeurope/arm-reads`, `azure/${account}/westeurope/network-reads`],
    );
  });

  test('is not sent where it is refused, and the reason is thrown as it is', async () => {
    const { client, came } = await arm({ body: vnet });
    const lost = new Error('the lease is lost');
    const call = recordedCall(undefined, () => {
      throw lost;
    });
    await assert.rejects(
      client.ask(call, () => getVnet(client)),
      lost,
    );
    await assert.rejects(
      client.run(call, ({ network: { virtualNetworks } }) => virtualNetworks.delete('rg', 'v')),
      lost,
    );
    assert.deepEqual([came.length, call.reported.length], [0, 0]);
  });

  test('is not sent once the reconcile was aborted', async () => {
    const { client, came } = await arm({ body: vnet });
    const stop = new AbortController();
    const call = recordedCall(stop.signal, () => stop.abort(new Error('stopped')));
    await assert.rejects(
      client.ask(call, () => getVnet(client)),
      /stopped/,
    );
    assert.equal(came.length, 0);
  });
});

describe('every request that is sent', () => {
  test('bears a token for nobody where there is an endpoint and no credential', async () => {
    const { client, came } = await arm({ body: vnet });
    await client.ask(recordedCall(), () => getVnet(client));
    assert.equal(came[0]?.headers.authorization, 'Bearer sandbox');
  });

  test('tells who listens that something may have changed, before it and after, if it writes', async () => {
    const told: number[] = [];
    const { client, came } = await arm({ body: vnet });
    client.onWrite(() => told.push(came.length));
    await client.ask(recordedCall(), () => getVnet(client));
    assert.deepEqual(told, []);
    await client.ask(recordedCall(), () => tagVnet(client));
    assert.deepEqual(told, [1, 2]);
  });

  test('goes to the endpoint only: a link elsewhere gets no token', async () => {
    const other = await arm({ body: { value: [] } });
    const { client } = await arm({ body: { value: [vnet], nextLink: `${other.url}${at('next')}` } });
    const pages = client.sdk.network.virtualNetworks.listAll().byPage();
    const call = recordedCall();
    assert.ok((await client.ask(call, () => pages.next())).ok);
    const second = await client.ask(call, () => pages.next());
    assert.match(second.ok ? '' : second.failure.message, /the token is only for http:\/\/127\.0\.0\.1:\d+/);
    assert.equal(other.came.length, 0);
  });
});

describe('a body of our own', () => {
  test('goes out as it is, with the header beside it', async () => {
    const { client, came } = await arm({ body: { ...vnet, properties: { provisioningState: 'Succeeded' } } });
    const body = JSON.stringify({ location: 'westeurope', properties: { newer: { than: 'the SDK' } } });
    const answer = await client.run(
      recordedCall(),
      ({ network: { virtualNetworks } }) =>
        virtualNetworks.createOrUpdate('rg', 'v', {}, { requestOptions: { headers: { 'If-Match': 'W/"1"' } } }),
      body,
    );
    assert.ok(answer.ok);
    assert.deepEqual([came[0]?.body, came[0]?.headers['if-match']], [body, 'W/"1"']);
    assert.equal(came[0]?.headers['content-length'], `${body.length}`);
  });
});

describe('what went wrong', () => {
  const refusal = (status: number, code: string, headers = {}): Reply => ({
    status,
    headers,
    body: { error: { code, message: `${code}, says the cloud` } },
  });
  const rows: readonly (readonly [string, Reply, 'read' | 'write', string])[] = [
    ['a throttle', refusal(429, 'TooManyRequests', { 'retry-after': '17' }), 'read', 'throttled TooManyRequests 17000'],
    [
      'a lock',
      refusal(429, 'RetryableErrorDueToAnotherOperation'),
      'write',
      'retryable RetryableErrorDueToAnotherOperation',
    ],
    ['a stale etag', refusal(412, 'PreconditionFailed'), 'write', 'conflict PreconditionFailed'],
    ['what is gone', refusal(404, 'ResourceNotFound'), 'read', 'not-found ResourceNotFound'],
    ['a subscription that is not there', refusal(404, 'SubscriptionNotFound'), 'read', 'terminal SubscriptionNotFound'],
    ['a 404 of something else', { status: 404, body: '<html>' }, 'read', 'terminal Http404'],
    ['no answer to a read', 'reset', 'read', 'retryable ECONNRESET'],
    ['no answer to a write', 'reset', 'write', 'ambiguous ECONNRESET'],
  ];
  for (const [name, answer, how, want] of rows)
    test(`${name}: ${want}`, async () => {
      const { client } = await arm(answer);
      const call = recordedCall();
      const result = await client.ask<unknown>(call, () => (how === 'read' ? getVnet(client) : tagVnet(client)));
      assert.ok(!result.ok);
      const { failure } = result;
      const after = failure.kind === 'throttled' ? ` ${failure.retryAfterMs}` : '';
      assert.equal(`${failure.kind} ${failure.code}${after}`, want);
      assert.deepEqual(call.reported[0]?.answer.failure, failure, 'and it is reported so');
    });

  test('a page keeps the server’s own words, which the SDK drops', async () => {
    const { client } = await arm(refusal(403, 'AuthorizationFailed'));
    const answer = await client.ask(recordedCall(), () => client.sdk.network.virtualNetworks.listAll().byPage().next());
    assert.equal(answer.ok ? '' : answer.failure.message, 'AuthorizationFailed, says the cloud');
  });

  test('nobody listens: it never left, so it may be sent again', async () => {
    const { client, close } = await arm({ body: vnet });
    await close();
    open.pop();
    const answer = await client.ask<unknown>(recordedCall(), () => tagVnet(client));
    assert.deepEqual(answer.ok ? '' : [answer.failure.kind, answer.failure.code], ['retryable', 'ECONNREFUSED']);
  });

  test('an answer that cannot be read proves nothing', async () => {
    const { client } = await arm({ body: { not: 'a list' } });
    const answer = await client.ask(recordedCall(), () => client.sdk.network.virtualNetworks.listAll().byPage().next());
    assert.deepEqual(answer.ok ? '' : [answer.failure.kind, answer.failure.code], ['retryable', 'UnreadableAnswer']);
  });

  test('an abort ends a write on its way: it may have been done', async () => {
    const { client, came } = await arm('hang');
    const stop = new AbortController();
    const sent = client.ask<unknown>(recordedCall(stop.signal), () => tagVnet(client));
    while (came.length === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error('stopped'));
    const answer = await sent;
    assert.equal(answer.ok ? '' : answer.failure.kind, 'ambiguous');
  });
});
