import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { webhooksOn } from '../../src/http/webhooks/handle-events.ts';
import type { WebhookDependencies } from '../../src/http/webhooks/webhook.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { assertHidden, canary } from '../support/canary.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { type Answer, frontOf } from './support/front.ts';
import { token } from './support/google.ts';
import { eventbridge, eventgrid, github, gitlab, gridValidation, hmac, pubsub, type Sent } from './support/sent.ts';

const now = Date.UTC(2026, 0, 1);

/** The canary stands wherever a request can carry a secret, a signature or a body; as the hook's own secret, and as a wrong one. */
const requests: readonly (readonly [hook: string, sent: Sent])[] = [
  ['github', github(canary, `{"pad":"${canary}"}`)],
  ['gitlab', gitlab(canary, canary, canary)],
  ['hmac', hmac(canary, now, { body: canary })],
  ['eventbridge', eventbridge(canary, { id: canary, detail: canary })],
  ['eventbridge', { ...eventbridge(canary), body: `{"id":"${canary}` }],
  ['eventgrid', eventgrid(canary, [{ id: canary }])],
  ['eventgrid', { ...eventgrid(canary), body: `[${canary}` }],
  ['eventgrid', gridValidation(canary)],
  ['eventgrid', { ...eventgrid(canary), method: 'OPTIONS', body: '' }],
  ['pubsub', pubsub(token({ alg: 'RS256', kid: canary, typ: 'JWT' }, { sub: canary }, { key: canary }))],
  ['nobody', eventgrid(canary)],
  [canary, github(canary)],
  ['', { ...eventgrid(canary), address: `/v1/hooks/${encodeURIComponent(canary)}/x` }],
  ['', { ...eventgrid(canary), address: '/v1/hooks/%zz/x' }],
  ['', { ...eventgrid(canary), address: '/nothing' }],
  ['github', { ...github(canary), method: 'DELETE' }],
  ['github', { ...github(canary), headers: { ...github(canary).headers, 'content-type': canary } }],
  ['github', { ...github(canary), body: canary.repeat(100_000) }],
];

const broken = async (): Promise<never> => {
  throw new Error('the database is away');
};

const troubles: Readonly<Record<string, Partial<WebhookDependencies>>> = {
  'all is well': {},
  'the store is away': { firstDeliveries: broken },
  'nothing can be passed on': { repositoryMoved: broken, handleEvents: broken },
};

/** The answers to all requests, twice each. */
async function shown(
  own: string,
  wired: Partial<WebhookDependencies>,
): Promise<{ lines: readonly string[]; answers: readonly Answer[] }> {
  const front = frontOf({ wired: { ...wired, resolveSecret: async () => own } });
  const answers: Answer[] = [];
  for (const [hook, sent] of [...requests, ...requests]) {
    answers.push(await front.send(encodeURIComponent(hook), sent));
    await front.clock.advance(10_000);
  }
  await front.close();
  return { lines: front.lines, answers };
}

describe('no secret, signature or body comes out', () => {
  for (const [trouble, wired] of Object.entries(troubles)) {
    it(`of requests that are genuine: ${trouble}`, async () => {
      const { lines, answers } = await shown(canary, wired);
      assert.ok(answers.some(({ status }) => status < 300 || status === 503));
      assertHidden(lines, answers);
    });
    it(`of requests that are forged: ${trouble}`, async () => {
      const { lines, answers } = await shown('another', wired);
      assert.ok(lines.some((line) => line.includes('forged')));
      assertHidden(lines, answers);
    });
  }

  it('of a secret that cannot be read', async () => {
    const lines: string[] = [];
    const hooks = webhooksOn({
      ...unused,
      clock: virtualClock(),
      log: createLog({ write: (line) => void lines.push(line) }, { form: 'json', level: 'debug' }),
      secrets: {
        resolve: async () => ({
          ok: false,
          failure: {
            kind: 'not-found',
            code: 'no-such-variable',
            message: 'the secret in SETPOINT_SECRET_HOOK: it is not set',
          },
        }),
      },
    });
    assert.equal(await hooks.resolveSecret({ env: 'SETPOINT_SECRET_HOOK' }), undefined);
    assert.match(lines.join(''), /SETPOINT_SECRET_HOOK: it is not set/);
  });
});

const never = (): never => {
  throw new Error('nobody asks for this');
};
const unused = {
  activeWebhooks: never,
  cloud: never,
  touches: { first: never, keep: never },
  requests: { ask: never },
  queue: { request: never },
  wakeUps: { add: never },
  allowEndpoint: false,
};
