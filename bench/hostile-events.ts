import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadProvider } from '../providers/index.ts';
import { openWorkerResources } from '../src/bootstrap/process-context.ts';
import { type HttpServer, startHttp } from '../src/http/server.ts';
import { webhooksOn } from '../src/http/webhooks/handle-events.ts';
import type { Webhook, WebhookDependencies } from '../src/http/webhooks/webhook.ts';
import type { Log } from '../src/ports/clock-and-log.ts';
import { type Google, goodClaims, goodHead, rsa, startGoogle, token } from '../test/http/support/google.ts';
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
} from '../test/http/support/sent.ts';
import type { Figure } from './figure.ts';
import { inScratch } from './processes/scratch.ts';

/** The credentials of this bench's hooks. */
const secret = 'a secret of at least thirty-two letters';
const signing = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
export const push = { audience: 'https://setpoint.acme.example', serviceAccount: 'push@acme.iam.gserviceaccount.com' };

type Request = readonly [hook: string, sent: Sent];

/** A change by hand, as CloudTrail tells it. */
function changeEvent(id: string): object {
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
const recorded = (now: number, key: Parameters<typeof token>[2]): readonly Request[] => [
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

const estate = 'acme';
const scope = 'aws/111122223333/eu-west-1';

/** A worker's hooks on a port, on a database and a queue of its own, whose reconciles are counted and do nothing. */
interface Place {
  readonly http: HttpServer;
  readonly google: Google;
  /** Reconciles that began. */
  reconciles(): number;
  /** Work of any kind that was asked for: reconciles begun, reconciles requested, and wake-ups. */
  started(): Promise<number>;
  /** Returns when no reconcile runs or waits, and none is asked for any more. */
  quiet(): Promise<void>;
}

/** Changes the hooks, given the number of reconciles that began. Tests show by it that the figure can fail. */
export type Wired = (hooks: WebhookDependencies, reconciles: Place['reconciles']) => WebhookDependencies;

const inPlace = <T>(work: (place: Place) => Promise<T>, wired: Wired): Promise<T> =>
  inScratch(async (folder) => {
    const settings = { as: 'alone', folder, allowEndpoint: true, specs: { dirs: [] }, ports: {}, reconcile } as const;
    const resources = await openWorkerResources(settings, { env: {}, clock, log });
    const google = await startGoogle();
    const ends = [google.close, resources.close];
    const { store, queue } = resources;
    let reconciles = 0;
    try {
      const pool = await queue.work({
        atOnce: 10,
        reconcile: async (where) => {
          const { request } = await store.fleet.requests.pendingState(where);
          reconciles += 1; // why: only what comes from now on is for the next one
          await sleep(reconcileMs);
          await store.fleet.requests.answered(where, request);
          return 'done';
        },
        poisoned: async () => {},
      });
      ends.unshift(pool.stop);
      const hooks = webhooksOn({
        activeWebhooks: async () => [{ estate, scopes: [scope], webhooks: hooksAt(google.url) }],
        allowEndpoint: true,
        cloud: loadProvider,
        touches: store.touches,
        wakeUps: store.sources.wakeUps,
        requests: store.fleet.requests,
        queue,
        clock,
        secrets: { resolve: async ({ env }) => ({ ok: true, value: env === 'SIGNING' ? signing : secret }) },
        log,
      });
      const http = await startHttp({ port: 0, webhooks: wired(hooks, () => reconciles), clock, log });
      ends.unshift(http.close);
      const requestsWaiting = async () => (await store.fleet.requests.pendingState({ estate, scope })).request;
      return await work({
        http,
        google,
        reconciles: () => reconciles,
        started: async () => reconciles + (await requestsWaiting()) + (await store.sources.wakeUps.count(estate)),
        quiet: async () => {
          for (let still = 0; still < 20; still += 1) {
            await sleep(100);
            const waiting = (await queue.counts()).some(({ state, count }) => state !== 'failed' && count > 0);
            if (waiting || (await requestsWaiting()) > 0) still = 0;
          }
        },
      });
    } finally {
      for (const end of ends) await end();
    }
  });

/** As long as a reconcile over a scope in which nothing changed. */
const reconcileMs = 300;
const reconcile = { intervalMs: 3_600_000, concurrency: 10, reserve: 0 };
const clock = {
  now: () => Date.now(),
  sleep: (ms: number, signal?: AbortSignal) => sleep(ms, undefined, { ...(signal && { signal }) }),
};
const log: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => log };

const hooksAt = (keys: string): readonly Webhook[] => [
  ...(['github', 'gitlab', 'hmac', 'eventbridge', 'eventgrid'] as const).map((from) => ({
    name: from,
    from,
    secret: { env: 'SECRET' },
  })),
  { name: 'gitlab-signed', from: 'gitlab', secret: { env: 'SIGNING' } },
  { name: 'pubsub', from: 'pubsub', ...push, keys },
];

/** Sends requests over connections that stay open, and answers with the status. */
interface Sender {
  send(hook: string, sent: Sent): Promise<number>;
  close(): void;
}

function senderTo(url: string, connections: number): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    send: (hook, { method = 'POST', query = '', address = `/v1/hooks/acme/${hook}`, headers, body = '' }) =>
      new Promise((resolve, reject) => {
        const length = { 'content-length': String(Buffer.byteLength(body)) };
        const sending = request(`${url}${address}${query}`, { method, agent, headers: { ...headers, ...length } });
        sending.on('error', reject);
        sending.on('response', (answer) => {
          answer.resume();
          answer.on('end', () => resolve(answer.statusCode ?? 0));
        });
        sending.end(body);
      }),
    close: () => agent.destroy(),
  };
}

interface HostileEventsOptions {
  /** Numbers of events: forged or replayed, and genuine. */
  readonly forged?: number;
  readonly valid?: number;
  readonly wired?: Wired;
}

/**
 * Requests to a worker's hooks on its port, with a real database and queue: how much work is started by those that are forged or
 * replayed (asked: none), and how many reconciles by genuine events of one second that all tell of one scope (asked: one).
 */
export const hostileEvents = ({
  forged = 10_000,
  valid = 1_000,
  wired = (hooks) => hooks,
}: HostileEventsOptions = {}): Promise<readonly Figure[]> =>
  inPlace(async (place) => {
    const sender = senderTo(place.http.url, 32);
    try {
      return [await byForged(forged, place, sender), await byValid(valid, place, sender)];
    } finally {
      sender.close();
    }
  }, wired);

async function byForged(count: number, place: Place, { send }: Sender): Promise<Figure> {
  const now = Date.now();
  const key = { key: place.google.pair.privateKey };
  const replays = recorded(now, key);
  for (const [hook, sent] of replays) {
    const status = await send(hook, sent);
    if (status !== 202) throw new Error(`${hook} answered ${status} to what is genuine: nothing is measured`);
  }
  await place.quiet();
  const before = await place.started();
  if (place.reconciles() === 0) throw new Error('what is genuine started no reconcile: nothing is measured');
  const from = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await send(...hostile(index, { replays, now, key }));
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  const seconds = (performance.now() - from) / 1_000;
  await place.quiet();
  const value = (await place.started()) - before;
  return { name: 'hostile-events', value, unit: `jobs by ${count} forged or replayed in ${seconds.toFixed(1)} s` };
}

async function byValid(count: number, place: Place, { send }: Sender): Promise<Figure> {
  const before = place.reconciles();
  const answers: Promise<number>[] = [];
  const from = performance.now();
  for (let index = 0; index < count; index += 1) {
    const early = (index * 1_000) / count - (performance.now() - from);
    if (early > 1) await sleep(early);
    answers.push(send('eventbridge', eventbridge(secret, changeEvent(`valid-${index}`))));
  }
  const statuses = await Promise.all(answers);
  const seconds = (performance.now() - from) / 1_000;
  const refused = statuses.filter((status) => status !== 202).length;
  if (refused > 0) throw new Error(`${refused} of ${count} genuine events were refused`);
  await place.quiet();
  const value = place.reconciles() - before;
  if (value === 0) throw new Error('genuine events started no pass');
  return { name: 'hostile-events-valid', value, unit: `passes by ${count} valid in ${seconds.toFixed(1)} s` };
}
