import { createHmac } from 'node:crypto';

/** A request as a sender makes it. `query` begins with a question mark. */
export interface Sent {
  readonly method?: 'POST' | 'OPTIONS' | 'GET' | 'PUT' | 'DELETE' | 'HEAD' | 'PATCH';
  readonly address?: string;
  readonly query?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

const json = { 'content-type': 'application/json' };

/** By each sender's documentation, and not by our code: otherwise nobody would test assumptions of both sides. */
export const github = (secret: string, body = '{"ref":"refs/heads/main"}', delivery = 'd-1'): Sent => ({
  headers: {
    ...json,
    'user-agent': 'GitHub-Hookshot/044aadd',
    'x-github-event': 'push',
    'x-github-delivery': delivery,
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  },
  body,
});

export const gitlab = (token: string, body = '{"object_kind":"push"}', key = 'k-1'): Sent => ({
  headers: {
    ...json,
    'x-gitlab-event': 'Push Hook',
    'x-gitlab-event-uuid': '13792a34-cac6-4fda-95a8-c58e00a3954e',
    'idempotency-key': key,
    'x-gitlab-token': token,
  },
  body,
});

/** A standard webhook: https://github.com/standard-webhooks/standard-webhooks. `at`: ms since the epoch. */
export function gitlabSigned(key: string, at: number, { body = '{}', id = 'msg-1' } = {}): Sent {
  const time = String(Math.floor(at / 1000));
  const signature = createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'))
    .update(`${id}.${time}.${body}`)
    .digest('base64');
  return {
    headers: {
      ...json,
      'x-gitlab-event': 'Push Hook',
      'webhook-id': id,
      'webhook-timestamp': time,
      'webhook-signature': `v1,${signature}`,
    },
    body,
  };
}

export function hmac(secret: string, at: number, { body = '{}', id = 'delivery-1' } = {}): Sent {
  const time = Math.floor(at / 1000);
  const hex = createHmac('sha256', secret).update(`${time}.${id}.${body}`).digest('hex');
  return {
    headers: { ...json, 'x-setpoint-delivery': id, 'x-setpoint-signature': `t=${time},v1=${hex}` },
    body,
  };
}

export const cloudTrail = (id: string) => ({
  version: '0',
  id,
  'detail-type': 'AWS API Call via CloudTrail',
  source: 'aws.ec2',
  account: '111122223333',
  time: '2026-01-01T00:00:00Z',
  region: 'eu-west-1',
  resources: [],
  detail: { eventName: 'RevokeSecurityGroupIngress', eventID: id },
});

export const eventbridge = (secret: string, event: object = cloudTrail('e-1')): Sent => ({
  headers: { ...json, 'user-agent': 'Amazon/EventBridge/ApiDestinations', 'x-api-key': secret },
  body: JSON.stringify(event),
});

export const gridEvent = (id: string) => ({
  id,
  topic: '/subscriptions/0a1b',
  subject: '/subscriptions/0a1b/resourceGroups/prod/providers/Microsoft.Network/networkSecurityGroups/web',
  eventType: 'Microsoft.Resources.ResourceWriteSuccess',
  eventTime: '2026-01-01T00:00:00Z',
  data: {},
  dataVersion: '2',
  metadataVersion: '1',
});

export const eventgrid = (secret: string, events: unknown = [gridEvent('g-1')]): Sent => ({
  query: `?code=${encodeURIComponent(secret)}`,
  headers: { ...json, 'aeg-event-type': 'Notification' },
  body: JSON.stringify(events),
});

export const gridValidation = (secret: string, code = '512d38b6-c7b8-40c8-89fe-f46f9e9622b6'): Sent => ({
  query: `?code=${encodeURIComponent(secret)}`,
  headers: { ...json, 'aeg-event-type': 'SubscriptionValidation' },
  body: JSON.stringify([
    {
      id: '2d1781af-3a4c-4d7c-bd0c-e34b19da4e66',
      topic: '/subscriptions/0a1b',
      subject: '',
      data: { validationCode: code, validationUrl: 'https://rp-eastus2.eventgrid.azure.net:553/validate?id=1' },
      eventType: 'Microsoft.EventGrid.SubscriptionValidationEvent',
      eventTime: '2026-01-01T00:00:00Z',
      metadataVersion: '1',
      dataVersion: '1',
    },
  ]),
});

export const logEntry = { insertId: 'i-1', protoPayload: { methodName: 'v1.compute.firewalls.patch' } };

export const pubsub = (
  token: string,
  { id = '2070443601311540', entry = logEntry }: { readonly id?: string; readonly entry?: unknown } = {},
): Sent => ({
  headers: { ...json, authorization: `Bearer ${token}` },
  body: JSON.stringify({
    message: {
      data: Buffer.from(JSON.stringify(entry)).toString('base64'),
      messageId: id,
      publishTime: '2026-01-01T00:00:00Z',
    },
    subscription: 'projects/acme-prod/subscriptions/setpoint',
  }),
});
