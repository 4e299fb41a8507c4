import { randomBytes } from 'node:crypto';
import { isLoopback } from '../../core/documents/fields.ts';
import type { SecretRef } from '../../core/documents/secret-ref.ts';
import type { Clock } from '../../ports/clock-and-log.ts';
import type { RawRequest, Verdict, WebhookAdapter } from './adapter.ts';
import { adapters } from './adapters/index.ts';
import { googleKeys, pubsub } from './adapters/pubsub.ts';
import type { RejectionLog, RejectReason } from './rejections.ts';
import type { EstateWebhooks, Webhook, WebhookDependencies } from './webhook.ts';

/** A request to an address of a hook. */
export interface WebhookRequest extends RawRequest {
  readonly estate: string;
  readonly hook: string;
}

/** Reads the deliveries of a hook's sender. */
type DeliveryReader = Omit<WebhookAdapter<never>, 'verify'>;

/**
 * Says how to read a request that is genuine; undefined: it is not, or there is no such hook. Whoever asks cannot tell these
 * apart: a hook that is not there costs a signature too.
 */
export function webhookVerifier(
  dependencies: WebhookDependencies,
  { clock, rejections }: { readonly clock: Clock; readonly rejections: RejectionLog },
): (request: WebhookRequest) => Promise<DeliveryReader | undefined> {
  const find = webhookRegistry(dependencies.activeWebhooks, clock);
  const verify = verificationBy(dependencies, clock);
  return async (request) => {
    const webhook = await find(request.estate, request.hook);
    if (webhook === undefined) {
      adapters.github.verify(request, decoy);
      rejections.record('there is no such hook');
      return undefined;
    }
    const { reader, why } = await verify(webhook, request);
    if (why === undefined) return reader;
    rejections.record(why, { estate: request.estate, webhook: webhook.name });
    return undefined;
  };
}

const decoy = randomBytes(32).toString('hex');

interface Verification {
  readonly reader: DeliveryReader;
  /** Undefined: it is genuine. */
  readonly why: RejectReason | undefined;
}

function verificationBy(
  dependencies: WebhookDependencies,
  clock: Clock,
): (webhook: Webhook, request: WebhookRequest) => Promise<Verification> {
  const secretOf = cachedSecrets(dependencies.resolveSecret, clock);
  const keysAt = googleKeys();
  return async (webhook, request) => {
    if (webhook.from === 'pubsub') {
      const { audience, serviceAccount, keys } = webhook;
      if (keys !== undefined && !(dependencies.allowOwnKeys && isLoopback(keys)))
        return { reader: pubsub, why: 'its keys are not allowed' };
      const verdict = await pubsub.verify(request, { audience, serviceAccount, keys: keysAt(keys) });
      return { reader: pubsub, why: reasons[verdict] };
    }
    const adapter = adapters[webhook.from];
    const secret = await secretOf(webhook.secret);
    if (secret === undefined) return { reader: adapter, why: 'its secret cannot be had' };
    return { reader: adapter, why: reasons[await adapter.verify(request, secret)] };
  };
}

const reasons: Readonly<Record<Verdict, RejectReason | undefined>> = {
  genuine: undefined,
  forged: 'forged',
  stale: 'too old',
  unproven: 'its proof is out of reach',
};

/** A commit that changes hooks counts after so long. */
const registryMs = 5_000;

/** Finds a hook by its address. What does not exist costs no query, however often it is asked for. */
export function webhookRegistry(
  activeWebhooks: () => Promise<readonly EstateWebhooks[]>,
  clock: Clock,
): (estate: string, name: string) => Promise<Webhook | undefined> {
  let known: ReadonlyMap<string, Webhook> | undefined;
  let reading: Promise<void> | undefined;
  let readAt = 0;
  const read = async (): Promise<void> => {
    readAt = clock.now();
    try {
      known = byAddress(await activeWebhooks());
    } catch (error) {
      if (known === undefined) throw error;
    } finally {
      reading = undefined;
    }
  };
  return async (estate, name) => {
    if (known === undefined || clock.now() - readAt >= registryMs) reading ??= read();
    await reading;
    return known?.get(addressOf(estate, name));
  };
}

const byAddress = (all: readonly EstateWebhooks[]): ReadonlyMap<string, Webhook> =>
  new Map(
    all.flatMap(({ estate, webhooks }) =>
      webhooks.map((webhook) => [addressOf(estate, webhook.name), webhook] as const),
    ),
  );

/** No name has a slash. */
const addressOf = (estate: string, name: string): string => `${estate}/${name}`;

/** One that was rotated counts after so long; one that could not be read is asked for again sooner. */
const cachedMs = 60_000;
const missingMs = 5_000;

interface CachedSecret {
  readonly text: Promise<string | undefined>;
  until: number;
}

/** Keeps secrets for a short while, so that forged requests ask no store for anything. Never rejects. */
export function cachedSecrets(
  resolve: (ref: SecretRef) => Promise<string | undefined>,
  clock: Clock,
): (ref: SecretRef) => Promise<string | undefined> {
  const all = new Map<string, CachedSecret>();
  const ask = (ref: SecretRef): CachedSecret => {
    const cached: CachedSecret = { text: resolve(ref).catch(() => undefined), until: clock.now() + cachedMs };
    void cached.text.then((text) => {
      if (text === undefined) cached.until = clock.now() + missingMs;
    });
    return cached;
  };
  return (ref) => {
    const now = clock.now();
    const key = JSON.stringify([ref.env, ref.file, ref.uri]);
    const before = all.get(key);
    if (before && now < before.until) return before.text;
    for (const [old, { until }] of all) if (until <= now) all.delete(old);
    const cached = ask(ref);
    all.set(key, cached);
    return cached.text;
  };
}
