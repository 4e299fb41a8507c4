import { entriesAtBirth } from './network-acl.ts';
import type { Route, RouteTable, Vpc } from './records.ts';
import { freshId, type Region } from './region.ts';
import { noTags } from './tags.ts';

/** AWS makes these parts with every VPC: its main route table, default network ACL and default security group. */
export function makeVpcParts(region: Region, vpc: Vpc): void {
  region.routeTables.put({
    id: freshId(region, 'rtb'),
    tags: noTags,
    vpcId: vpc.id,
    routes: localRoutes(vpc),
    associations: [{ id: freshId(region, 'rtbassoc'), subnetId: undefined }],
  });
  const entries = entriesAtBirth(vpc);
  region.acls.put({
    id: freshId(region, 'acl'),
    tags: noTags,
    vpcId: vpc.id,
    isDefault: true,
    entries,
    associations: [],
  });
  const group = freshId(region, 'sg');
  region.groups.put({
    id: group,
    tags: noTags,
    sharedBy: vpc.sharedBy,
    name: 'default',
    description: 'default VPC security group',
    vpcId: vpc.id,
  });
  region.rules.put({
    id: freshId(region, 'sgr'),
    tags: noTags,
    groupId: group,
    egress: false,
    traffic: { protocol: '-1', from: undefined, to: undefined },
    peer: { kind: 'group', groupId: group, userId: vpc.sharedBy ?? region.account },
    description: undefined,
  });
  allowAllEgress(region, group, vpc);
}

/** Every route table has a route for each block of its VPC. */
export function localRoutes(vpc: Vpc): readonly Route[] {
  return blocksOf(vpc).map(({ cidr: destination, family }) => ({
    destination,
    family,
    target: 'local',
    origin: 'CreateRouteTable',
  }));
}

/** The blocks that a VPC has now, the first one first. */
export function blocksOf({
  cidr,
  ipv6,
  further,
}: Vpc): readonly { readonly family: 'ipv4' | 'ipv6'; readonly cidr: string }[] {
  return [
    { family: 'ipv4', cidr },
    ...(ipv6 ? [{ family: 'ipv6' as const, cidr: ipv6.cidr }] : []),
    ...further.filter(({ state }) => state === 'associated'),
  ];
}

/** Every new group lets everything out: over IPv4, and over IPv6 where the VPC has it. */
export function allowAllEgress(region: Region, groupId: string, vpc: Vpc): void {
  const anywhere = [
    { kind: 'ipv4', cidr: '0.0.0.0/0' } as const,
    ...(vpc.ipv6 ? [{ kind: 'ipv6', cidr: '::/0' } as const] : []),
  ];
  for (const peer of anywhere) {
    const traffic = { protocol: '-1', from: undefined, to: undefined };
    region.rules.put({
      id: freshId(region, 'sgr'),
      tags: noTags,
      groupId,
      egress: true,
      traffic,
      peer,
      description: undefined,
    });
  }
}

export function mainRouteTable(region: Region, vpcId: string): string | undefined {
  for (const table of region.routeTables.of(vpcId)) {
    if (table.associations.some((association) => association.subnetId === undefined)) return table.id;
  }
  return undefined;
}

/** A route whose target is gone, or no longer attached here, stays and swallows what it matches. */
export function routeState(region: Region, table: RouteTable, route: Route): 'active' | 'blackhole' {
  return isAlive(region, table, route) ? 'active' : 'blackhole';
}

/** Gateways of kinds that the sandbox does not have (`tgw-…`, `vpce-…`) come from an estate, and stand. */
function isAlive(region: Region, table: RouteTable, { target }: Route): boolean {
  switch (target.slice(0, target.indexOf('-'))) {
    case 'eni':
      return region.interfaces.get(target)?.attachment !== undefined;
    case 'igw':
      return region.gateways.get(target)?.vpcId === table.vpcId;
    case 'nat':
      return ['pending', 'available'].includes(region.natGateways.get(target)?.state ?? '');
    case 'pcx':
      return region.peerings.get(target)?.status === 'active';
    default:
      return true;
  }
}
