import type { SecretRef } from '../../../src/core/documents/secret-ref.ts';
import type { Cloud } from '../../../src/core/resource.ts';
import { httpApp } from '../../../src/http/server.ts';
import type { Webhook, WebhookDependencies } from '../../../src/http/webhooks/webhook.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts';
import type { Sent } from './sent.ts';

/** Everything that a request leads to, counted, in virtual time and without a port. */
export interface Front {
  readonly clock: VirtualClock;
  readonly counts: Counts;
  /** Every line of the log, as operators read it. */
  readonly lines: readonly string[];
  /** To `/v1/hooks/acme/<hook>` unless the request names another address. */
  send(hook: string, sent: Sent): Promise<Answer>;
  /** Waits until the collected events are passed on. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface Counts {
  active: number;
  secrets: number;
  firsts: number;
  readonly wakeUps: string[];
  readonly touched: { readonly estate: string; readonly cloud: Cloud; readonly events: readonly unknown[] }[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export const secrets: Readonly<Record<string, string>> = {
  SETPOINT_SECRET_HOOK: 'correct horse battery staple',
  SETPOINT_SECRET_SIGNING: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
};
export const secret = 'correct horse battery staple';
const ref: SecretRef = { env: 'SETPOINT_SECRET_HOOK' };

export const push = {
  audience: 'https://setpoint.acme.example/v1/hooks/acme/pubsub',
  serviceAccount: 'push@acme-prod.iam.gserviceaccount.com',
} as const;

/** One hook of each sender, named after it. */
const all: readonly Webhook[] = [
  ...(['github', 'gitlab', 'hmac', 'eventbridge', 'eventgrid'] as const).map((from) => ({
    name: from,
    from,
    secret: ref,
  })),
  { name: 'gitlab-signed', from: 'gitlab', secret: { env: 'SETPOINT_SECRET_SIGNING' } },
  { name: 'unset', from: 'github', secret: { env: 'SETPOINT_SECRET_UNSET' } },
];

/** `more`: further hooks. `wired`: in place of what counts. */
export function frontOf({
  more = [],
  wired = {},
}: {
  more?: readonly Webhook[];
  wired?: Partial<WebhookDependencies>;
} = {}): Front {
  const clock = virtualClock();
  const counts: Counts = { active: 0, secrets: 0, firsts: 0, wakeUps: [], touched: [] };
  const lines: string[] = [];
  const log = createLog({ write: (line) => void lines.push(line) }, { form: 'json', level: 'debug' });
  const app = httpApp({ webhooks: { ...counting(counts, [...all, ...more]), ...wired }, clock, log });
  return {
    clock,
    counts,
    lines,
    send: async (hook, { method = 'POST', query = '', address = `/v1/hooks/acme/${hook}`, headers, body }) => {
      const answer = await app.inject({
        method,
        url: `${address}${query}`,
        headers: { ...headers },
        ...(body === undefined ? {} : { payload: body }),
      });
      return { status: answer.statusCode, headers: answer.headers, text: answer.payload };
    },
    settle: () => clock.advance(2_000),
    close: async () => {
      await app.close();
    },
  };
}

function counting(counts: Counts, webhooks: readonly Webhook[]): WebhookDependencies {
  const taken = new Set<string>();
  return {
    allowOwnKeys: true,
    activeWebhooks: async () => {
      counts.active += 1;
      return [{ estate: 'acme', webhooks, scopes: [] }];
    },
    resolveSecret: async ({ env = '' }) => {
      counts.secrets += 1;
      return secrets[env];
    },
    firstDeliveries: async (estate, hook, ids) => {
      counts.firsts += ids.length;
      return ids.map((id) => {
        const key = JSON.stringify([estate, hook, id]);
        if (taken.has(key)) return false;
        taken.add(key);
        return true;
      });
    },
    repositoryMoved: async (estate) => void counts.wakeUps.push(estate),
    handleEvents: async (estate, cloud, events) => void counts.touched.push({ estate, cloud, events }),
  };
}
