import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { auditLogSenders } from '../../../../src/core/documents/estate.ts';
import { adapters } from '../../../../src/http/webhooks/adapters/index.ts';
import { pubsub } from '../../../../src/http/webhooks/adapters/pubsub.ts';
import { frontOf, secret } from '../../support/front.ts';
import { cloudTrail, eventbridge, eventgrid, gridEvent, gridValidation, type Sent } from '../../support/sent.ts';

const cloudEvent = (id: string, source = '/subscriptions/0a1b') => ({
  specversion: '1.0',
  id,
  source,
  type: 'Microsoft.Resources.ResourceWriteSuccess',
  time: '2026-01-01T00:00:00Z',
  data: {},
});

const inHeader = ({ query: _, headers, ...sent }: Sent): Sent => ({
  ...sent,
  headers: { ...headers, 'x-api-key': secret },
});

const short = (count: number): readonly object[] => Array.from({ length: count }, (_, i) => ({ id: `g-${i}` }));

/** An event with events in one another. */
const nested = (depth: number): object =>
  Array.from({ length: depth - 1 }, () => 0).reduce<object>((inner) => ({ id: 'e-1', detail: inner }), {});

const genuine = [
  {
    name: 'EventBridge: one event',
    hook: 'eventbridge',
    sent: eventbridge(secret),
    cloud: 'aws',
    events: [cloudTrail('e-1')],
  },
  {
    name: 'EventBridge: an event of yesterday, as it tries for a day',
    hook: 'eventbridge',
    sent: eventbridge(secret, { ...cloudTrail('e-1'), time: '2025-12-31T01:00:00Z' }),
    cloud: 'aws',
    events: [{ ...cloudTrail('e-1'), time: '2025-12-31T01:00:00Z' }],
  },
  {
    name: 'Event Grid: a list of one',
    hook: 'eventgrid',
    sent: eventgrid(secret),
    cloud: 'azure',
    events: [gridEvent('g-1')],
  },
  {
    name: 'Event Grid: its secret in a header',
    hook: 'eventgrid',
    sent: inHeader(eventgrid(secret)),
    cloud: 'azure',
    events: [gridEvent('g-1')],
  },
  {
    name: 'Event Grid: a batch, one of it twice',
    hook: 'eventgrid',
    sent: eventgrid(secret, [gridEvent('g-1'), gridEvent('g-2'), gridEvent('g-1')]),
    cloud: 'azure',
    events: [gridEvent('g-1'), gridEvent('g-2')],
  },
  {
    name: 'Event Grid: as many events as a batch may have',
    hook: 'eventgrid',
    sent: eventgrid(secret, short(5_000)),
    cloud: 'azure',
    events: short(5_000),
  },
  {
    name: 'EventBridge: an event of 64 levels',
    hook: 'eventbridge',
    sent: eventbridge(secret, nested(64)),
    cloud: 'aws',
    events: [nested(64)],
  },
  {
    name: 'Event Grid: a CloudEvent',
    hook: 'eventgrid',
    sent: {
      ...eventgrid(secret, cloudEvent('c-1')),
      headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' },
    },
    cloud: 'azure',
    events: [cloudEvent('c-1')],
  },
  {
    name: 'Event Grid: CloudEvents in a batch, of two sources with one id',
    hook: 'eventgrid',
    sent: {
      ...eventgrid(secret, [cloudEvent('c-1'), cloudEvent('c-1', '/subscriptions/2c3d')]),
      headers: { 'content-type': 'application/cloudevents-batch+json' },
    },
    cloud: 'azure',
    events: [cloudEvent('c-1'), cloudEvent('c-1', '/subscriptions/2c3d')],
  },
] as const;

describe('what a cloud has sent is passed on, once', () => {
  for (const { name, hook, sent, cloud, events } of genuine)
    it(name, async () => {
      const front = frontOf();
      const first = await front.send(hook, sent);
      assert.equal(first.status, 202);
      assert.equal(JSON.parse(first.text).accepted, events.length);
      assert.equal(JSON.parse((await front.send(hook, sent)).text).accepted, 0);
      await front.settle();
      assert.deepEqual(front.counts.touched, [{ estate: 'acme', cloud, events }]);
      assert.deepEqual(front.counts.wakeUps, []);
    });
});

const forged: readonly { readonly name: string; readonly hook: string; readonly sent: Sent }[] = [
  { name: 'EventBridge: another key', hook: 'eventbridge', sent: eventbridge('another') },
  {
    name: 'EventBridge: no key',
    hook: 'eventbridge',
    sent: { headers: { 'content-type': 'application/json' }, body: '{}' },
  },
  {
    name: 'EventBridge: the key in the address',
    hook: 'eventbridge',
    sent: { ...eventbridge(''), query: `?code=${secret}` },
  },
  { name: 'Event Grid: another code', hook: 'eventgrid', sent: eventgrid('another') },
  { name: 'Event Grid: no code', hook: 'eventgrid', sent: { ...eventgrid(secret), query: '' } },
  {
    name: 'Event Grid: two codes, one of them right',
    hook: 'eventgrid',
    sent: { ...eventgrid(secret), query: `?code=x&code=${encodeURIComponent(secret)}` },
  },
  { name: 'Event Grid: a handshake with another code', hook: 'eventgrid', sent: gridValidation('another') },
  { name: 'Event Grid: a handshake at a hook of another sender', hook: 'github', sent: gridValidation(secret) },
];

describe('what no cloud has sent is refused', () => {
  for (const { name, hook, sent } of forged)
    it(name, async () => {
      const front = frontOf();
      assert.equal((await front.send(hook, sent)).status, 401);
      await front.settle();
      assert.deepEqual([front.counts.touched, front.counts.firsts], [[], 0]);
    });
});

/** The events of a body, and one more. */
const among = (body: Sent['body'] = '[]'): string => JSON.stringify([...JSON.parse(body.toString()), gridEvent('g-1')]);

const malformed: readonly { readonly name: string; readonly hook: string; readonly sent: Sent }[] = [
  { name: 'EventBridge: no JSON', hook: 'eventbridge', sent: { ...eventbridge(secret), body: `{"id": "${secret}` } },
  { name: 'EventBridge: no id', hook: 'eventbridge', sent: eventbridge(secret, { detail: {} }) },
  { name: 'EventBridge: a list', hook: 'eventbridge', sent: eventbridge(secret, [cloudTrail('e-1')]) },
  { name: 'EventBridge: an event of 65 levels', hook: 'eventbridge', sent: eventbridge(secret, nested(65)) },
  {
    name: 'EventBridge: an event of too many fields',
    hook: 'eventbridge',
    sent: eventbridge(secret, { ...cloudTrail('e-1'), resources: Array.from({ length: 100_000 }, () => 1) }),
  },
  { name: 'Event Grid: more events than a batch has', hook: 'eventgrid', sent: eventgrid(secret, short(5_001)) },
  { name: 'Event Grid: an empty list', hook: 'eventgrid', sent: eventgrid(secret, []) },
  { name: 'Event Grid: an event without an id', hook: 'eventgrid', sent: eventgrid(secret, [gridEvent('g-1'), {}]) },
  {
    name: 'Event Grid: an id that is inherited',
    hook: 'eventgrid',
    sent: { ...eventgrid(secret), body: '[{"__proto__": {"id": "g-1"}}]' },
  },
  { name: 'Event Grid: a handshake without its code', hook: 'eventgrid', sent: gridValidation(secret, '') },
  {
    name: 'Event Grid: a handshake among others',
    hook: 'eventgrid',
    sent: { ...gridValidation(secret), body: among(gridValidation(secret).body) },
  },
];

describe('what is genuine and not as documented is refused by what is wrong, and repeats nothing', () => {
  for (const { name, hook, sent } of malformed)
    it(name, async () => {
      const front = frontOf();
      const { status, headers, text } = await front.send(hook, sent);
      assert.equal(status, 400);
      assert.match(String(headers['content-type']), /^application\/problem\+json/);
      assert.ok(!text.includes(secret));
      await front.settle();
      assert.deepEqual([front.counts.touched, front.counts.firsts], [[], 0]);
    });
});

describe('handshakes of Event Grid', () => {
  it('its own: the code comes back, with 200', async () => {
    const front = frontOf();
    const { status, text } = await front.send('eventgrid', gridValidation(secret));
    assert.deepEqual([status, JSON.parse(text)], [200, { validationResponse: '512d38b6-c7b8-40c8-89fe-f46f9e9622b6' }]);
    await front.settle();
    assert.deepEqual(front.counts.touched, []);
  });

  const options = (code: string, origin?: string): Sent => ({
    method: 'OPTIONS',
    query: `?code=${encodeURIComponent(code)}`,
    headers: { ...(origin === undefined ? {} : { 'webhook-request-origin': origin }), 'webhook-request-rate': '120' },
  });

  it('that of CloudEvents: origin and rate are allowed', async () => {
    const { status, headers } = await frontOf().send('eventgrid', options(secret, 'eventgrid.azure.net'));
    assert.equal(status, 204);
    assert.equal(headers['webhook-allowed-origin'], 'eventgrid.azure.net');
    assert.equal(headers['webhook-allowed-rate'], '600');
    assert.equal(headers['allow'], 'POST, OPTIONS');
  });

  for (const { name, hook, sent } of [
    { name: 'without its secret', hook: 'eventgrid', sent: options('another', 'eventgrid.azure.net') },
    { name: 'without an origin', hook: 'eventgrid', sent: options(secret) },
    { name: 'with an origin that is no name', hook: 'eventgrid', sent: options(secret, 'a b<c>') },
    { name: 'at a hook that is not there', hook: 'nobody', sent: options(secret, 'eventgrid.azure.net') },
    {
      name: 'at a hook of another sender',
      hook: 'eventbridge',
      sent: {
        ...options(secret, 'eventgrid.azure.net'),
        headers: { 'x-api-key': secret, 'webhook-request-origin': 'a' },
      },
    },
  ])
    it(`that of CloudEvents ${name}: refused`, async () => {
      const { status, headers } = await frontOf().send(hook, sent);
      assert.equal(status, 401);
      assert.equal(headers['webhook-allowed-origin'], undefined);
    });
});

it('the specs know of each sender the cloud that it reports for', () => {
  const clouds = Object.entries({ ...adapters, pubsub }).flatMap(([name, adapter]) =>
    'cloud' in adapter && adapter.cloud !== undefined ? [[name, adapter.cloud]] : [],
  );
  assert.deepEqual([...auditLogSenders].sort(), clouds.sort());
});
