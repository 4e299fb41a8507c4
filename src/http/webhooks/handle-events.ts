import { type Touch, touchesIn } from '../../core/last-modified.ts';
import type { Cloud, ScopeKey } from '../../core/resource.ts';
import type { Clock, Log } from '../../ports/clock-and-log.ts';
import type { Requests } from '../../ports/fleet-state.ts';
import type { Provider } from '../../ports/provider.ts';
import type { Queue, Where } from '../../ports/queue.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { WakeUps } from '../../ports/sources.ts';
import type { Touches } from '../../ports/store.ts';
import { inBatches } from './batches.ts';
import type { EstateWebhooks, WebhookDependencies } from './webhook.ts';

/** The parts of a worker that webhooks need. */
interface WebhookResources extends Omit<EventDependencies, 'touches' | 'mayInterrupt'> {
  readonly clock: Clock;
  readonly touches: Pick<Touches, 'first' | 'keep'>;
  readonly wakeUps: Pick<WakeUps, 'add'>;
  readonly secrets: Secrets;
  readonly allowEndpoint: boolean;
  /** The webhooks of all estates, from their active generations. */
  activeWebhooks(): Promise<readonly EstateWebhooks[]>;
}

/** The longest wait for a secret store: a sender waits for 5 s (EventBridge), 10 s (GitHub) or 30 s (Event Grid). */
const secretTimeoutMs = 4_000;
/** So many questions to the store at once, of one request with many events. */
const batchSize = 1_000;

/** The webhooks of a worker: its store, queue and secrets. */
export function webhooksOn(resources: WebhookResources): WebhookDependencies {
  const { touches, wakeUps, allowEndpoint, log, clock } = resources;
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
    repositoryMoved: wakeUps.add,
    handleEvents: async (estate, cloud, events) => {
      const ofEstate = (await resources.activeWebhooks()).find((one) => one.estate === estate);
      const { scopes = [], criticalities } = ofEstate ?? {};
      await handleEvents({ estate, scopes, criticalities, cloud, events }, dependencies);
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
  /** True where an event may end the running reconcile; absent: always. Otherwise a reconcile follows the running one. */
  readonly mayInterrupt?: (where: Where) => boolean;
}

/** Events of one cloud, for an estate with these scopes. */
interface CloudEvents {
  readonly estate: string;
  readonly scopes: readonly ScopeKey[];
  readonly criticalities?: EstateWebhooks['criticalities'];
  readonly cloud: Cloud;
  readonly events: readonly unknown[];
}

/**
 * Requests a reconcile of each scope that others changed, once however many events name it. An event only proves that a scope
 * is worth an observation. Scopes outside the estate are skipped.
 */
export async function handleEvents(
  { estate, scopes, criticalities, cloud, events }: CloudEvents,
  dependencies: EventDependencies,
): Promise<void> {
  const { touches: read } = await dependencies.cloud(cloud);
  if (read === undefined) return;
  const found: Touch[] = [];
  for await (const some of inBatches(events)) found.push(...some.flatMap((event) => read(event)));
  const touches = touchesIn(found, scopes);
  if (touches.length === 0) return;
  const byScope = Map.groupBy(await dependencies.touches.keep(estate, touches), ({ scope }) => scope);
  for (const [scope, those] of byScope) {
    const where = { estate, scope };
    if (dependencies.mayInterrupt?.(where) ?? true) await dependencies.requests.ask(where, reasonOf(those));
    await dependencies.queue.request({ ...where, ...criticalities?.get(scope) }, 'now');
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
 * A reconcile request ends the running reconcile at once. Where others change a scope all the time, or its events look like
 * those of Setpoint's own calls, it would never finish. So events end it once in this time; later events lead to a reconcile
 * after it.
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
