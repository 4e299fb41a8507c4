import type { Cloud, ScopeKey } from '../../core/resource.ts';
import { type Touch, touchesIn } from '../../core/touch.ts';
import type { Log } from '../../ports/clock-and-log.ts';
import type { Requests } from '../../ports/fleet-state.ts';
import type { Provider } from '../../ports/provider.ts';
import type { Queue, Where } from '../../ports/queue.ts';
import type { Touches } from '../../ports/store.ts';
import { inPieces } from './in-pieces.ts';

/** What hearing of changes leads to. */
export interface Ears {
  cloud(cloud: Cloud): Promise<Provider>;
  readonly touches: Pick<Touches, 'keep'>;
  readonly requests: Pick<Requests, 'ask'>;
  readonly queue: Pick<Queue, 'request'>;
  readonly log: Log;
  /** Whether a pass that runs there may be ended for this; absent: always. Where not, one comes after it. */
  readonly mayInterrupt?: (where: Where) => boolean;
}

/** Events of one cloud, for an estate with these scopes. */
export interface Heard {
  readonly estate: string;
  readonly scopes: readonly ScopeKey[];
  readonly cloud: Cloud;
  readonly events: readonly unknown[];
}

/**
 * Asks for a pass of each scope that others changed, once however many events tell of it. Nothing in an event is believed but
 * that a scope is worth a look: what is there, the pass finds out. Scopes that are none of the estate's are passed over.
 */
export async function hear({ estate, scopes, cloud, events }: Heard, ears: Ears): Promise<void> {
  const { touches: read } = await ears.cloud(cloud);
  if (read === undefined) return;
  const told: Touch[] = [];
  for await (const some of inPieces(events)) told.push(...some.flatMap((event) => read(event)));
  const touches = touchesIn(told, scopes);
  if (touches.length === 0) return;
  const byScope = Map.groupBy(await ears.touches.keep(estate, touches), ({ scope }) => scope);
  for (const [scope, those] of byScope) {
    const where = { estate, scope };
    if (ears.mayInterrupt?.(where) ?? true) await ears.requests.ask(where, reasonOf(those));
    await ears.queue.request(where, 'now');
    ears.log.info('somebody changed a cloud: a pass is asked for', { estate, scope, count: those.length });
  }
}

const longest = 100;

/** `event CreateTags and 2 more`, by the newest. */
function reasonOf(touches: readonly Touch[]): string {
  const [newest] = touches.toSorted((a, b) => b.at - a.at);
  const more = touches.length > 1 ? ` and ${touches.length - 1} more` : '';
  return `event ${newest?.actor.action.slice(0, longest)}${more}`;
}
