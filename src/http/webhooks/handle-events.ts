import type { Cloud, ScopeKey } from '../../core/resource.ts';
import { type Touch, touchesIn } from '../../core/touch.ts';
import type { Clock, Log } from '../../ports/clock-and-log.ts';
import type { Requests } from '../../ports/fleet-state.ts';
import type { Provider } from '../../ports/provider.ts';
import type { Queue, Where } from '../../ports/queue.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Bells } from '../../ports/sources.ts';
import type { Touches } from '../../ports/store.ts';
import { inBatches } from './batches.ts';
import type { EstateWebhooks, WebhookDependencies } from './webhook.ts';

/** The parts of a worker that webhooks need. */
interface WebhookResources extends Omit<EventDependencies, 'touches' | 'mayInterrupt'> {
  readonly clock: Clock;
  readonly touches: Pick<Touches, 'first' | 'keep'>;
  readonly bells: Pick<Bells, 'ring'>;
  readonly secrets: Secrets;
  readonly allowEndpoint: boolean;
  /** Of all estates, as their generations in force say it. */
  activeWebhooks(): Promise<readonly EstateWebhooks[]>;
}

/** How long a secret's store is waited for: a sender waits for 5 s (EventBridge), 10 s (GitHub) or 30 s (Event Grid). */
const secretTimeoutMs = 4_000;
/** So many questions to the store at once, of one request with many events. */
const batchSize = 1_000;

/** The webhooks of a worker: its store, queue and secrets. */
export function webhooksOn(resources: WebhookResources): WebhookDependencies {
  const { touches, bells, allowEndpoint, log, clock } = resources;
  const dependencies: EventDependencies = { ...resources, mayInterrupt: interruptLimit(clock) };
  return {
    activeWebhooks: resources.activeWebhooks,
    allowOwnKeys: allowEndpoint,
    resolveSecret: async (ref) => {
      const held = await resources.secrets.resolve(ref, { signal: AbortSignal.timeout(secretTimeoutMs) });
      if (held.ok) return held.value;
      log.warn("a hook's secret cannot be had: its deliveries are refused", { reason: held.failure.message });
      return undefined;
    },
    firstDeliveries: async (estate, hook, ids) => {
      const firsts: boolean[] = [];
      for (let from = 0; from < ids.length; from += batchSize) {
        const some = ids.slice(from, from + batchSize);
        firsts.push(...(await Promise.all(some.map((id) => touches.first(estate, { hook, id })))));
      }
      return firsts;
    },
    repositoryMoved: bells.ring,
    handleEvents: async (estate, cloud, events) => {
      const ofEstate = (await resources.activeWebhooks()).find((one) => one.estate === estate);
      await handleEvents({ estate, scopes: ofEstate?.scopes ?? [], cloud, events }, dependencies);
    },
  };
}

/** Used to read events, keep them, and ask for reconciles. */
interface EventDependencies {
  cloud(cloud: Cloud): Promise<Provider>;
  readonly touches: Pick<Touches, 'keep'>;
  readonly requests: Pick<Requests, 'ask'>;
  readonly queue: Pick<Queue, 'request'>;
  readonly log: Log;
  /** Whether a reconcile that runs there may be ended for this; absent: always. Where not, one comes after it. */
  readonly mayInterrupt?: (where: Where) => boolean;
}

/** Events of one cloud, for an estate with these scopes. */
interface CloudEvents {
  readonly estate: string;
  readonly scopes: readonly ScopeKey[];
  readonly cloud: Cloud;
  readonly events: readonly unknown[];
}

/**
 * Asks for a reconcile of each scope that others changed, once however many events tell of it. Nothing in an event is believed but
 * that a scope is worth a look: what is there, the reconcile finds out. Scopes that are none of the estate's are passed over.
 */
export async function handleEvents(
  { estate, scopes, cloud, events }: CloudEvents,
  dependencies: EventDependencies,
): Promise<void> {
  const { touches: read } = await dependencies.cloud(cloud);
  if (read === undefined) return;
  const told: Touch[] = [];
  for await (const some of inBatches(events)) told.push(...some.flatMap((event) => read(event)));
  const touches = touchesIn(told, scopes);
  if (touches.length === 0) return;
  const byScope = Map.groupBy(await dependencies.touches.keep(estate, touches), ({ scope }) => scope);
  for (const [scope, those] of byScope) {
    const where = { estate, scope };
    if (dependencies.mayInterrupt?.(where) ?? true) await dependencies.requests.ask(where, reasonOf(those));
    await dependencies.queue.request(where, 'now');
    dependencies.log.info('cloud changed outside Setpoint; requesting a reconcile', {
      estate,
      scope,
      count: those.length,
    });
  }
}

const longest = 100;

/** `event CreateTags and 2 more`, by the newest. */
function reasonOf(touches: readonly Touch[]): string {
  const [newest] = touches.toSorted((a, b) => b.at - a.at);
  const more = touches.length > 1 ? ` and ${touches.length - 1} more` : '';
  return `event ${newest?.actor.action.slice(0, longest)}${more}`;
}

/**
 * A reconcile that runs ends at once for whoever asks for one now. Where others change a scope all the time, or the events of our own
 * calls cannot be told from theirs, it would never come to its end: for events it does so once in this time, and what is told in
 * between is looked at after it.
 */
const everyMs = 60_000;

/** Says whether a reconcile may be ended for an event now, and remembers that it was. */
export function interruptLimit(clock: Clock): (where: Where) => boolean {
  const lately = new Map<string, number>();
  return ({ estate, scope }) => {
    const now = clock.now();
    for (const [key, at] of lately) if (now - at >= everyMs) lately.delete(key);
    const key = `${estate} ${scope}`;
    if (lately.has(key)) return false;
    lately.set(key, now);
    return true;
  };
}
