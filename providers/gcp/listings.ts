import type { Clock } from '../../src/ports/clock-and-log.ts';
import { type Listing, sharedListing } from '../shared/shared-listing.ts';
import type { Client } from './client.ts';
import type {
  Disk,
  DisksAt,
  Firewall,
  Instance,
  InstancesAt,
  Network,
  Route,
  Router,
  RoutersAt,
  Subnetwork,
  SubnetworksAt,
} from './messages.ts';
import { aggregatedList, aggregatedPage, pageOf } from './page.ts';
import { type AskPage, type PageAsked, whole } from './pages.ts';

/**
 * Listings that several kinds share: resources in a network refer to it without its number; a network is judged by its
 * routes. Routers are listed for settings alone. The rules of sharing are in shared/shared-listing.ts.
 */
export interface Listings {
  readonly networks: Listing<Network>;
  readonly routes: Listing<Route>;
  readonly routers: Listing<Router>;
  readonly subnetworks: Listing<Subnetwork>;
  readonly firewalls: Listing<Firewall>;
  readonly instances: Listing<Instance>;
  readonly disks: Listing<Disk>;
}

export function makeListings(client: Client, project: string, clock: Clock): Listings {
  const share = <T extends { readonly selfLink?: string | null }>(ask: (asking: Asking) => AskPage<T>): Listing<T> =>
    sharedListing(client, clock, (call) => whole(ask({ client, project }), project, call));
  return {
    networks: share(networkPages),
    routes: share(routePages),
    routers: share(routerPages),
    subnetworks: share(subnetworkPages),
    firewalls: share(firewallPages),
    instances: share(instancePages),
    disks: share(diskPages),
  };
}

interface Asking {
  readonly client: Client;
  readonly project: string;
}

const requestOf = (project: string, { token, size }: PageAsked) => ({
  project,
  maxResults: size,
  pageToken: token ?? null,
});

const networkPages =
  ({ client, project }: Asking): AskPage<Network> =>
  async (asked, call) => {
    const answer = await client.read('networks.list', call, async (sdk, options) => {
      const [, , page] = await sdk.networks().list(requestOf(project, asked), options);
      return [page];
    });
    return answer.ok ? { ok: true, value: pageOf(answer.value) } : answer;
  };

const routePages =
  ({ client, project }: Asking): AskPage<Route> =>
  async (asked, call) => {
    const answer = await client.read('routes.list', call, async (sdk, options) => {
      const [, , page] = await sdk.routes().list(requestOf(project, asked), options);
      return [page];
    });
    return answer.ok ? { ok: true, value: pageOf(answer.value) } : answer;
  };

const routerPages =
  ({ client, project }: Asking): AskPage<Router> =>
  async (asked, call) => {
    const answer = await client.read('routers.aggregatedList', call, (sdk, options) =>
      aggregatedList<RoutersAt>(sdk.routers(), requestOf(project, asked), options),
    );
    return answer.ok ? { ok: true, value: aggregatedPage(answer.value, (place) => place.routers) } : answer;
  };

const firewallPages =
  ({ client, project }: Asking): AskPage<Firewall> =>
  async (asked, call) => {
    const answer = await client.read('firewalls.list', call, async (sdk, options) => {
      const [, , page] = await sdk.firewalls().list(requestOf(project, asked), options);
      return [page];
    });
    return answer.ok ? { ok: true, value: pageOf(answer.value) } : answer;
  };

const subnetworkPages =
  ({ client, project }: Asking): AskPage<Subnetwork> =>
  async (asked, call) => {
    const answer = await client.read('subnetworks.aggregatedList', call, (sdk, options) =>
      aggregatedList<SubnetworksAt>(sdk.subnetworks(), requestOf(project, asked), options),
    );
    return answer.ok ? { ok: true, value: aggregatedPage(answer.value, (place) => place.subnetworks) } : answer;
  };

const instancePages =
  ({ client, project }: Asking): AskPage<Instance> =>
  async (asked, call) => {
    const answer = await client.read('instances.aggregatedList', call, (sdk, options) =>
      aggregatedList<InstancesAt>(sdk.instances(), requestOf(project, asked), options),
    );
    return answer.ok ? { ok: true, value: aggregatedPage(answer.value, (place) => place.instances) } : answer;
  };

const diskPages =
  ({ client, project }: Asking): AskPage<Disk> =>
  async (asked, call) => {
    const answer = await client.read('disks.aggregatedList', call, (sdk, options) =>
      aggregatedList<DisksAt>(sdk.disks(), requestOf(project, asked), options),
    );
    return answer.ok ? { ok: true, value: aggregatedPage(answer.value, (place) => place.disks) } : answer;
  };
