import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialect } from '../../../providers/azure/dialect.ts';
import { touches } from '../../../providers/azure/touches.ts';
import { type Touch, touchesIn } from '../../../src/core/last-modified.ts';

const subscription = '5B4B650E-28B9-4790-B3AB-DDBD88D727C4';
const upn = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn';
const resourceUri = `/subscriptions/${subscription}/resourceGroups/Prod/providers/Microsoft.Network/networkSecurityGroups/core-nsg/securityRules/Web`;
const object = resourceUri.toLowerCase();

/** As https://learn.microsoft.com/azure/event-grid/event-schema-subscriptions shows them. */
const eventOf = (data: object = {}, rest: object = {}): object => ({
  id: '4db48cba-50a2-455a-93b4-de41a3b5b7f6',
  topic: `/subscriptions/${subscription}`,
  subject: resourceUri,
  eventType: 'Microsoft.Resources.ResourceWriteSuccess',
  eventTime: '2026-01-01T00:00:07.2598569Z',
  data: {
    authorization: { scope: resourceUri, action: 'Microsoft.Network/networkSecurityGroups/securityRules/write' },
    claims: { [upn]: 'bob@acme.example', name: 'Bob', appid: 'c44b4083', ipaddr: '203.0.113.9' },
    correlationId: 'c-1',
    httpRequest: {
      clientRequestId: 'cr-1',
      clientIpAddress: '203.0.113.10',
      method: 'PUT',
      url: 'https://management.azure.com/',
    },
    resourceProvider: 'Microsoft.Network',
    resourceUri,
    operationName: 'Microsoft.Network/networkSecurityGroups/securityRules/write',
    status: 'Succeeded',
    subscriptionId: subscription,
    ...data,
  },
  dataVersion: '2',
  metadataVersion: '1',
  ...rest,
});

test('a change of a colleague', () => {
  assert.deepEqual(touches(eventOf()), [
    {
      scope: `azure/${subscription.toLowerCase()}`,
      event: '4db48cba-50a2-455a-93b4-de41a3b5b7f6',
      at: Date.UTC(2026, 0, 1, 0, 0, 7, 259),
      actor: {
        who: 'bob@acme.example',
        action: 'Microsoft.Network/networkSecurityGroups/securityRules/write',
        from: '203.0.113.10',
      },
      objects: [object],
      requestId: 'c-1',
    } satisfies Touch,
  ]);
});

test('the subscription is one of the scopes that dialects name, and the object what our id is called', () => {
  const place = { account: subscription, region: 'West Europe', resourceGroup: 'Prod' };
  const scope = dialect.scope(place);
  const elsewhere = dialect.scope({ ...place, account: `${subscription}0` });
  assert.deepEqual(
    touchesIn(touches(eventOf()), [scope, elsewhere]).map((touch) => touch.scope),
    [scope],
  );
  assert.equal(dialect.names.auditLogId?.(`${object}#3f2a`), object);
});

const heard: Readonly<Record<string, readonly [object, Partial<Touch>]>> = {
  'a deletion': [eventOf({}, { eventType: 'Microsoft.Resources.ResourceDeleteSuccess' }), { objects: [object] }],
  'an action': [
    eventOf(
      { operationName: 'Microsoft.Compute/virtualMachines/deallocate/action' },
      { eventType: 'Microsoft.Resources.ResourceActionSuccess' },
    ),
    { objects: [object] },
  ],
  'a CloudEvent': [
    eventOf(
      {},
      {
        eventType: undefined,
        eventTime: undefined,
        type: 'Microsoft.Resources.ResourceWriteSuccess',
        time: '2026-01-01T00:00:07Z',
      },
    ),
    { at: Date.UTC(2026, 0, 1, 0, 0, 7) },
  ],
  'the subject alone': [eventOf({ resourceUri: undefined }), { objects: [object] }],
  'a slash at the end': [eventOf({ resourceUri: `${resourceUri}/` }), { objects: [object] }],
};
for (const [name, [event, want]] of Object.entries(heard))
  test(`Azure: ${name}`, () => assert.partialDeepStrictEqual(touches(event), [want]));

const people: Readonly<Record<string, readonly [object, string, string | undefined]>> = {
  'an application': [{ claims: { appid: 'c44b4083' }, httpRequest: undefined }, 'c44b4083', undefined],
  'a creation, which tells no request': [
    { claims: { upn: 'ann@x', ipaddr: '203.0.113.9' }, httpRequest: undefined },
    'ann@x',
    '203.0.113.9',
  ],
  'claims that are text': [{ claims: '{azure_resource_manager_claims}', httpRequest: '{}' }, 'unknown', undefined],
};
for (const [name, [data, who, from]] of Object.entries(people))
  test(`Azure names ${name}`, () => {
    const [touch] = touches(eventOf(data));
    assert.deepEqual([touch?.actor.who, touch?.actor.from], [who, from]);
  });

const quiet: Readonly<Record<string, unknown>> = {
  'a failed change': eventOf({}, { eventType: 'Microsoft.Resources.ResourceWriteFailure' }),
  'a cancelled one': eventOf({}, { eventType: 'Microsoft.Resources.ResourceDeleteCancel' }),
  'a handshake': eventOf({}, { eventType: 'Microsoft.EventGrid.SubscriptionValidationEvent' }),
  'another provider': eventOf({
    resourceUri: `/subscriptions/${subscription}/resourceGroups/p/providers/Microsoft.Storage/storageAccounts/s`,
  }),
  'a resource group': eventOf({ resourceUri: `/subscriptions/${subscription}/resourceGroups/p` }),
  'no time': eventOf({}, { eventTime: 7 }),
  'no data': eventOf({}, { data: null, subject: '' }),
  'a list': [eventOf()],
  nothing: undefined,
  text: 'x',
};
for (const [name, event] of Object.entries(quiet))
  test(`Azure says nothing of ${name}`, () => assert.deepEqual(touches(event), []));
