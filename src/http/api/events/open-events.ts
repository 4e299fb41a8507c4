import type { Authenticate } from '../authenticate.ts';
import type { Circumstance } from '../route.ts';
import { openHub } from './hub.ts';
import { type EventLimits, eventLimits } from './limits.ts';
import type { ReaderOptions } from './reader.ts';
import { openSeats } from './seats.ts';
import { openStanding } from './standing.ts';
import { type Only, stream } from './stream.ts';

/** Everything that goes on at /v1/events: one for a process. */
export interface Events {
  /**
   * What the caller is sent, until nobody reads it any more; refuses where too many follow already. `from`: a place; absent:
   * what happens from now on.
   */
  follow(by: Circumstance, from: string | undefined, only: Only): Promise<AsyncIterable<string>>;
}

export interface EventOptions extends Omit<ReaderOptions, 'limits'> {
  /** Asked again and again while a stream goes on. */
  readonly authenticate: Authenticate;
  readonly limits?: EventLimits;
}

export function openEvents({ authenticate, limits = eventLimits, ...around }: EventOptions): Events {
  const { clock } = around;
  const { times } = limits;
  const hub = openHub({ ...around, limits });
  const seats = openSeats(limits);
  return {
    follow: async ({ caller, signal, header }, from, only) => {
      const seat = seats.take(caller.id);
      const unfollow = hub.follow();
      const leave = (): void => {
        seat();
        unfollow();
      };
      // why: one that nobody began to read has no end of its own
      signal.addEventListener('abort', leave, { once: true });
      if (signal.aborted) leave();
      try {
        const stand = { place: from ?? (await hub.newest()) };
        const standing = openStanding(
          { caller, authorization: header('authorization') },
          { authenticate, clock, times },
        );
        const following = { stand, isNew: from === undefined, only, standing, isOver: () => signal.aborted, leave };
        return stream(following, { hub, clock, times });
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}
