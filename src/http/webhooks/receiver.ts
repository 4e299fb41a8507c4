import { createHash } from 'node:crypto';
import type { Clock } from '../../ports/clock-and-log.ts';
import { tokenBuckets } from '../token-bucket.ts';
import type { Delivery } from './adapter.ts';
import { inBatches } from './batches.ts';
import { type ClockAndLog, collectorsOf } from './collector.ts';
import { rejectionLog } from './rejections.ts';
import { type WebhookRequest, webhookVerifier } from './verify.ts';
import type { WebhookDependencies } from './webhook.ts';

/** Accepts or refuses deliveries. */
export interface WebhookReceiver {
  receive(request: WebhookRequest): Promise<ReceiveOutcome>;
  /** Before its deliveries a sender may ask whether it may send them. */
  handshake(request: WebhookRequest): Promise<ReceiveOutcome>;
  /** Delivers the accepted events, and accepts nothing more. */
  close(): Promise<void>;
}

/** `unproven`: no such hook, or not genuine; nobody outside learns which. */
export type ReceiveOutcome =
  | { readonly as: 'taken'; readonly accepted: number; readonly repeated: number }
  | {
      readonly as: 'answered';
      readonly answer?: Readonly<Record<string, string>>;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly as: 'unproven' | 'unavailable' }
  | { readonly as: 'malformed'; readonly why: string }
  | { readonly as: 'too-many'; readonly retryAfterSeconds: number };

/**
 * In this order, each before the next: is it genuine (over its raw bytes), what does it say, was it taken before, does its
 * hook bring too much. Then it is collected with what else comes, and passed on once.
 */
export function openReceiver(dependencies: WebhookDependencies, { clock, log }: ClockAndLog): WebhookReceiver {
  const rejections = rejectionLog(log, clock);
  const verify = webhookVerifier(dependencies, { clock, rejections });
  const take = takeFirst(dependencies, clock);
  const collectors = collectorsOf(dependencies, { clock, log });
  const orUnavailable = async (work: () => Promise<ReceiveOutcome>): Promise<ReceiveOutcome> => {
    try {
      return await work();
    } catch {
      rejections.record('the store is out of reach');
      return { as: 'unavailable' };
    }
  };
  return {
    receive: (request) =>
      orUnavailable(async () => {
        const reader = await verify(request);
        if (reader === undefined) return { as: 'unproven' };
        const reading = reader.read(request);
        const at = { estate: request.estate, webhook: request.hook };
        if (reading.as === 'malformed') {
          rejections.record('not as its sender sends it', at);
          return reading;
        }
        if (reading.as === 'handshake') return { as: 'answered', answer: reading.answer };
        const collector = collectors.of(reader.cloud);
        const arrived = collector.expect(request.estate);
        try {
          const taken = await take(request, reading.deliveries);
          if (typeof taken === 'number') {
            rejections.record('too many', at);
            return { as: 'too-many', retryAfterSeconds: taken };
          }
          collector.add(request.estate, taken);
          return { as: 'taken', accepted: taken.length, repeated: reading.deliveries.length - taken.length };
        } finally {
          arrived();
        }
      }),
    handshake: (request) =>
      orUnavailable(async () => {
        const reader = await verify(request);
        const headers = reader?.handshake?.(request);
        return headers === undefined ? { as: 'unproven' } : { as: 'answered', headers };
      }),
    close: async () => {
      await collectors.close();
      rejections.close();
    },
  };
}

type Take = (request: WebhookRequest, deliveries: readonly Delivery[]) => Promise<readonly Delivery[] | number>;

/** Those of the deliveries that were never taken before; or in how many seconds to bring them again. */
function takeFirst({ firstDeliveries }: WebhookDependencies, clock: Clock): Take {
  const seen = recentDeliveries();
  const buckets = tokenBuckets(clock);
  return async (request, deliveries) => {
    const { estate, hook, body } = request;
    const unseen = await unseenOf(request, deliveries, seen);
    if (unseen.length === 0) return [];
    const { retryAfterSeconds } = buckets.spend(`${estate}/${hook}`, body.length);
    if (retryAfterSeconds !== undefined) return retryAfterSeconds;
    const ids = unseen.map(({ id }) => id);
    const firsts = await firstDeliveries(estate, hook, ids);
    for await (const some of inBatches(ids)) for (const id of some) seen.add(estate, hook, id);
    return unseen.filter((_, index) => firsts[index] === true);
  };
}

/** Each once, the last of those with one id. */
async function unseenOf(
  { estate, hook }: WebhookRequest,
  deliveries: readonly Delivery[],
  seen: RecentDeliveries,
): Promise<readonly Delivery[]> {
  const unseen: Delivery[] = [];
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  for await (const some of inBatches([...byId.values()]))
    unseen.push(...some.filter(({ id }) => !seen.has(estate, hook, id)));
  return unseen;
}

/** So many deliveries are remembered in this process. */
const maxRemembered = 20_000;

/** Deliveries that the store has reported as accepted: a replay needs no query. Forgetting one costs one query. */
interface RecentDeliveries {
  has(estate: string, hook: string, id: string): boolean;
  add(estate: string, hook: string, id: string): void;
}

function recentDeliveries(): RecentDeliveries {
  const ids = new Set<string>();
  return {
    has: (...delivery) => ids.has(keyOf(delivery)),
    add: (...delivery) => {
      ids.add(keyOf(delivery));
      for (const oldest of ids) {
        if (ids.size <= maxRemembered) return;
        ids.delete(oldest);
      }
    },
  };
}

/** A sender's ids may be of any length. */
const keyOf = (delivery: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(delivery)).digest('base64');
