import type { Result } from '../../src/core/failure.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Quotas } from '../shared/launch-answer.ts';
import type { Client } from './client.ts';
import type { Listings } from './listings.ts';

/** One project during one reconcile: the state that the actuators of all kinds share. */
export interface Scope {
  readonly project: string;
  readonly client: Client;
  readonly listings: Listings;
  readonly clock: Clock;
  readonly known: Known;
}

/** Facts learned during the reconcile. */
export interface Known {
  /** Request ids of failed operations: the cloud would return the same failure, so the next try uses another id. */
  readonly spent: Map<string, number>;
  /** Images that were found to be there. */
  readonly launchable: Set<string>;
  /** vCPUs of sizes that were found to be there, by zone and size. */
  readonly cpus: Map<string, number>;
  /** By region. */
  readonly quotas: Map<string, Promise<Result<Quotas>>>;
  /** Free addresses of subnets, by id; undefined where the cloud does not tell. */
  readonly free: Map<string, Promise<Result<number | undefined>>>;
}
