import { push, secret, secrets } from '../../test/http/support/front.ts';
import { goodClaims, goodHead, type Pair, rsa, token } from '../../test/http/support/google.ts';
import {
  cloudTrail,
  eventbridge,
  eventgrid,
  github,
  gitlab,
  gitlabSigned,
  gridEvent,
  gridValidation,
  hmac,
  pubsub,
  type Sent,
} from '../../test/http/support/sent.ts';

/** Deliveries by what is hostile about them: whose hook they go to, and what is sent. `at`: ms since the epoch. */
export type Webhooks = Readonly<Record<string, (at: number) => readonly [hook: string, sent: Sent]>>;

/** The most that a body may be. */
const full = 1024 * 1024;
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const upTo = (size: number, text: string): string => text.repeat(Math.floor(size / text.length));
/** A list of as many as fit into a body. */
const listOf = (make: (i: number) => string): string => {
  const count = Math.floor((full - 2) / (make(99_999).length + 1));
  return `[${times(count, make).join(',')}]`;
};

/** Bodies that are hostile to whoever parses JSON. */
const jsons: Readonly<Record<string, string | Buffer>> = {
  'lists in one another': `${'['.repeat(full / 2)}${']'.repeat(full / 2)}`,
  'objects in one another': `${upTo(full - 200_000, '{"a":')}1${'}'.repeat(160_000)}`,
  'open brackets': '['.repeat(full),
  'open braces': upTo(full, '{"a":'),
  'many keys': `{"id":"1",${times(85_000, (i) => `"k${i}":1`).join(',')}}`,
  'equal keys': `{${upTo(full - 12, '"id":"a",')}"id":"b"}`,
  'names of a prototype': `{"id":"1",${upTo(full - 40, '"__proto__":{},')}"a":1}`,
  'a long text': `{"id":"${'a'.repeat(full - 9)}"}`,
  'a text of escapes': `{"id":"${upTo(full - 9, '\\n')}"}`,
  'a text of code points': `{"id":"${upTo(full - 9, '\\u00e9')}"}`,
  'a text beyond ASCII': `{"id":"${'é'.repeat(full / 2 - 9)}"}`,
  'a long key': `{"${'k'.repeat(full - 8)}":1}`,
  'a long number': `{"id":${'9'.repeat(full - 8)}}`,
  'numbers of many digits': `[${upTo(full - 4, '1e308,')}1]`,
  blanks: ' '.repeat(full),
  commas: ','.repeat(full),
  'bytes that are no text': Buffer.alloc(full, 0xff),
  'halves of characters': Buffer.from(`{"id":"${'\xc3'.repeat(full - 9)}"}`, 'latin1'),
};

const body = (sent: Sent, text: string | Buffer): Sent => ({ ...sent, body: Buffer.from(text) });

const grid = (text: string | Buffer) => (): readonly ['eventgrid', Sent] => [
  'eventgrid',
  body(eventgrid(secret), text),
];
const bridge = (event: object) => (): readonly ['eventbridge', Sent] => ['eventbridge', eventbridge(secret, event)];

/** A change by hand, as CloudTrail tells it. */
const change = (id: string, asked: object): object => ({
  ...cloudTrail(id),
  detail: {
    eventVersion: '1.09',
    userIdentity: { type: 'IAMUser', arn: 'arn:aws:iam::111122223333:user/bob', accountId: '111122223333' },
    eventTime: '2026-01-01T00:00:00Z',
    eventSource: 'ec2.amazonaws.com',
    eventName: 'StopInstances',
    awsRegion: 'eu-west-1',
    requestParameters: asked,
    responseElements: asked,
    requestID: id,
    eventID: id,
    readOnly: false,
    recipientAccountId: '111122223333',
  },
});

/** A push of thousands of commits: https://docs.github.com/en/webhooks/webhook-events-and-payloads#push */
const pushed = JSON.stringify({
  ref: 'refs/heads/main',
  commits: times(2_000, (i) => ({
    id: `${i}`.padStart(40, '0'),
    message: 'a change',
    added: times(10, (n) => `specs/${i}/${n}.yaml`),
    removed: [],
    modified: times(10, (n) => `${n}.yaml`),
  })),
});

const pushToken = (at: number, { privateKey }: Pair): string =>
  token(goodHead, { ...goodClaims(at), aud: push.audience, email: push.serviceAccount }, { key: privateKey });

const signing = secrets['SETPOINT_SECRET_SIGNING'] ?? '';

/** `google`: with which Google signs its tokens. */
export const hostileWebhooks = (google: Pair): Webhooks => ({
  ...Object.fromEntries(Object.entries(jsons).map(([name, text]) => [`Event Grid: ${name}`, grid(text)])),
  ...Object.fromEntries(
    Object.entries(jsons).map(([name, text]) => [
      `EventBridge: ${name}`,
      () => ['eventbridge', body(eventbridge(secret), text)] as const,
    ]),
  ),
  'Event Grid: events of one letter': grid(listOf((i) => `{"id":"${i.toString(36)}"}`)),
  'Event Grid: equal events': grid(listOf(() => '{"id":"1"}')),
  'Event Grid: empty events': grid(listOf(() => '{}')),
  'Event Grid: nothings': grid(listOf(() => 'null')),
  'Event Grid: changes': grid(listOf((i) => JSON.stringify(gridEvent(`g-${i}`)))),
  'Event Grid: short changes': grid(
    listOf(
      (i) => `{"id":"${i}","eventType":"Microsoft.Resources.ResourceWriteSuccess","subject":"/subscriptions/0a1b"}`,
    ),
  ),
  'Event Grid: a handshake': () => ['eventgrid', body(gridValidation(secret), 'a'.repeat(full))],
  'Event Grid: another secret': () => ['eventgrid', body(eventgrid('another'), jsons['many keys'] ?? '')],
  'Event Grid: a long secret': () => ['eventgrid', { ...eventgrid(secret), query: `?code=${'a'.repeat(15_000)}` }],
  'Event Grid: many secrets': () => ['eventgrid', { ...eventgrid(secret), query: `?${upTo(15_000, 'code=a&')}` }],
  'EventBridge: 20,000 machines': bridge(
    change('m-1', { instancesSet: { items: times(20_000, (i) => ({ instanceId: `i-${i}` })) } }),
  ),
  'EventBridge: fields in one another': bridge(
    change(
      'm-2',
      times(2_000, (i) => i).reduce<object>((inner) => ({ items: [inner] }), {}),
    ),
  ),
  'Pub/Sub: an entry of many keys': (at) => [
    'pubsub',
    pubsub(pushToken(at, google), { entry: Object.fromEntries(times(60_000, (i) => [`k${i}`, 1])) }),
  ],
  'Pub/Sub: another key': (at) => ['pubsub', body(pubsub(pushToken(at, rsa())), jsons['many keys'] ?? '')],
  'Pub/Sub: a long token': () => ['pubsub', pubsub(`${'a'.repeat(5_000)}.${'b'.repeat(5_000)}.c`)],
  'GitHub: a push of 2,000 commits': () => ['github', github(secret, pushed)],
  'GitHub: a full body': () => ['github', github(secret, 'a'.repeat(full))],
  'GitHub: another signature': () => ['github', github('another', 'a'.repeat(full))],
  'GitHub: more than a body may be': () => ['github', github(secret, 'a'.repeat(25 * full))],
  'GitHub: a secret that is not there': () => ['unset', github(secret, 'a'.repeat(full))],
  'GitLab: a full body': () => ['gitlab', gitlab(secret, 'a'.repeat(full))],
  'GitLab: a signed body': (at) => ['gitlab-signed', gitlabSigned(signing, at, { body: 'a'.repeat(full) })],
  'GitLab: many signatures': (at) => [
    'gitlab-signed',
    {
      ...gitlabSigned(signing, at, { body: 'a'.repeat(full) }),
      headers: {
        ...gitlabSigned(signing, at).headers,
        'webhook-signature': upTo(14_000, `v1,${'A'.repeat(43)}= `),
      },
    },
  ],
  'hmac: a full body': (at) => ['hmac', hmac(secret, at, { body: 'a'.repeat(full) })],
  'hmac: long ago': (at) => ['hmac', hmac(secret, at - 3_600_000, { body: 'a'.repeat(full) })],
  'a hook that is not there': () => ['nobody', github(secret, 'a'.repeat(full))],
});
