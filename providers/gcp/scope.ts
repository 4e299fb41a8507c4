import type { Clock } from '../../src/ports/clock.ts';
import type { Client } from './client.ts';
import type { Listings } from './listings.ts';

/** One project during one pass: what the actuators of all kinds share. */
export interface Scope {
  readonly project: string;
  readonly client: Client;
  readonly listings: Listings;
  readonly clock: Clock;
  readonly known: Known;
}

/** What was found out during the pass. */
export interface Known {
  /** Request ids whose operation failed: the cloud would answer the failure again, so the next try has another. */
  readonly spent: Map<string, number>;
  /** Images, and sizes with their zones, that were found to be there. */
  readonly launchable: Set<string>;
}
