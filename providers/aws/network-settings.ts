import type { Route as AwsRoute, NatGateway, RouteTable, Subnet, Vpc, VpcPeeringConnection } from '@aws-sdk/client-ec2';
import { blockSettings } from '../../src/core/kinds/network.ts';
import type { UnlistedSetting } from '../../src/core/observed.ts';
import {
  type CloudId,
  type NetworkSettings,
  type Peering,
  type Route,
  type SubnetSettings,
  sortRoutes,
} from '../../src/core/resource.ts';
import { compareText } from '../../src/core/text.ts';
import type { Call } from '../../src/ports/provider.ts';
import { awaitAll } from '../shared/await-all.ts';
import { settingListings } from '../shared/listed-settings.ts';
import { canonicalCidr } from './cidr-text.ts';
import type { Scope } from './scope.ts';

/** Answers of the listings that only settings need. Absent: not asked for, or in `unlisted`. */
export interface ListedSettings {
  readonly natGateways?: readonly NatGateway[];
  readonly peerings?: readonly VpcPeeringConnection[];
  readonly unlisted: readonly UnlistedSetting[];
}

export async function listSettings(scope: Scope, call: Call): Promise<ListedSettings> {
  const { ask, unlisted } = settingListings(scope, call);
  const { listings } = scope;
  const [natGateways, peerings] = await awaitAll([
    ask('natGateways', () => listings.natGateways('network', call)),
    ask('peerings', () => listings.peerings('network', call)),
  ]);
  return {
    ...(natGateways === undefined ? {} : { natGateways }),
    ...(peerings === undefined ? {} : { peerings }),
    unlisted: unlisted(),
  };
}

/** Settings of a VPC. */
export function networkSettingsOf(vpc: Vpc, { natGateways, peerings }: ListedSettings): NetworkSettings {
  return {
    ...blockSettings(furtherBlocksOf(vpc)),
    ...(natGateways === undefined ? {} : { natGateways: natGatewaysOf(vpc, natGateways) }),
    ...(peerings === undefined ? {} : { peerings: peeringsOf(vpc, peerings) }),
  };
}

/** Settings of a subnet. `routes`: of the route table that holds there; undefined where that is not known. */
export function subnetSettingsOf(subnet: Subnet, routes: readonly Route[] | undefined): SubnetSettings {
  return {
    ipv6Cidrs: furtherBlocksOf(subnet),
    publicIpOnLaunch: subnet.MapPublicIpOnLaunch === true,
    ...(routes === undefined ? {} : { routes }),
  };
}

/** For the condition of what has several blocks. */
export function withFurtherBlocks(item: Vpc | Subnet): { readonly furtherBlocks?: readonly string[] } {
  const further = furtherBlocksOf(item);
  return further.length === 0 ? {} : { furtherBlocks: further };
}

/**
 * Blocks besides the first, in canonical text and in order: those that stand or are about to. AWS lists failed and removed ones for a
 * while. https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_VpcCidrBlockState.html
 */
function furtherBlocksOf(item: Vpc | Subnet): readonly string[] {
  const v4 = 'CidrBlockAssociationSet' in item ? (item.CidrBlockAssociationSet ?? []) : [];
  const blocks = [
    ...v4.map(({ CidrBlock, CidrBlockState }) => ({ block: CidrBlock, state: CidrBlockState?.State })),
    ...(item.Ipv6CidrBlockAssociationSet ?? []).map(({ Ipv6CidrBlock, Ipv6CidrBlockState }) => ({
      block: Ipv6CidrBlock,
      state: Ipv6CidrBlockState?.State,
    })),
  ];
  const first = canonicalCidr(item.CidrBlock ?? '');
  const standing = blocks.flatMap(({ block, state }) =>
    block === undefined || (state !== 'associated' && state !== 'associating') ? [] : [canonicalCidr(block)],
  );
  return [...new Set(standing)].filter((block) => block !== first).toSorted(compareText);
}

/** A failed or deleted one is listed for an hour: https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-troubleshooting.html */
function natGatewaysOf({ VpcId }: Vpc, all: readonly NatGateway[]): readonly string[] {
  return all
    .filter((gateway) => gateway.VpcId === VpcId && (gateway.State === 'pending' || gateway.State === 'available'))
    .map(({ NatGatewayId = '' }) => NatGatewayId)
    .toSorted(compareText);
}

/**
 * Peerings that stand or are about to; the others stay listed for hours:
 * https://docs.aws.amazon.com/vpc/latest/peering/vpc-peering-basics.html#vpc-peering-lifecycle
 */
const standingPeerings: ReadonlySet<string> = new Set([
  'initiating-request',
  'pending-acceptance',
  'provisioning',
  'active',
]);

/** Both of its VPCs see a peering: one as the requester, the other as the accepter. */
function peeringsOf({ VpcId }: Vpc, all: readonly VpcPeeringConnection[]): readonly Peering[] {
  return all
    .filter(({ Status }) => standingPeerings.has(Status?.Code ?? ''))
    .flatMap(({ VpcPeeringConnectionId: name = '', RequesterVpcInfo, AccepterVpcInfo }) => {
      if (RequesterVpcInfo?.VpcId === VpcId) return [{ name, network: AccepterVpcInfo?.VpcId ?? '' }];
      return AccepterVpcInfo?.VpcId === VpcId ? [{ name, network: RequesterVpcInfo?.VpcId ?? '' }] : [];
    })
    .toSorted((a, b) => compareText(a.name, b.name));
}

/** Routes that nobody stated: a virtual private gateway or a route server writes and removes them by itself. */
const learnt: ReadonlySet<string> = new Set(['EnableVgwRoutePropagation', 'Advertisement']);

/**
 * The routes that people made: without those of the VPC's own blocks, and without learnt ones. One whose next hop is gone swallows
 * what it matches, so it counts. https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Route.html
 */
export function routesOf({ Routes = [] }: RouteTable): readonly Route[] {
  return sortRoutes(
    Routes.filter(({ GatewayId, Origin }) => GatewayId !== 'local' && !learnt.has(Origin ?? '')).map((route) => ({
      destination: destinationOf(route),
      nextHop: nextHopOf(route),
    })),
  );
}

const destinationOf = (route: AwsRoute): string =>
  canonicalCidr(route.DestinationCidrBlock ?? route.DestinationIpv6CidrBlock ?? route.DestinationPrefixListId ?? '');

/** Of a route to a machine AWS names the interface too, which stays when the machine goes. */
const nextHopOf = (route: AwsRoute): CloudId =>
  route.GatewayId ??
  route.NatGatewayId ??
  route.NetworkInterfaceId ??
  route.InstanceId ??
  route.VpcPeeringConnectionId ??
  route.TransitGatewayId ??
  route.EgressOnlyInternetGatewayId ??
  route.LocalGatewayId ??
  route.CarrierGatewayId ??
  route.CoreNetworkArn ??
  route.OdbNetworkArn ??
  route.IpAddress ??
  'blackhole';
