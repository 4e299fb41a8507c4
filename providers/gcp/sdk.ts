import { DisksClient } from '@google-cloud/compute/build/src/v1/disks_client.js';
import { FirewallsClient } from '@google-cloud/compute/build/src/v1/firewalls_client.js';
import { GlobalOperationsClient } from '@google-cloud/compute/build/src/v1/global_operations_client.js';
import { ImagesClient } from '@google-cloud/compute/build/src/v1/images_client.js';
import { InstancesClient } from '@google-cloud/compute/build/src/v1/instances_client.js';
import { MachineTypesClient } from '@google-cloud/compute/build/src/v1/machine_types_client.js';
import { NetworksClient } from '@google-cloud/compute/build/src/v1/networks_client.js';
import { ProjectsClient } from '@google-cloud/compute/build/src/v1/projects_client.js';
import { RegionNetworkFirewallPoliciesClient } from '@google-cloud/compute/build/src/v1/region_network_firewall_policies_client.js';
import { RegionOperationsClient } from '@google-cloud/compute/build/src/v1/region_operations_client.js';
import { RegionsClient } from '@google-cloud/compute/build/src/v1/regions_client.js';
import { RoutersClient } from '@google-cloud/compute/build/src/v1/routers_client.js';
import { RoutesClient } from '@google-cloud/compute/build/src/v1/routes_client.js';
import { SubnetworksClient } from '@google-cloud/compute/build/src/v1/subnetworks_client.js';
import { ZoneOperationsClient } from '@google-cloud/compute/build/src/v1/zone_operations_client.js';
import type * as gax from 'google-gax';
import * as fallback from 'google-gax/fallback';
import { type Root, rootOf } from './root.ts';
import { authClient } from './transport.ts';

type Options = NonNullable<ConstructorParameters<typeof ProjectsClient>[0]>;

const options: Options = {
  fallback: true,
  // why: the SDK calls only `fetch` of it and wants `getRequestHeaders` to be there
  authClient: authClient as unknown as NonNullable<Options['authClient']>,
};

let root: Promise<Root> | undefined;
let made: Root | undefined;

/** Makes the types of all messages, once in a process. Before that there is no client. */
export async function prepareSdk(): Promise<void> {
  root ??= rootOf();
  made = await root;
}

/** By itself each client would make a digest of 12 MB of definitions, and the first all their types, which takes 300 ms. */
class GrpcClient extends fallback.GrpcClient {
  override loadProtoJSON(): Root {
    if (made === undefined) throw new Error('the SDK of Google Cloud was not prepared');
    return made;
  }
}

// why: a client asks its package for no more than this
const ownGax = { fallback: { ...fallback, GrpcClient } } as unknown as typeof gax;

function lazily<T>(make: new (options: Options, gaxInstance: typeof gax) => T): () => T {
  let client: T | undefined;
  return () => {
    client ??= new make({ ...options }, ownGax);
    return client;
  };
}

/**
 * The services that we call; imported one by one, as the package's index costs a second and 240 MB. Each client is made when
 * it is first asked for, once in a process. Where a request goes, and by whom it is sent, is the session's: see transport.ts.
 */
export const sdk = {
  projects: lazily(ProjectsClient),
  regions: lazily(RegionsClient),
  networks: lazily(NetworksClient),
  routes: lazily(RoutesClient),
  routers: lazily(RoutersClient),
  subnetworks: lazily(SubnetworksClient),
  firewalls: lazily(FirewallsClient),
  regionNetworkFirewallPolicies: lazily(RegionNetworkFirewallPoliciesClient),
  images: lazily(ImagesClient),
  machineTypes: lazily(MachineTypesClient),
  instances: lazily(InstancesClient),
  disks: lazily(DisksClient),
  globalOperations: lazily(GlobalOperationsClient),
  regionOperations: lazily(RegionOperationsClient),
  zoneOperations: lazily(ZoneOperationsClient),
} as const;

export type Sdk = typeof sdk;
