import type { Clock } from '../../ports/clock-and-log.ts';
import type { Delivery } from '../senders/sender.ts';
import { allowances } from './allowance.ts';
import type { Hooks } from './hook.ts';
import { inPieces } from './in-pieces.ts';
import { lanesTo, type Surroundings } from './lanes.ts';
import { type Knock, prover } from './prove.ts';
import { refusals } from './refusals.ts';
import { type Seen, seenLately } from './seen.ts';

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

/**
 * In this order, each before the next: is it genuine (over its raw bytes), what does it say, was it taken before, does its
 * hook bring too much. Then it is collected with what else comes, and passed on once.
 */
export function openDesk(hooks: Hooks, { clock, log }: Surroundings): Desk {
  const refused = refusals(log, clock);
  const prove = prover(hooks, { clock, refused });
  const take = taker(hooks, clock);
  const lanes = lanesTo(hooks, { clock, log });
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
        const lane = lanes.of(reader.cloud);
        const arrived = lane.expect(knock.estate);
        try {
          const taken = await take(knock, reading.deliveries);
          if (typeof taken === 'number') {
            refused.tell('too many', at);
            return { as: 'too-many', afterSeconds: taken };
          }
          lane.add(knock.estate, taken);
          return { as: 'taken', accepted: taken.length, repeated: reading.deliveries.length - taken.length };
        } finally {
          arrived();
        }
      }),
    greet: (knock) =>
      guarded(async () => {
        const reader = await prove(knock);
        const headers = reader?.greet?.(knock);
        return headers === undefined ? { as: 'unknown' } : { as: 'answered', headers };
      }),
    close: async () => {
      await lanes.close();
      refused.close();
    },
  };
}

type Take = (knock: Knock, deliveries: readonly Delivery[]) => Promise<readonly Delivery[] | number>;

/** Those of the deliveries that were never taken before; or in how many seconds to bring them again. */
function taker({ first }: Hooks, clock: Clock): Take {
  const seen = seenLately();
  const allowance = allowances(clock);
  return async (knock, deliveries) => {
    const { estate, hook, body } = knock;
    const unseen = await unseenOf(knock, deliveries, seen);
    if (unseen.length === 0) return [];
    const { afterSeconds: wait } = allowance.spend(`${estate}/${hook}`, body.length);
    if (wait !== undefined) return wait;
    const ids = unseen.map(({ id }) => id);
    const firsts = await first(estate, hook, ids);
    for await (const some of inPieces(ids)) for (const id of some) seen.add(estate, hook, id);
    return unseen.filter((_, index) => firsts[index] === true);
  };
}

/** Each once, the last of those with one id. */
async function unseenOf(
  { estate, hook }: Knock,
  deliveries: readonly Delivery[],
  seen: Seen,
): Promise<readonly Delivery[]> {
  const unseen: Delivery[] = [];
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  for await (const some of inPieces([...byId.values()]))
    unseen.push(...some.filter(({ id }) => !seen.has(estate, hook, id)));
  return unseen;
}
