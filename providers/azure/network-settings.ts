import type {
  Route as AzureRoute,
  RouteTable,
  Subnet,
  VirtualNetwork,
  VirtualNetworkPeering,
} from '@azure/arm-network';
import { formatCidr, parseBlock } from '../../src/core/cidr.ts';
import { blockSettings } from '../../src/core/kinds/network.ts';
import type { UnlistedSetting } from '../../src/core/observed.ts';
import {
  type NetworkSettings,
  type Peering,
  type Route,
  type SubnetSettings,
  sortRoutes,
} from '../../src/core/resource.ts';
import { compareText } from '../../src/core/text.ts';
import type { Call } from '../../src/ports/provider.ts';
import { settingListings } from '../shared/listed-settings.ts';
import { mapInTurns } from '../shared/turns.ts';
import type { Blocks } from './cidr-text.ts';
import { armIdOf, canonicalId, partsOfId } from './ids.ts';
import type { Scope } from './scope.ts';

/**
 * Settings of virtual networks and subnets, in one spelling: Azure takes names, ids, service tags and enumerations in any case, and
 * answers them in several.
 */

/** Routes by the canonical id of their table. `byTable` absent: not asked for, or in `unlisted`. */
export interface ListedRoutes {
  readonly byTable?: ReadonlyMap<string, readonly Route[]>;
  readonly unlisted: readonly UnlistedSetting[];
}

export const noRoutesListed: ListedRoutes = { unlisted: [] };

/** One listing, where the call asks for `routes`. */
export async function listRoutes(scope: Scope, call: Call): Promise<ListedRoutes> {
  const { ask, unlisted } = settingListings(scope, call);
  const tables = await ask('routes', () => scope.listings.routeTables('subnet', call));
  if (tables === undefined) return { unlisted: unlisted() };
  const routes = await mapInTurns(tables, (table) => [canonicalId(table.id ?? ''), routesOf(table)] as const);
  return { byTable: new Map(routes), unlisted: [] };
}

export function networkSettingsOf({ virtualNetworkPeerings }: VirtualNetwork, { further }: Blocks): NetworkSettings {
  return { ...blockSettings(further), peerings: peeringsOf(virtualNetworkPeerings ?? []) };
}

/**
 * Peerings that are there: `Connected`, or `Initiated` and waiting for the other side. Without its other side one is `Disconnected`:
 * it carries nothing, and never again unless somebody makes it anew.
 * https://learn.microsoft.com/azure/virtual-network/virtual-network-troubleshoot-peering-issues
 */
function peeringsOf(all: readonly VirtualNetworkPeering[]): readonly Peering[] {
  return all
    .filter(
      ({ peeringState, provisioningState }) => !is(peeringState, 'Disconnected') && !is(provisioningState, 'Deleting'),
    )
    .map(({ name = '', remoteVirtualNetwork }) => ({
      name: name.toLowerCase(),
      network: canonicalId(remoteVirtualNetwork?.id ?? ''),
    }))
    .toSorted((a, b) => compareText(a.name, b.name));
}

const is = (text: string | undefined, word: string): boolean => text?.toLowerCase() === word.toLowerCase();

/** The settings of a subnet, and those of them that could not be listed. */
export function subnetSettingsOf(
  subnet: Subnet,
  { further }: Blocks,
  listed: ListedRoutes,
): { readonly settings: SubnetSettings; readonly unlisted: readonly UnlistedSetting[] } {
  const natGateway = natGatewayOf(subnet);
  const { routes, unlisted } = routesAt(subnet, listed);
  return {
    settings: {
      ...blockSettings(further),
      ...(natGateway === undefined ? {} : { natGateway }),
      ...(routes === undefined ? {} : { routes }),
    },
    unlisted,
  };
}

/** Its name in the resource group of the subnet; in another one its id. */
function natGatewayOf({ id = '', natGateway }: Subnet): string | undefined {
  if (!natGateway?.id) return undefined;
  const gateway = canonicalId(natGateway.id);
  return gateway.startsWith(natGatewaysBeside(id)) ? partsOfId(gateway).name : gateway;
}

/** The ids of the NAT gateways in the resource group of a subnet begin so. */
function natGatewaysBeside(subnetId: string): string {
  const [home = ''] = canonicalId(subnetId).split('/providers/');
  return `${home}/providers/microsoft.network/natgateways/`;
}

/**
 *   the subnet names | the table                         | its routes
 *   -----------------+-----------------------------------+-----------
 *   no table         |                                   | none
 *   a table          | is listed                         | those of it
 *   a table          | is not listed, as the rest is     | unlisted: the answer is short, or it is of another subscription
 *   a table          | nobody asked for                  | not stated
 *   a table          | the listing failed                | unlisted
 */
function routesAt(
  { id = '', routeTable }: Subnet,
  { byTable, unlisted }: ListedRoutes,
): { readonly routes?: readonly Route[]; readonly unlisted: readonly UnlistedSetting[] } {
  if (!routeTable?.id) return { routes: [], unlisted: [] };
  if (byTable === undefined) return { unlisted };
  const routes = byTable.get(canonicalId(routeTable.id));
  if (routes !== undefined) return { routes, unlisted: [] };
  const reason = `Azure did not list ${canonicalId(routeTable.id)}, the route table of ${canonicalId(id)}`;
  return { unlisted: [{ setting: 'routes', code: 'NoRouteTable', reason }] };
}

/** Those that people made: routes that a gateway learns by BGP stand in no table. https://learn.microsoft.com/azure/virtual-network/virtual-networks-udr-overview */
export const routesOf = ({ routes }: RouteTable): readonly Route[] => canonicalRoutes((routes ?? []).map(routeOf));

/** https://learn.microsoft.com/rest/api/virtualnetwork/routes/get#routenexthoptype */
function routeOf({ addressPrefix = '', nextHopType = '', nextHopIpAddress, nextHop }: AzureRoute): Route {
  const addresses = is(nextHopType, 'VirtualApplianceEcmp') ? nextHop?.nextHopIpAddresses : undefined;
  const address = is(nextHopType, 'VirtualAppliance') ? nextHopIpAddress : undefined;
  return { destination: addressPrefix, nextHop: addresses?.join(',') || address || nextHopType };
}

/** Blocks and addresses in canonical text, all words in lower case, in order. */
const canonicalRoutes = (routes: readonly Route[]): readonly Route[] =>
  sortRoutes(
    routes.map(({ destination, nextHop }) => ({
      destination: canonicalDestination(destination),
      nextHop: nextHop.split(',').map(canonicalAddress).toSorted(compareText).join(','),
    })),
  );

/** A bare address is the block of one; a service tag is no block. */
function canonicalDestination(text: string): string {
  const block = parseBlock(text);
  return block ? formatCidr(block) : text.toLowerCase();
}

function canonicalAddress(text: string): string {
  const block = parseBlock(text);
  return block ? formatCidr(block).replace(/\/.*$/, '') : text.toLowerCase();
}

/** The settings of a network that a document states, in the spelling of observed ones. */
export function canonicalNetworkSettings(settings: NetworkSettings): NetworkSettings {
  const { peerings } = settings;
  if (peerings === undefined) return settings;
  return { ...settings, peerings: peerings.map((one) => ({ ...one, network: armIdOf(canonicalId(one.network)) })) };
}

/** The same for a subnet. A document may name its NAT gateway by its id. */
export function canonicalSubnetSettings(settings: SubnetSettings, subnetId: string): SubnetSettings {
  const { routes, natGateway } = settings;
  const gateway = natGateway && natGatewayOf({ id: armIdOf(subnetId), natGateway: { id: natGateway } });
  return {
    ...settings,
    ...(routes === undefined ? {} : { routes: canonicalRoutes(routes) }),
    ...(gateway === undefined ? {} : { natGateway: gateway }),
  };
}
