import type { Result } from '../../src/core/failure.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Client } from './client.ts';
import type { Listings } from './listings.ts';

/** One subscription and location during one pass: what the actuators of all kinds share. */
export interface Scope {
  readonly account: string;
  readonly location: string;
  readonly client: Client;
  readonly listings: Listings;
  readonly clock: Clock;
  readonly known: Known;
}

export interface Known {
  /** Resource groups that were asked for, so that none is made twice. */
  readonly resourceGroups: Map<string, Promise<Result<void>>>;
  /** Who writes to a VNet or NSG now: the next one waits its turn. */
  readonly turns: Map<string, Promise<unknown>>;
  /** Images that were found to be there. */
  readonly images: Set<string>;
  /** Sizes of the location, in lower case, with what keeps us from them, or `free`. */
  sizes?: Promise<Result<ReadonlyMap<string, string>>>;
}
