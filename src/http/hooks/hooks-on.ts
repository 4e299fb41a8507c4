import type { Clock } from '../../ports/clock-and-log.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Bells } from '../../ports/sources.ts';
import type { Touches } from '../../ports/store.ts';
import { type Ears, hear } from './hear.ts';
import type { Hooked, Hooks } from './hook.ts';
import { interruptions } from './interruptions.ts';

/** What a worker has, as far as hooks need it. */
export interface Ground extends Omit<Ears, 'touches' | 'mayInterrupt'> {
  readonly clock: Clock;
  readonly touches: Pick<Touches, 'first' | 'keep'>;
  readonly bells: Pick<Bells, 'ring'>;
  readonly secrets: Secrets;
  readonly allowEndpoint: boolean;
  /** Of all estates, as their generations in force say it. */
  inForce(): Promise<readonly Hooked[]>;
}

/** How long a secret's store is waited for: a sender waits for 5 s (EventBridge), 10 s (GitHub) or 30 s (Event Grid). */
const secretWithinMs = 4_000;
/** So many questions to the store at once, of one request with many events. */
const atOnce = 1_000;

/** The hooks of a worker: its store, queue and secrets. */
export function hooksOn(ground: Ground): Hooks {
  const { touches, bells, allowEndpoint, log, clock } = ground;
  const ears: Ears = { ...ground, mayInterrupt: interruptions(clock) };
  return {
    inForce: ground.inForce,
    allowKeys: allowEndpoint,
    secret: async (ref) => {
      const held = await ground.secrets.resolve(ref, { signal: AbortSignal.timeout(secretWithinMs) });
      if (held.ok) return held.value;
      log.warn("a hook's secret cannot be had: its deliveries are refused", { why: held.failure.message });
      return undefined;
    },
    first: async (estate, hook, ids) => {
      const firsts: boolean[] = [];
      for (let from = 0; from < ids.length; from += atOnce) {
        const some = ids.slice(from, from + atOnce);
        firsts.push(...(await Promise.all(some.map((id) => touches.first(estate, { hook, id })))));
      }
      return firsts;
    },
    ring: bells.ring,
    touched: async (estate, cloud, events) => {
      const hooked = (await ground.inForce()).find((one) => one.estate === estate);
      await hear({ estate, scopes: hooked?.scopes ?? [], cloud, events }, ears);
    },
  };
}
