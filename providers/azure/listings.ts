import type { Disk, VirtualMachine } from '@azure/arm-compute';
import type {
  ApplicationSecurityGroup,
  NetworkInterface,
  NetworkSecurityGroup,
  PublicIPAddress,
  RouteTable,
  VirtualNetwork,
} from '@azure/arm-network';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Call } from '../../src/ports/provider.ts';
import { type Listing, sharedListing } from '../shared/shared-listing.ts';
import type { Client, Pages } from './client.ts';
import { type Listed, pages } from './pages.ts';
import { canonicalLocation } from './place.ts';

/**
 * Listings that several kinds share: a VNet carries its subnets, an NSG its rules, a rule names groups and a machine
 * its interfaces. Each is listed for the whole subscription, as Azure has no listing of a location, and what stands
 * elsewhere is left out. For the rules of sharing, see shared/shared-listing.ts.
 *
 * Resource Graph would answer a thousand a call, but from an index that may be behind
 * (https://learn.microsoft.com/azure/governance/resource-graph/overview#how-resource-graph-is-kept-current): absence from
 * it proves nothing.
 */
export interface Listings {
  readonly vnets: Listing<VirtualNetwork>;
  readonly nsgs: Listing<NetworkSecurityGroup>;
  readonly asgs: Listing<ApplicationSecurityGroup>;
  readonly routeTables: Listing<RouteTable>;
  readonly machines: MachineListings;
}

/** `states`: the same machines with how they run, and nothing else of them (`statusOnly`). */
export interface MachineListings {
  readonly vms: Listing<VirtualMachine>;
  readonly states: Listing<VirtualMachine>;
  readonly interfaces: Listing<NetworkInterface>;
  readonly addresses: Listing<PublicIPAddress>;
  readonly disks: Listing<Disk>;
}

export interface ListingSource {
  readonly client: Client;
  readonly account: string;
  readonly location: string;
  readonly clock: Clock;
}

export function makeListings(source: ListingSource): Listings {
  const share = <T extends Listed>(list: Pages<T>): Listing<T> =>
    sharedListing(source.client, source.clock, (call) => whole(list, source, call));
  return {
    vnets: share(({ network }) => network.virtualNetworks.listAll()),
    nsgs: share(({ network }) => network.networkSecurityGroups.listAll()),
    asgs: share(({ network }) => network.applicationSecurityGroups.listAll()),
    routeTables: share(({ network }) => network.routeTables.listAll()),
    machines: {
      vms: share(({ compute }) => compute.virtualMachines.listAll()),
      states: share(({ compute }) => compute.virtualMachines.listAll({ statusOnly: 'true' })),
      interfaces: share(({ network }) => network.networkInterfaces.listAll()),
      addresses: share(({ network }) => network.publicIPAddresses.listAll()),
      disks: share(({ compute }) => compute.disks.list()),
    },
  };
}

async function whole<T extends Listed>(list: Pages<T>, source: ListingSource, call: Call): Promise<readonly T[]> {
  const items: T[] = [];
  for await (const page of pages(list, source, call))
    for (const item of page) if (canonicalLocation(item.location ?? '') === source.location) items.push(item);
  return items;
}
