import {
  cloudTrail,
  eventbridge,
  eventgrid,
  github,
  gridEvent,
  hmac,
  pubsub,
  type Sent,
} from '../../test/http/support/sent.ts';
import { canary, type Outputs } from './canaries.ts';
import { refused } from './specs.ts';

const secret = canary('spec: the secret of a hook');
const forged = canary('event: a forged signature and its body');

/** Genuine events that tell more than they should, and forged ones. */
const events = (now: number): readonly (readonly [hook: string, sent: Sent])[] => {
  const userData = canary('event: user data in what CloudTrail tells');
  const told = {
    ...cloudTrail('told-1'),
    detail: {
      eventName: 'RunInstances',
      eventID: 'told-1',
      eventTime: new Date(now).toISOString(),
      awsRegion: 'eu-west-1',
      recipientAccountId: '111122223333',
      userIdentity: { type: 'IAMUser', arn: 'arn:aws:iam::111122223333:user/tom', userName: 'tom' },
      requestParameters: { userData, instancesSet: { items: [{ instanceId: 'i-0123456789abcdef0' }] } },
      responseElements: { userData },
    },
  };
  const password = canary('event: a password in what Azure tells');
  const grid = { ...gridEvent('told-2'), data: { httpRequest: { body: password }, claims: { secret: password } } };
  return [
    ['eventbridge', eventbridge(secret, told)],
    ['eventgrid', eventgrid(secret, [grid])],
    ['hmac', hmac(secret, now, { body: JSON.stringify({ pad: forged }) })],
    ['eventbridge', eventbridge(forged, { pad: forged })],
    ['eventgrid', eventgrid(forged)],
    ['github', github(forged, `{"pad":"${forged}"}`)],
    ['hmac', { ...hmac(secret, now), body: `{"pad":"${forged}` }],
    ['pubsub', pubsub(canary('event: a bearer token of Pub/Sub'))],
    [encodeURIComponent(forged), github(forged)],
  ];
};

/** Requests to the API that bring a secret where none belongs. */
const requests = (token: string): readonly (readonly [address: string, init: RequestInit])[] => {
  const [bearer, query] = [canary('request: a bearer token'), canary('request: a token in an address')];
  const by = { authorization: `Bearer ${token}` };
  const posted = {
    specs: [
      {
        path: 'all.yaml',
        text: refused('http://127.0.0.1:1').replaceAll(/Kanari-[^"]*/g, canary('request: a password in posted specs')),
      },
    ],
  };
  return [
    ['/v1/inventory', { headers: { authorization: `Bearer ${bearer}` } }],
    ['/v1/inventory', { headers: { authorization: `Basic ${Buffer.from(`ops:${bearer}`).toString('base64')}` } }],
    [`/v1/inventory?token=${query}`, {}],
    [`/v1/inventory?token=${query}`, { headers: by }],
    [`/v1/inventory/${query}`, { headers: by }],
    [`/v1/${query}`, { headers: by }],
    [
      '/v1/plans',
      { method: 'POST', headers: { ...by, 'content-type': 'application/json' }, body: JSON.stringify(posted) },
    ],
    [
      '/v1/plans',
      { method: 'POST', headers: { ...by, 'content-type': 'application/json' }, body: `{"specs":"${bearer}` },
    ],
  ];
};

/** `metrics`: where the worker is asked how it is. */
export interface Doors {
  readonly http: string;
  readonly metrics: string;
}

export async function sendRequests({ http }: Doors, token: string, outputs: Outputs): Promise<void> {
  for (const [hook, { method = 'POST', query = '', headers, body }] of events(Date.now()))
    await recordAnswer(
      `${http}/v1/hooks/acme/${hook}${query}`,
      { method, headers, ...(body === undefined ? {} : { body }) },
      { place: 'answers to events', outputs },
    );
  for (const [address, init] of requests(token))
    await recordAnswer(`${http}${address}`, init, { place: 'answers of the API', outputs });
}

/** All that may be read: the API by its own document, metrics and health. */
export async function readAll({ http, metrics }: Doors, token: string, outputs: Outputs): Promise<number> {
  const document: unknown = await (await fetch(`${http}/openapi.json`)).json();
  const { paths } = document as { paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> }; // why: it is an OpenAPI document, as its own test knows
  const addresses = Object.entries(paths).flatMap(([path, methods]) =>
    'get' in methods && !path.includes('{') && path !== '/v1/events' ? [path] : [],
  );
  const init = { headers: { authorization: `Bearer ${token}` } };
  for (const address of addresses)
    await recordAnswer(`${http}${address}`, init, { place: `answers of the API at ${address}`, outputs });
  const resources = (await (await fetch(`${http}/v1/inventory?limit=100`, init)).json()) as {
    items: readonly { address?: string; id?: string }[];
  }; // why: as the document says
  for (const { address, id } of resources.items)
    await recordAnswer(`${http}/v1/inventory/${encodeURIComponent(address ?? id ?? '')}`, init, {
      place: 'answers of the API about one resource',
      outputs,
    });
  for (const path of ['/metrics', '/livez', '/readyz', '/rate-limits'])
    await recordAnswer(`${metrics}${path}`, {}, { place: 'metrics and health', outputs });
  return resources.items.length;
}

interface Hearing {
  readonly place: string;
  readonly outputs: Outputs;
}

async function recordAnswer(url: string, init: RequestInit, { place, outputs }: Hearing): Promise<void> {
  const answer = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(20_000) });
  outputs.record(place, `${answer.status} ${JSON.stringify([...answer.headers])} ${await answer.text()}`);
}
