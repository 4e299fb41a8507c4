import type { Route, RouteTable, Vpc } from './records.ts';
import { freshId, type Region } from './region.ts';
import { noTags } from './tags.ts';

/** AWS makes these parts with every VPC: its main route table, default network ACL and default security group. */
export function makeVpcParts(region: Region, vpc: Vpc): void {
  const local = [{ destination: vpc.cidr, family: 'ipv4', target: 'local', origin: 'CreateRouteTable' } as const];
  const localV6 = vpc.ipv6
    ? [{ destination: vpc.ipv6.cidr, family: 'ipv6', target: 'local', origin: 'CreateRouteTable' } as const]
    : [];
  region.routeTables.put({
    id: freshId(region, 'rtb'),
    tags: noTags,
    vpcId: vpc.id,
    routes: [...local, ...localV6],
    associations: [{ id: freshId(region, 'rtbassoc'), subnetId: undefined }],
  });
  region.acls.put({ id: freshId(region, 'acl'), tags: noTags, vpcId: vpc.id, isDefault: true });
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
  if (route.target === 'local') return 'active';
  const alive = route.target.startsWith('eni-')
    ? region.interfaces.get(route.target)?.attachment
    : region.gateways.get(route.target)?.vpcId === table.vpcId;
  return alive ? 'active' : 'blackhole';
}
