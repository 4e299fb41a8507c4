import { type Bounds, boundsFor } from '../../../core/access/grant.ts';
import type { Clock } from '../../../ports/clock-and-log.ts';
import type { Authenticate } from '../authenticate.ts';
import type { Caller } from '../route.ts';
import type { EventTimes } from './limits.ts';

/** What a caller may see, as long as they may: asked again now and then, for credentials end while a stream goes on. */
export interface Standing {
  /** Undefined: no longer anything. */
  bounds(): Promise<readonly Bounds[] | undefined>;
}

export interface Credential {
  readonly caller: Caller;
  readonly authorization: string | undefined;
}

export interface StandingOptions {
  readonly authenticate: Authenticate;
  readonly clock: Clock;
  readonly times: EventTimes;
}

export function openStanding({ caller, authorization }: Credential, options: StandingOptions): Standing {
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
        // why: a database that is away for a moment need not end every stream; whoever was put out is so soon after
        if (clock.now() - knownAt >= times.unknown) bounds = undefined;
      }
      return bounds;
    },
  };
}
