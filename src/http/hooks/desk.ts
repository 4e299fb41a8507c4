import type { Cloud } from '../../core/resource.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Delivery } from '../senders/sender.ts';
import { allowances } from './allowance.ts';
import { collector } from './collector.ts';
import type { Hooks } from './hook.ts';
import { type Knock, prover, type Reader } from './prove.ts';
import { refusals } from './refusals.ts';
import { seenLately } from './seen.ts';

/** Where deliveries are taken, or refused. */
export interface Desk {
  receive(knock: Knock): Promise<Outcome>;
  /** Before its deliveries a sender may ask whether it may send them. */
  greet(knock: Knock): Promise<Outcome>;
  /** What was taken is passed on, and nothing more is taken. */
  close(): Promise<void>;
}

/** `unknown`: no such hook, or not genuine; nobody outside learns which. */
export type Outcome =
  | { readonly as: 'taken'; readonly accepted: number; readonly repeated: number }
  | {
      readonly as: 'answered';
      readonly answer?: Readonly<Record<string, string>>;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly as: 'unknown' | 'away' }
  | { readonly as: 'malformed'; readonly why: string }
  | { readonly as: 'too-many'; readonly afterSeconds: number };

export interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * In this order, each before the next: is it genuine (over its raw bytes), what does it say, was it taken before, does its
 * hook bring too much. Then it is collected with what else comes, and passed on once.
 */
export function openDesk(hooks: Hooks, { clock, log }: Surroundings): Desk {
  const refused = refusals(log, clock);
  const prove = prover(hooks, { clock, refused });
  const take = taker(hooks, clock);
  const passOn = passingOn(hooks, { clock, log });
  const guarded = async (work: () => Promise<Outcome>): Promise<Outcome> => {
    try {
      return await work();
    } catch {
      refused.tell('the store is out of reach');
      return { as: 'away' };
    }
  };
  return {
    receive: (knock) =>
      guarded(async () => {
        const reader = await prove(knock);
        if (reader === undefined) return { as: 'unknown' };
        const reading = reader.read(knock);
        const at = { estate: knock.estate, of: knock.hook };
        if (reading.as === 'malformed') {
          refused.tell('not as its sender sends it', at);
          return reading;
        }
        if (reading.as === 'handshake') return { as: 'answered', answer: reading.answer };
        const taken = await take(knock, reading.deliveries);
        if (typeof taken === 'number') {
          refused.tell('too many', at);
          return { as: 'too-many', afterSeconds: taken };
        }
        passOn.add(knock.estate, reader, taken);
        return { as: 'taken', accepted: taken.length, repeated: reading.deliveries.length - taken.length };
      }),
    greet: (knock) =>
      guarded(async () => {
        const reader = await prove(knock);
        const headers = reader?.greet?.(knock);
        return headers === undefined ? { as: 'unknown' } : { as: 'answered', headers };
      }),
    close: async () => {
      await passOn.close();
      refused.close();
    },
  };
}

type Take = (knock: Knock, deliveries: readonly Delivery[]) => Promise<readonly Delivery[] | number>;

/** Those of the deliveries that were never taken before; or in how many seconds to bring them again. */
function taker({ first }: Hooks, clock: Clock): Take {
  const seen = seenLately();
  const allowance = allowances(clock);
  return async ({ estate, hook, body }, deliveries) => {
    const unseen = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
    for (const id of unseen.keys()) if (seen.has(estate, hook, id)) unseen.delete(id);
    if (unseen.size === 0) return [];
    const wait = allowance.spend(`${estate}/${hook}`, body.length);
    if (wait !== undefined) return wait;
    const firsts = await first(estate, hook, [...unseen.keys()]);
    for (const id of unseen.keys()) seen.add(estate, hook, id);
    return [...unseen.values()].filter((_, index) => firsts[index] === true);
  };
}

interface PassingOn {
  add(estate: string, from: Reader, deliveries: readonly Delivery[]): void;
  close(): Promise<void>;
}

function passingOn(hooks: Hooks, { clock, log }: Surroundings): PassingOn {
  const bells = collector<Delivery>({
    deliver: (estate) => hooks.ring(estate),
    lost: (estate, count, error) =>
      log.error('a repository that moved is heard of late', { estate, count, ...whyOf(error) }),
    clock,
  });
  const clouds = new Map<Cloud, ReturnType<typeof eventsOf>>();
  const eventsOf = (cloud: Cloud) =>
    collector<Delivery>({
      deliver: (estate, deliveries) =>
        hooks.touched(
          estate,
          cloud,
          deliveries.map(({ event }) => event),
        ),
      lost: (estate, count, error) =>
        log.error('events were lost: the next periodic pass finds what they told', {
          estate,
          cloud,
          count,
          ...whyOf(error),
        }),
      clock,
    });
  return {
    add: (estate, { cloud }, deliveries) => {
      if (cloud === undefined) return bells.add(estate, deliveries);
      const events = clouds.get(cloud) ?? eventsOf(cloud);
      clouds.set(cloud, events);
      events.add(estate, deliveries);
    },
    close: async () => {
      await Promise.all([bells.close(), ...[...clouds.values()].map((each) => each.close())]);
    },
  };
}

const whyOf = (error: unknown) => ({ why: error instanceof Error ? error.message : String(error) });
