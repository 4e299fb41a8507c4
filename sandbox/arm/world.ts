import type { Lag } from '../lag.ts';
import type { Verdict } from '../packet.ts';
import { seededRandom } from '../random.ts';
import { refused } from './errors.ts';
import { loadEstate } from './estate.ts';
import { mayReach, type PacketQuestion } from './reachability.ts';
import { DURATIONS, type Durations, makeSubscription, QUOTAS, type Quotas, type Subscription } from './subscription.ts';

/** The subscription that the sandbox has when none are named. */
export const DEFAULT_SUBSCRIPTION = '11112222-3333-4444-8555-666677778888';

/** Everything that every subscription holds, and what can be asked of it from behind the stage. */
export interface World {
  /** As it truly is now. Refused when there is no such subscription. */
  subscription(id: string): Subscription;
  has(id: string): boolean;
  /** Adds an estate (its form: `estate.ts`) that every reader sees at once. */
  load(document: unknown): void;
  /** May a packet go from one end to the other? */
  packet(subscription: string, question: PacketQuestion): Verdict;
}

export interface ArmOptions {
  /** GUIDs; default: the one above. */
  readonly subscriptions?: readonly string[];
  readonly durations?: Partial<Durations>;
  readonly quotas?: Partial<Quotas>;
  /** Whole seconds between polls that answers ask for; 0: they do not. Default 1; Azure asks for 10 and more. */
  readonly retryAfter?: number;
  /** The first contents of the subscriptions, in the form of `estate.ts`. */
  readonly estate?: unknown;
}

interface Setting {
  readonly seed: number;
  readonly lag: Lag;
}

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function makeWorld({
  seed,
  lag,
  subscriptions: ids = [DEFAULT_SUBSCRIPTION],
  durations,
  quotas,
  retryAfter = 1,
  estate,
}: ArmOptions & Setting): World {
  const subscriptions = new Map(
    ids.map((id) => {
      if (!GUID.test(id)) throw new RangeError(`a subscription id must be a GUID, not ${id}`);
      const subscription = makeSubscription({
        id: id.toLowerCase(),
        lag,
        random: seededRandom(seed, id.toLowerCase()),
        durations: { ...DURATIONS, ...durations },
        quotas: { ...QUOTAS, ...quotas },
        retryAfter,
      });
      return [subscription.id, subscription];
    }),
  );
  const subscription = (id: string): Subscription => {
    const found = subscriptions.get(id.toLowerCase());
    if (!found) throw refused('SubscriptionNotFound', `The subscription '${id}' could not be found.`);
    found.timeline.catchUp(lag.now());
    return found;
  };
  const world: World = {
    subscription,
    load: (document) => lag.without(() => loadEstate(document, (id = ids[0] ?? '') => subscription(id), lag.now())),
    has: (id) => subscriptions.has(id.toLowerCase()),
    packet: (id, question) => mayReach(subscription(id), question),
  };
  if (estate !== undefined) world.load(estate);
  return world;
}
