import { loadProvider } from '../../providers/index.ts';
import { webhooksOn } from '../../src/http/webhooks/handle-events.ts';
import type { Log } from '../../src/ports/clock-and-log.ts';
import { frontOf, push, secrets } from '../../test/http/support/front.ts';
import { type Google, startGoogle } from '../../test/http/support/google.ts';
import type { Sent } from '../../test/http/support/sent.ts';
import { virtualClock } from '../../test/support/virtual-clock.ts';

/** The hooks of a server, with a store and a queue that take everything at once. */
export interface Hooked {
  readonly google: Google;
  /** Sends it, and reconciles on what was taken. Answers the status. */
  send(hook: string, sent: Sent): Promise<number>;
  readonly now: () => number;
  close(): Promise<void>;
}

export async function openHooked(): Promise<Hooked> {
  const google = await startGoogle();
  const hooks = webhooksOn({
    // why: the front's own are in its place
    activeWebhooks: async () => [{ estate: 'acme', scopes, webhooks: [] }],
    allowEndpoint: true,
    cloud: loadProvider,
    touches: { first: async () => true, keep: async (_, touches) => touches },
    wakeUps: { add: async () => {} },
    requests: { ask: async () => {} },
    queue: { request: async () => {} },
    clock: virtualClock(),
    secrets: { resolve: async ({ env = '' }) => ({ ok: true, value: secrets[env] ?? '' }) },
    log,
  });
  const { firstDeliveries, repositoryMoved, handleEvents } = hooks;
  const front = frontOf({
    more: [{ name: 'pubsub', from: 'pubsub', ...push, keys: google.url }],
    wired: { firstDeliveries, repositoryMoved, handleEvents },
  });
  return {
    google,
    now: () => front.clock.now(),
    send: async (hook, sent) => {
      const { status } = await front.send(hook, sent);
      await front.settle();
      return status;
    },
    close: async () => {
      await front.close();
      await google.close();
    },
  };
}

const scopes = ['aws/111122223333/eu-west-1', 'azure/0a1b/westeurope', 'gcp/acme-prod'];
const log: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => log };
