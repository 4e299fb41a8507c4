import { type Bounds, boundsFor, covers, type Subject } from '../../../core/access/grant.ts';
import type { Clock } from '../../../ports/clock-and-log.ts';
import type { StoredEvent, StoredEventType } from '../../../ports/events.ts';
import { type EventLimits, type EventTimes, eventLimits } from '../../limits.ts';
import { ProblemError } from '../../problem.ts';
import type { Authenticate, Caller, RequestContext } from '../route.ts';
import { visibleEvent } from '../visible-records.ts';
import { type EventBatch, type EventCursor, type Hub, openHub } from './hub.ts';
import type { ReaderOptions } from './reader.ts';
import { type EventText, eventText, heartbeatText, openingText, resetText } from './recent-events.ts';

/** Everything that goes on at /v1/events: one for a process. */
export interface EventStreams {
  /**
   * The events for a caller, until nobody reads them any more; refuses where too many streams are open. `from`: a place;
   * absent: from now on.
   */
  follow(by: RequestContext, from: string | undefined, filter: EventFilter): Promise<AsyncIterable<string>>;
}

interface EventStreamOptions extends Omit<ReaderOptions, 'limits'> {
  /** Asked again and again while a stream goes on. */
  readonly authenticate: Authenticate;
  readonly limits?: EventLimits;
}

export function openEventStreams({ authenticate, limits = eventLimits, ...around }: EventStreamOptions): EventStreams {
  const { clock } = around;
  const { times } = limits;
  const hub = openHub({ ...around, limits });
  const connections = connectionLimit(limits);
  return {
    follow: async ({ caller, signal, authorization: credential }, from, filter) => {
      const release = connections.acquire(caller.id);
      const unfollow = hub.follow();
      const leave = (): void => {
        release();
        unfollow();
      };
      // why: one that nobody began to read has no end of its own
      signal.addEventListener('abort', leave, { once: true });
      if (signal.aborted) leave();
      try {
        const cursor = { place: from ?? (await hub.newest()) };
        const authorization = openAuthorization({ caller, authorization: credential }, { authenticate, clock, times });
        const subscription = {
          cursor,
          isNew: from === undefined,
          filter,
          authorization,
          isOver: () => signal.aborted,
          leave,
        };
        return stream(subscription, { hub, clock, times });
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}

/** The subscription of one client. `isNew`: it has no place yet, so it gets the one where it begins. */
interface Subscription {
  readonly cursor: EventCursor;
  readonly isNew: boolean;
  readonly filter: EventFilter;
  readonly authorization: StreamAuthorization;
  /** Nobody reads any more, or the server stops. */
  isOver(): boolean;
  leave(): void;
}

/** The events that the client asked for; absent: all of them. */
export interface EventFilter {
  readonly types?: readonly StoredEventType[] | undefined;
  readonly estate?: string | undefined;
}

interface StreamContext {
  readonly hub: Hub;
  readonly clock: Clock;
  readonly times: EventTimes;
}

/**
 * Sends the events to one client, piece by piece, and no sooner than it takes them. Ends where the caller lost all access, and
 * after the longest time.
 */
async function* stream(subscription: Subscription, context: StreamContext): AsyncGenerator<string> {
  try {
    yield openingText(subscription.isNew ? subscription.cursor.place : undefined);
    yield* pieces(subscription, context);
  } finally {
    subscription.leave();
  }
}

async function* pieces(
  { cursor: start, authorization, filter, isOver }: Subscription,
  { hub, clock, times }: StreamContext,
): AsyncGenerator<string> {
  let cursor = start;
  let saidAt = clock.now();
  const endsAt = saidAt + times.longest;
  while (!isOver() && clock.now() < endsAt) {
    const turn = hub.changed();
    const batch = await hub.next(cursor);
    const bounds = await authorization.bounds();
    if (bounds === undefined || isOver()) return;
    cursor = batch.cursor;
    const isQuiet = clock.now() - saidAt >= times.heartbeat;
    const text = textOf(batch, filter, bounds) || (isQuiet ? heartbeatText(cursor.place, hub.isStalled()) : '');
    if (text !== '') {
      yield text;
      saidAt = clock.now();
    }
    if (!batch.more) await turn;
  }
}

function textOf({ gone, texts, cursor }: EventBatch, filter: EventFilter, bounds: readonly Bounds[]): string {
  if (gone) return resetText(cursor.place);
  const seen = texts.filter(({ event }) => matchesFilter(event, filter) && isVisible(event, bounds));
  return seen.map((one) => visibleText(one, bounds)).join('');
}

/** The text that all share, unless something in it is not for this client. */
function visibleText({ event, text }: EventText, bounds: readonly Bounds[]): string {
  const within = visibleEvent(event, bounds);
  return within === event ? text : eventText(within).text;
}

const matchesFilter = ({ type, estate }: StoredEvent, filter: EventFilter): boolean =>
  (filter.types?.includes(type) ?? true) && (filter.estate === undefined || filter.estate === estate);

function isVisible(event: StoredEvent, bounds: readonly Bounds[]): boolean {
  const { estate, notTo } = event;
  const sees = (subject: Subject): boolean => bounds.some((one) => covers(one, subject));
  return sees(event) && !(notTo !== undefined && sees({ estate, ...notTo }));
}

/** The caller's access. The stream checks it again now and then, as credentials end while a stream goes on. */
interface StreamAuthorization {
  /** Undefined: no longer anything. */
  bounds(): Promise<readonly Bounds[] | undefined>;
}

interface Credential {
  readonly caller: Caller;
  readonly authorization: string | undefined;
}

interface AuthorizationOptions {
  readonly authenticate: Authenticate;
  readonly clock: Clock;
  readonly times: EventTimes;
}

function openAuthorization({ caller, authorization }: Credential, options: AuthorizationOptions): StreamAuthorization {
  const { authenticate, clock, times } = options;
  let bounds: readonly Bounds[] | undefined = boundsFor(caller.grants, 'read');
  let knownAt = clock.now();
  let askedAt = knownAt;
  return {
    bounds: async () => {
      if (clock.now() - askedAt < times.recheck) return bounds;
      askedAt = clock.now();
      try {
        const now = await authenticate(authorization);
        knownAt = clock.now();
        const seen = now?.id === caller.id ? boundsFor(now.grants, 'read') : [];
        bounds = seen.length > 0 ? seen : undefined;
      } catch {
        // why: an outage of the database need not end every stream; a caller who lost access loses the stream soon after
        if (clock.now() - knownAt >= times.grace) bounds = undefined;
      }
      return bounds;
    },
  };
}

/** Counts who follows. */
interface ConnectionLimit {
  /** Refuses where there are too many. Returns how to leave; to leave twice is to leave once. */
  acquire(caller: string): () => void;
}

function connectionLimit({ clients, perCaller }: EventLimits): ConnectionLimit {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    acquire: (caller) => {
      const own = taken.get(caller) ?? 0;
      if (own >= perCaller) throw new ProblemError(tooManyOfCaller(perCaller));
      if (all >= clients) throw new ProblemError(tooMany);
      taken.set(caller, own + 1);
      all += 1;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        all -= 1;
        const rest = (taken.get(caller) ?? 1) - 1;
        if (rest > 0) taken.set(caller, rest);
        else taken.delete(caller);
      };
    },
  };
}

const retryLater = { headers: { 'retry-after': '10' } };

const tooManyOfCaller = (most: number) => ({
  status: 429,
  title: 'Too Many Requests',
  detail: `This caller follows the events ${most} times already: close some of these streams first, or come back later.`,
  ...retryLater,
});

const tooMany = {
  status: 503,
  title: 'Service Unavailable',
  detail: 'As many clients as this server takes follow the events already: come back later.',
  ...retryLater,
};
