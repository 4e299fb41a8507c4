import type { CloudId, ScopeKey } from '../../src/core/resource.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Client } from './client.ts';
import type { Listings } from './listings.ts';

/** One account and region during one pass: what the actuators of all kinds share. */
export interface Scope {
  readonly key: ScopeKey;
  readonly account: string;
  readonly client: Client;
  readonly listings: Listings;
  readonly clock: Clock;
  readonly known: Known;
}

/** Ids found out during the pass, so that nobody asks twice. */
export interface Known {
  /** The route table by which subnets of a VPC reach the internet. */
  readonly tables: Map<CloudId, CloudId>;
  /** The root device of an image: `/dev/xvda`. */
  readonly rootDevices: Map<string, string>;
  /** Tokens of the networks that were asked for. */
  readonly networks: Set<string>;
}
