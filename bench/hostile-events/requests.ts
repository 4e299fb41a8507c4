import { goodClaims, goodHead, rsa, token } from '../../test/http/support/google.ts';
import {
  cloudTrail,
  eventbridge,
  eventgrid,
  github,
  gitlab,
  gitlabSigned,
  gridEvent,
  hmac,
  pubsub,
  type Sent,
} from '../../test/http/support/sent.ts';
import { push, secret, signing } from './proofs.ts';

export type Request = readonly [hook: string, sent: Sent];

/** A change by hand, as CloudTrail tells it. */
export function changeEvent(id: string): object {
  return {
    ...cloudTrail(id),
    detail: {
      eventVersion: '1.09',
      userIdentity: { type: 'IAMUser', arn: 'arn:aws:iam::111122223333:user/bob', accountId: '111122223333' },
      eventTime: '2026-01-01T00:00:00Z',
      eventSource: 'ec2.amazonaws.com',
      eventName: 'StopInstances',
      awsRegion: 'eu-west-1',
      sourceIPAddress: '203.0.113.9',
      userAgent: 'aws-cli/2.13.5',
      requestParameters: { instancesSet: { items: [{ instanceId: 'i-0abc' }] } },
      responseElements: null,
      requestID: id,
      eventID: id,
      readOnly: false,
      recipientAccountId: '111122223333',
    },
  };
}

/** Genuine, one of each sender: what somebody has recorded who replays it. */
export const recorded = (now: number, key: Parameters<typeof token>[2]): readonly Request[] => [
  ['github', github(secret)],
  ['gitlab', gitlab(secret)],
  ['gitlab-signed', gitlabSigned(signing, now)],
  ['hmac', hmac(secret, now)],
  ['eventbridge', eventbridge(secret, changeEvent('recorded'))],
  ['eventgrid', eventgrid(secret)],
  ['pubsub', pubsub(token(goodHead, claimsAt(now), key))],
];

/** The `index`th of those that nobody with a secret has made, or that come a second time. */
export function hostile(index: number, { replays, now, key }: Recorded): Request {
  const id = `forged-${index}`;
  const body = JSON.stringify({ after: id });
  const [hook, sent] = replays[index % replays.length] ?? ['nobody', { headers: {} }];
  const event = eventbridge('another', changeEvent(id));
  const jwt = (head: object, claims: object, by = key) => ['pubsub', pubsub(token(head, claims, by), { id })] as const;
  const classes: readonly (() => Request)[] = [
    () => [hook, sent],
    () => [hook, { ...sent, headers: { ...sent.headers, 'x-github-delivery': id } }],
    () => ['github', github('another', body)],
    () => ['github', { ...github(secret), body }],
    () => ['gitlab', gitlab('another', body, id)],
    () => ['gitlab-signed', gitlabSigned(signing, now - 3_600_000, { body, id })],
    () => ['gitlab-signed', gitlab(secret, body, id)],
    () => ['hmac', hmac(secret, now - 3_600_000, { body, id })],
    () => ['hmac', hmac('another', now, { body, id })],
    () => ['hmac', { ...hmac(secret, now), headers: { ...hmac(secret, now).headers, 'x-setpoint-delivery': id } }],
    () => ['eventbridge', event],
    () => ['eventgrid', eventgrid('another', [gridEvent(id)])],
    () => ['eventgrid', { ...eventgrid(secret, [gridEvent(id)]), query: '' }],
    () => jwt({ ...goodHead, alg: 'none' }, claimsAt(now), {}),
    () => jwt(goodHead, { ...claimsAt(now), email: 'push@other.iam.gserviceaccount.com' }),
    () => jwt(goodHead, claimsAt(now - 86_400_000)),
    () => jwt(goodHead, claimsAt(now), { key: others.privateKey }),
    () => ['nobody', github(secret, body)],
    () => ['', { ...eventbridge(secret, changeEvent(id)), address: '/v1/hooks/other/eventbridge' }],
  ];
  return classes[Math.floor(index / replays.length) % classes.length]?.() ?? ['nobody', { headers: {} }];
}

interface Recorded {
  readonly replays: readonly Request[];
  readonly now: number;
  readonly key: Parameters<typeof token>[2];
}

const others = rsa();
const claimsAt = (at: number) => ({ ...goodClaims(at), aud: push.audience, email: push.serviceAccount });
