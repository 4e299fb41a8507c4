import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { TENANT } from '../../../sandbox/arm/methods/subscription.ts';
import type { SandboxOptions } from '../../../sandbox/index.ts';
import { type Bench, bench, GROUP, groupBody, LOCATION, NETWORK, ruleBody, START, SUBSCRIPTION } from '../arm/bench.ts';
import { computeClient, ID, LAND, given as land, order, standing } from '../arm/machine-bench.ts';
import { type Listened, listening, receiver } from './receiver.ts';

/** The handshake and the resource group of the bench are the first two posts. */
async function listened(options: SandboxOptions = {}): Promise<Listened<Bench>> {
  const all = await listening((url) => bench({ ...options, events: [{ cloud: 'azure', url: `${url}?secret=s3` }] }));
  await all.heard.first(2);
  return all;
}

// biome-ignore lint/suspicious/noExplicitAny: the reason stands beside it
type Json = any; // why: events of several forms, looked into by tests

async function eventAt({ heard }: Listened<Bench>, index: number): Promise<Json> {
  const { body } = await heard.at(index);
  assert.equal(body.length, 1, 'a list of one');
  return body[0];
}

const XMLSOAP = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';

test('begin with a handshake, sent again until it is answered with its code', async () => {
  await using heard = await receiver();
  heard.statuses.push(404, 202);
  await using _ = await bench({ events: [{ cloud: 'azure', url: `${heard.url}?secret=s3` }] });
  const posts = await heard.first(4);
  assert.deepEqual(
    posts.map(({ headers }) => headers['aeg-event-type']),
    [...Array(3).fill('SubscriptionValidation'), 'Notification'],
  );
  const { id, eventTime, data, ...rest } = (await heard.at(0)).body[0];
  assert.match(data.validationCode, /^[0-9A-F]{8}-/);
  assert.ok(id && eventTime);
  assert.equal(rest.eventType, 'Microsoft.EventGrid.SubscriptionValidationEvent');
  assert.equal(posts[0]?.path, '/hook?secret=s3');
});

test('tell of a resource that was made', async () => {
  await using all = await listened();
  const path = `${NETWORK}/virtualNetworks/core`;
  const answer = await all.made.network.virtualNetworks.createOrUpdate('Rg', 'core', {
    location: LOCATION,
    addressSpace: { addressPrefixes: ['10.0.0.0/16'] },
  });
  assert.equal(answer.name, 'core');
  const { id, data, ...event } = await eventAt(all, 2);
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(event, {
    topic: `/subscriptions/${SUBSCRIPTION}`,
    subject: path,
    eventType: 'Microsoft.Resources.ResourceWriteSuccess',
    eventTime: new Date(START).toISOString(),
    dataVersion: '2',
    metadataVersion: '1',
  });
  const { claims, correlationId, ...rest } = data;
  assert.match(correlationId, /^[0-9a-f-]{36}$/);
  assert.equal(claims.ipaddr, '127.0.0.1');
  assert.match(claims.appid, /^[0-9a-f-]{36}$/, 'a token that says nothing is an application’s');
  assert.deepEqual(rest, {
    authorization: {
      scope: path,
      action: 'Microsoft.Network/virtualNetworks/write',
      evidence: { role: 'Contributor' },
    },
    resourceProvider: 'Microsoft.Network',
    resourceUri: path,
    operationName: 'Microsoft.Network/virtualNetworks/write',
    status: 'Succeeded',
    subscriptionId: SUBSCRIPTION,
    tenantId: TENANT,
  });
});

test('tell of an operation when it has ended, not when it began', async () => {
  await using all = await listened({ arm: { durations: { networkWrite: 1000 } } });
  const path = `${NETWORK}/networkSecurityGroups/web`;
  await all.made.send('PUT', path, { body: groupBody(ruleBody('https', 100)) });
  await all.made.send('PATCH', GROUP, { body: { tags: {} } });
  assert.equal((await eventAt(all, 2)).subject, GROUP, 'done at once, so told before');
  all.made.sandbox.control.clock.advance(1000);
  const event = await eventAt(all, 3);
  assert.equal(event.eventType, 'Microsoft.Resources.ResourceWriteSuccess');
  assert.equal(event.subject, path);
  assert.equal(event.eventTime, new Date(START + 1000).toISOString());
});

test('tell of one that failed', async () => {
  await using all = await listened();
  const effect = { kind: 'operation-error', code: 'InternalError', status: 500 } as const;
  all.made.sandbox.control.faults.add({ match: { action: 'networkSecurityGroups.createOrUpdate' }, effect });
  await all.made.send('PUT', `${NETWORK}/networkSecurityGroups/web`, { body: groupBody() });
  const event = await eventAt(all, 2);
  assert.equal(event.eventType, 'Microsoft.Resources.ResourceWriteFailure');
  assert.equal(event.data.status, 'Failed');
});

test('name the write by the id that its answer had', async () => {
  await using all = await listened();
  const { headers } = await all.made.send('PATCH', GROUP, { body: { tags: { a: '1' } } });
  const { data } = await eventAt(all, 2);
  assert.equal(data.correlationId, headers.get('x-ms-correlation-request-id'));
});

test('have the claims of a token that says who sent it', async () => {
  await using all = await listened();
  const claims = { name: 'Ada', upn: 'ada@acme.example', oid: '1', ipaddr: '198.51.100.4' };
  const jwt = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
  const tag = (headers: Record<string, string>) =>
    all.made.send('PATCH', GROUP, { body: { tags: {} }, headers: { 'user-agent': 'az/2', ...headers } });
  await tag({ authorization: `Bearer ${jwt}`, 'x-ms-client-request-id': 'mine' });
  await tag({ authorization: 'Bearer bob@acme.example', 'x-forwarded-for': '203.0.113.7' });
  const { data } = await eventAt(all, 2);
  assert.equal(data.claims.name, 'Ada');
  assert.equal(data.claims.ipaddr, '198.51.100.4');
  assert.equal(data.claims[`${XMLSOAP}/upn`], 'ada@acme.example');
  assert.equal(data.claims['http://schemas.microsoft.com/identity/claims/objectidentifier'], '1');
  assert.deepEqual(data.httpRequest, {
    clientRequestId: 'mine',
    clientIpAddress: '127.0.0.1',
    method: 'PATCH',
    url: `https://management.azure.com${GROUP}?api-version=2026-01-01`,
  });
  const second = await eventAt(all, 3);
  assert.equal(second.data.claims[`${XMLSOAP}/upn`], 'bob@acme.example');
  assert.equal(second.data.claims.ipaddr, '203.0.113.7');
  assert.equal(second.data.httpRequest.clientIpAddress, '203.0.113.7');
});

interface Row {
  readonly name: string;
  readonly act: (made: Bench) => Promise<unknown>;
  readonly type: string;
  readonly operation: string;
  readonly subject: string;
}

const rules = (rule: string): string => `${ID.security('nsg')}/securityRules/${rule}`;

/** Each kind of write, and the id of its subject in the event. */
const rows: readonly Row[] = [
  {
    name: 'a subnet by its own URL',
    act: (made) => made.network.subnets.createOrUpdate('Rg', 'core', 'more', { addressPrefix: '10.20.9.0/24' }),
    type: 'ResourceWriteSuccess',
    operation: 'Microsoft.Network/virtualNetworks/subnets/write',
    subject: ID.subnet('more'),
  },
  {
    name: 'a rule by its own URL',
    act: (made) => made.send('PUT', rules('ssh'), { body: ruleBody('ssh', 200) }),
    type: 'ResourceWriteSuccess',
    operation: 'Microsoft.Network/networkSecurityGroups/securityRules/write',
    subject: rules('ssh'),
  },
  {
    name: 'a rule that goes',
    act: (made) => made.network.securityRules.delete('Rg', 'nsg', 'https'),
    type: 'ResourceDeleteSuccess',
    operation: 'Microsoft.Network/networkSecurityGroups/securityRules/delete',
    subject: rules('https'),
  },
  {
    name: 'tags',
    act: (made) => made.network.virtualNetworks.updateTags('Rg', 'core', { tags: { a: '1' } }),
    type: 'ResourceWriteSuccess',
    operation: 'Microsoft.Network/virtualNetworks/write',
    subject: `${NETWORK}/virtualNetworks/core`,
  },
  {
    name: 'a machine',
    act: ({ sandbox }) =>
      computeClient(sandbox.url).virtualMachines.createOrUpdate('Rg', 'new', order('new', ID.nic('spare'))),
    type: 'ResourceWriteSuccess',
    operation: 'Microsoft.Compute/virtualMachines/write',
    subject: ID.machine('new'),
  },
  {
    name: 'a machine that is stopped',
    act: ({ sandbox }) => computeClient(sandbox.url).virtualMachines.deallocate('Rg', 'web'),
    type: 'ResourceActionSuccess',
    operation: 'Microsoft.Compute/virtualMachines/deallocate/action',
    subject: ID.machine('web'),
  },
  {
    name: 'a machine that goes',
    act: ({ sandbox }) => computeClient(sandbox.url).virtualMachines.delete('Rg', 'web'),
    type: 'ResourceDeleteSuccess',
    operation: 'Microsoft.Compute/virtualMachines/delete',
    subject: ID.machine('web'),
  },
  {
    name: 'a resource group that goes',
    act: (made) => made.send('DELETE', GROUP),
    type: 'ResourceDeleteSuccess',
    operation: 'Microsoft.Resources/subscriptions/resourceGroups/delete',
    subject: GROUP,
  },
];

describe('what an event of Event Grid names', () => {
  for (const { name, act, type, operation, subject } of rows)
    it(name, async () => {
      await using all = await listened();
      const rule = {
        type: 'Microsoft.Network/networkSecurityGroups',
        group: 'Rg',
        name: 'nsg',
        ...Object(groupBody(ruleBody('https', 100))),
      };
      const spare = {
        type: 'Microsoft.Network/networkInterfaces',
        group: 'Rg',
        name: 'spare',
        location: LOCATION,
        properties: { ipConfigurations: [{ name: 'a', properties: { subnet: { id: ID.subnet() } } }] },
      };
      land(all.made, ...LAND, rule, spare, ...standing('web'));
      await act(all.made);
      const { data, ...event } = await eventAt(all, 2);
      assert.equal(event.eventType, `Microsoft.Resources.${type}`);
      assert.equal(event.subject, subject);
      assert.equal(data.resourceUri, subject);
      assert.equal(data.operationName, operation);
      assert.equal(data.authorization.scope, subject);
    });
});
