import type { UnlistedSetting } from '../../src/core/observed.ts';
import {
  type CloudId,
  type NetworkSettings,
  type Peering,
  type Route,
  routeTerms,
  type SubnetSettings,
  sortRoutes,
} from '../../src/core/resource.ts';
import { compareText } from '../../src/core/text.ts';
import type { Call } from '../../src/ports/provider.ts';
import { settingListings } from '../shared/listed-settings.ts';
import { lastOf, pathOf } from './links.ts';
import type * as messages from './messages.ts';
import type { Scope } from './scope.ts';
import { canonicalCidr } from './spelling.ts';

/** Answers of the listing that only settings need. Absent: not asked for, or in `unlisted`. */
export interface ListedSettings {
  readonly routers?: readonly messages.Router[];
  readonly unlisted: readonly UnlistedSetting[];
}

export async function listSettings(scope: Scope, call: Call): Promise<ListedSettings> {
  const { ask, unlisted } = settingListings(scope, call);
  const routers = await ask('natGateways', () => scope.listings.routers('network', call));
  return { ...(routers === undefined ? {} : { routers }), unlisted: unlisted() };
}

/** Settings of a network. `routes`: all of the project; undefined where they are not known. */
export function networkSettingsOf(
  network: messages.Network,
  routes: readonly messages.Route[] | undefined,
  { routers }: ListedSettings,
): NetworkSettings {
  const path = pathOf(network.selfLink ?? '');
  return {
    ipv6Cidrs: ipv6OfNetwork(network),
    peerings: peeringsOf(network),
    ...(routes === undefined ? {} : { routes: routesOf(path, routes) }),
    ...(routers === undefined ? {} : { natGateways: natGatewaysOf(path, routers) }),
  };
}

export function subnetSettingsOf(subnetwork: messages.Subnetwork): SubnetSettings {
  return {
    ipv6Cidrs: ipv6OfSubnet(subnetwork),
    secondaryRanges: (subnetwork.secondaryIpRanges ?? [])
      .map(({ rangeName, ipCidrRange }) => ({ name: rangeName ?? '', cidr: canonicalCidr(ipCidrRange ?? '') }))
      .toSorted((a, b) => compareText(a.name, b.name)),
    privateGoogleAccess: subnetwork.privateIpGoogleAccess === true,
  };
}

/** The internal block of a network: https://cloud.google.com/vpc/docs/subnets#internal-ipv6-ranges */
export const ipv6OfNetwork = ({ internalIpv6Range }: messages.Network): readonly string[] =>
  blocksOf(internalIpv6Range);

/** The internal or the external block of a subnetwork: https://cloud.google.com/vpc/docs/subnets#ipv6-ranges */
export const ipv6OfSubnet = ({ internalIpv6Prefix, externalIpv6Prefix }: messages.Subnetwork): readonly string[] =>
  blocksOf(internalIpv6Prefix, externalIpv6Prefix);

const blocksOf = (...blocks: readonly (string | null | undefined)[]): readonly string[] =>
  blocks.flatMap((block) => (block ? [canonicalCidr(block)] : [])).toSorted(compareText);

/**
 * Every peering counts. One that is `INACTIVE` waits for the other network, which can complete it by itself at any time.
 * https://cloud.google.com/vpc/docs/vpc-peering, and `state` in https://cloud.google.com/compute/docs/reference/rest/v1/networks
 */
const peeringsOf = ({ peerings }: messages.Network): readonly Peering[] =>
  (peerings ?? [])
    .map(({ name, network }) => ({ name: name ?? '', network: pathOf(network ?? '') }))
    .toSorted((a, b) => compareText(a.name, b.name));

/** `europe-west1/hub/out`: routers of two regions may share a name. */
const natGatewaysOf = (path: string, routers: readonly messages.Router[]): readonly string[] =>
  routers
    .filter(({ network }) => pathOf(network ?? '') === path)
    .flatMap(({ region, name, nats }) => (nats ?? []).map((nat) => `${lastOf(region ?? '')}/${name}/${nat.name}`))
    .toSorted(compareText);

/**
 * The routes that people can delete, each once; the default route that Google makes with the network too, which `internet` states
 * where a document states it instead. https://cloud.google.com/vpc/docs/routes
 */
function routesOf(path: string, all: readonly messages.Route[]): readonly Route[] {
  const routes = all
    .filter((route) => pathOf(route.network ?? '') === path && !isMadeByCloud(route))
    .map((route) => ({
      destination: canonicalCidr(route.destRange ?? ''),
      nextHop: nextHopOf(route),
      ...routeTerms(route.priority ?? undefined, route.tags ?? undefined),
    }));
  return sortRoutes([...new Map(routes.map((route) => [JSON.stringify(route), route])).values()]);
}

const generated: ReadonlySet<string> = new Set(['SUBNET', 'BGP', 'TRANSIT']);

/**
 * Routes that come and go with something else, and that nobody states:
 *
 *   of a subnet               | `nextHopNetwork`, or the type SUBNET
 *   of a peering              | `nextHopPeering`
 *   of a hub of networks      | `nextHopHub`
 *   learnt by a Cloud Router  | the types BGP and TRANSIT, or `nextHopInterconnectAttachment`
 *   of a node of Kubernetes   | its description: https://github.com/kubernetes/cloud-provider-gcp/blob/master/providers/gce/gce_routes.go
 *
 * https://cloud.google.com/compute/docs/reference/rest/v1/routes
 */
const isMadeByCloud = (route: messages.Route): boolean =>
  Boolean(route.nextHopNetwork || route.nextHopPeering || route.nextHopHub || route.nextHopInterconnectAttachment) ||
  generated.has(String(route.routeType ?? '')) ||
  route.description === 'k8s-node-route';

/** The default internet gateway by its name, an address as such, and everything else by its path. */
function nextHopOf(route: messages.Route): CloudId {
  if (route.nextHopGateway) return lastOf(route.nextHopGateway);
  const link = route.nextHopInstance || route.nextHopIlb || route.nextHopVpnTunnel || route.nextHopIp || 'unknown';
  return link.includes('/') ? pathOf(link) : canonicalCidr(link).replace(/\/\d+$/, '');
}
