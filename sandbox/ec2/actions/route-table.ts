import { type Action, type Context, dryRun, read, write } from '../action.ts';
import { once } from '../client-token.ts';
import { refused } from '../errors.ts';
import { ID, target } from '../ids.ts';
import { describe, type Listing, listFields } from '../listing.ts';
import { list, text } from '../query.ts';
import type { Route, RouteTable, RouteTableAssociation } from '../records.ts';
import { freshId, type Region } from '../region.ts';
import { own, sharerOf } from '../sharing.ts';
import { specifiedTags, tagField, tagSet } from '../tags.ts';
import { localRoutes, routeState } from '../vpc.ts';
import { el, set, wrap } from '../xml.ts';

export const routeTableActions: readonly Action[] = [
  read({
    name: 'DescribeRouteTables',
    fields: { ...listFields, ...dryRun, RouteTableId: list(text) },
    run: (context, input) => describe(context, input, input.RouteTableId, routeTableListing(context)),
  }),
  write({
    name: 'CreateRouteTable',
    fields: { ...tagField, ...dryRun, VpcId: text, ClientToken: text },
    run: (context, input) => {
      const { region } = context;
      const [id = ''] = once(context, { action: 'CreateRouteTable', token: input.ClientToken, asked: input }, () => {
        const vpc = own(target(region.vpcs, ID.vpc, input.VpcId, 'vpcId'));
        const tags = specifiedTags(input.TagSpecification, 'route-table');
        const routes = localRoutes(vpc);
        return [
          region.routeTables.put({ id: freshId(region, 'rtb'), tags, vpcId: vpc.id, routes, associations: [] }).id,
        ];
      });
      const table = region.routeTables.get(id);
      if (!table) throw ID.routeTable.notFound([id]);
      return wrap('routeTable', routeTableXml(context, table)) + el('clientToken', input.ClientToken);
    },
  }),
  write({
    name: 'DeleteRouteTable',
    fields: { ...dryRun, RouteTableId: text },
    run: ({ region }, input) => {
      const table = target(region.routeTables, ID.routeTable, input.RouteTableId, 'routeTableId');
      if (table.associations.length > 0)
        throw refused('DependencyViolation', `The routeTable '${table.id}' has dependencies and cannot be deleted.`);
      region.routeTables.remove(table.id);
      return el('return', true);
    },
  }),
  write({
    name: 'AssociateRouteTable',
    fields: { ...dryRun, RouteTableId: text, SubnetId: text },
    run: ({ region }, input) => {
      const table = target(region.routeTables, ID.routeTable, input.RouteTableId, 'routeTableId');
      const subnet = target(region.subnets, ID.subnet, input.SubnetId, 'subnetId');
      if (subnet.vpcId !== table.vpcId) {
        throw refused(
          'InvalidParameterValue',
          `Route table ${table.id} and subnet ${subnet.id} belong to different networks`,
        );
      }
      for (const other of region.routeTables.of(table.vpcId)) {
        const existing = other.associations.find((association) => association.subnetId === subnet.id);
        if (existing) {
          throw refused(
            'Resource.AlreadyAssociated',
            `the specified association for route table ${table.id} conflicts with an existing association ${existing.id}`,
          );
        }
      }
      const association = { id: freshId(region, 'rtbassoc'), subnetId: subnet.id };
      region.routeTables.put({ ...table, associations: [...table.associations, association] });
      return el('associationId', association.id) + wrap('associationState', el('state', 'associated'));
    },
  }),
  write({
    name: 'DisassociateRouteTable',
    fields: { ...dryRun, AssociationId: text },
    run: ({ region }, input) => {
      const { table, association } = associated(region, input.AssociationId ?? '');
      if (association.subnetId === undefined) {
        throw refused(
          'InvalidParameterValue',
          `cannot disassociate the main route table association ${association.id}`,
        );
      }
      region.routeTables.put({
        ...table,
        associations: table.associations.filter((each) => each.id !== association.id),
      });
      return el('return', true);
    },
  }),
  write({
    name: 'ReplaceRouteTableAssociation',
    fields: { ...dryRun, AssociationId: text, RouteTableId: text },
    run: ({ region }, input) => {
      const next = target(region.routeTables, ID.routeTable, input.RouteTableId, 'routeTableId');
      const { table, association } = associated(region, input.AssociationId ?? '');
      if (table.vpcId !== next.vpcId)
        throw refused('InvalidParameterValue', `Route tables ${table.id} and ${next.id} belong to different networks`);
      const moved = { id: freshId(region, 'rtbassoc'), subnetId: association.subnetId };
      region.routeTables.put({
        ...table,
        associations: table.associations.filter((each) => each.id !== association.id),
      });
      const current = region.routeTables.get(next.id) ?? next;
      region.routeTables.put({ ...current, associations: [...current.associations, moved] });
      return el('newAssociationId', moved.id) + wrap('associationState', el('state', 'associated'));
    },
  }),
];

function associated(
  region: Region,
  id: string,
): { readonly table: RouteTable; readonly association: RouteTableAssociation } {
  for (const table of region.routeTables.values()) {
    const association = table.associations.find((each) => each.id === id);
    if (association) return { table, association };
  }
  throw ID.association.notFound([id]);
}

function routeTableListing(context: Context): Listing<RouteTable> {
  const { region } = context;
  return {
    set: 'routeTableSet',
    table: region.routeTables,
    rules: { ids: ID.routeTable, max: 100 },
    filters: {
      'route-table-id': (table) => [table.id],
      'vpc-id': (table) => [table.vpcId],
      'owner-id': ({ vpcId }) => [sharerOf(region, vpcId) ?? region.account],
      'association.main': (table) =>
        table.associations.map((association) => String(association.subnetId === undefined)),
      'association.subnet-id': (table) => table.associations.map((association) => association.subnetId),
      'association.route-table-association-id': (table) => table.associations.map((association) => association.id),
      'association.route-table-id': (table) => (table.associations.length > 0 ? [table.id] : []),
      'route.destination-cidr-block': (table) =>
        table.routes.map((route) => (route.family === 'ipv4' ? route.destination : undefined)),
      'route.destination-ipv6-cidr-block': (table) =>
        table.routes.map((route) => (route.family === 'ipv6' ? route.destination : undefined)),
      'route.destination-prefix-list-id': (table) =>
        table.routes.map((route) => (route.family === 'prefix-list' ? route.destination : undefined)),
      'route.gateway-id': (table) =>
        table.routes.map((route) => (throughOf(route) === 'gatewayId' ? route.target : undefined)),
      'route.nat-gateway-id': (table) =>
        table.routes.map((route) => (throughOf(route) === 'natGatewayId' ? route.target : undefined)),
      'route.vpc-peering-connection-id': (table) =>
        table.routes.map((route) => (throughOf(route) === 'vpcPeeringConnectionId' ? route.target : undefined)),
      'route.origin': (table) => table.routes.map((route) => route.origin),
      'route.state': (table) => table.routes.map((route) => routeState(region, table, route)),
    },
    render: (table) => routeTableXml(context, table),
  };
}

function routeTableXml({ region }: Context, table: RouteTable): string {
  return (
    el('routeTableId', table.id) +
    el('vpcId', table.vpcId) +
    el('ownerId', sharerOf(region, table.vpcId) ?? region.account) +
    set(
      'routeSet',
      table.routes.map((route) => routeXml(region, table, route)),
    ) +
    set(
      'associationSet',
      table.associations.map((association) => associationXml(table, association)),
    ) +
    set('propagatingVgwSet', []) +
    tagSet(table.tags)
  );
}

const DESTINATIONS = {
  ipv4: 'destinationCidrBlock',
  ipv6: 'destinationIpv6CidrBlock',
  'prefix-list': 'destinationPrefixListId',
} as const;

/** Element names of the next hops, by their ids; others (`igw-`, `vgw-`, `vpce-`, `local`) are `gatewayId`: API_Route.html */
const THROUGH: Readonly<Record<string, string>> = {
  eni: 'networkInterfaceId',
  i: 'instanceId',
  nat: 'natGatewayId',
  pcx: 'vpcPeeringConnectionId',
  tgw: 'transitGatewayId',
  eigw: 'egressOnlyInternetGatewayId',
  lgw: 'localGatewayId',
  cagw: 'carrierGatewayId',
};

function throughOf({ target }: Route): string {
  if (target.startsWith('arn:')) return 'coreNetworkArn';
  return THROUGH[target.slice(0, target.indexOf('-'))] ?? 'gatewayId';
}

function routeXml(region: Region, table: RouteTable, route: Route): string {
  const machine = region.interfaces.get(route.target)?.attachment?.instanceId;
  return (
    el(DESTINATIONS[route.family], route.destination) +
    el(throughOf(route), route.target) +
    (machine ? el('instanceId', machine) + el('instanceOwnerId', region.account) : '') +
    el('state', routeState(region, table, route)) +
    el('origin', route.origin)
  );
}

function associationXml(table: RouteTable, association: RouteTableAssociation): string {
  return (
    el('routeTableAssociationId', association.id) +
    el('routeTableId', table.id) +
    el('subnetId', association.subnetId) +
    el('main', association.subnetId === undefined) +
    wrap('associationState', el('state', 'associated'))
  );
}
