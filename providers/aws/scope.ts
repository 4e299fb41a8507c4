import type { Image } from '@aws-sdk/client-ec2';
import type { CloudId, ScopeKey } from '../../src/core/resource.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Client } from './client.ts';
import type { Listings } from './listings.ts';

/** One account and region during one reconcile: the state that the actuators of all kinds share. */
export interface Scope {
  readonly key: ScopeKey;
  readonly account: string;
  readonly client: Client;
  readonly listings: Listings;
  readonly clock: Clock;
  readonly known: Known;
}

/** Ids found out during the reconcile, so that nobody asks twice. */
export interface Known {
  /** The route table by which subnets of a VPC reach the internet. */
  readonly tables: Map<CloudId, CloudId>;
  /** Images that this account may launch. */
  readonly images: Map<string, Image>;
  /** Sizes with the zones that offer them: `t3.small eu-west-1a`. */
  readonly offered: Set<string>;
  /** Tokens of the networks that were asked for. */
  readonly networks: Set<string>;
}
