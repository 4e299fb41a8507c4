import type { Result } from '../../src/core/failure.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Quotas } from '../shared/launch-answer.ts';
import type { Client } from './client.ts';
import type { Listings } from './listings.ts';

/** One subscription and location during one reconcile: what the actuators of all kinds share. */
export interface Scope {
  readonly account: string;
  readonly location: string;
  readonly client: Client;
  readonly listings: Listings;
  readonly clock: Clock;
  readonly known: Known;
}

/** `restricted`: why this subscription may not use it. `cores`: undefined where the cloud does not tell. */
export interface OfferedSize {
  readonly restricted?: string;
  readonly family: string | undefined;
  readonly cores: number | undefined;
}

export interface Known {
  /** Resource groups that were asked for, so that none is made twice. */
  readonly resourceGroups: Map<string, Promise<Result<void>>>;
  /** Current writers by VNet or NSG: the next writer waits its turn. */
  readonly turns: Map<string, Promise<unknown>>;
  /** Images that were found to be there. */
  readonly images: Set<string>;
  /** Sizes of the location, in lower case: asked for once, as the next two. */
  readonly sizes: Map<string, Promise<Result<ReadonlyMap<string, OfferedSize>>>>;
  /** Of the location. */
  readonly quotas: Map<string, Promise<Result<Quotas>>>;
  /** Free addresses by subnet, both in lower case, of each virtual network. */
  readonly free: Map<string, Promise<Result<ReadonlyMap<string, number>>>>;
  /** Subnets in which half-made machines hold addresses already. */
  readonly halfMadeIn: Map<string, Promise<Result<ReadonlySet<string>>>>;
}

export const nothingKnown = (): Known => ({
  resourceGroups: new Map(),
  turns: new Map(),
  images: new Set(),
  sizes: new Map(),
  quotas: new Map(),
  free: new Map(),
  halfMadeIn: new Map(),
});
