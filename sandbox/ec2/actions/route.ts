import { parseCidr } from '../../cidr.ts';
import { type Action, dryRun, write } from '../action.ts';
import { missing, refused } from '../errors.ts';
import { ID, target } from '../ids.ts';
import { text } from '../query.ts';
import type { Route, RouteTable } from '../records.ts';
import type { Region } from '../region.ts';
import { el } from '../xml.ts';

const destinationFields = { RouteTableId: text, DestinationCidrBlock: text, DestinationIpv6CidrBlock: text } as const;

const targetFields = {
  GatewayId: text,
  NetworkInterfaceId: text,
  InstanceId: text,
  NatGatewayId: text,
  VpcPeeringConnectionId: text,
} as const;

export const routeActions: readonly Action[] = [
  write({
    name: 'CreateRoute',
    fields: { ...dryRun, ...destinationFields, ...targetFields },
    run: ({ region }, input) => {
      const table = target(region.routeTables, ID.routeTable, input.RouteTableId, 'routeTableId');
      const destination = destinationOf(input);
      if (find(table, destination))
        throw refused('RouteAlreadyExists', `The route identified by ${destination.text} already exists.`);
      const route: Route = {
        destination: destination.text,
        family: destination.family,
        target: targetOf(region, table, input),
        origin: 'CreateRoute',
      };
      region.routeTables.put({ ...table, routes: [...table.routes, route] });
      return el('return', true);
    },
  }),
  write({
    name: 'ReplaceRoute',
    fields: { ...dryRun, ...destinationFields, ...targetFields },
    run: ({ region }, input) => {
      const table = target(region.routeTables, ID.routeTable, input.RouteTableId, 'routeTableId');
      const destination = destinationOf(input);
      const old = find(table, destination);
      if (!old)
        throw refused(
          'InvalidParameterValue',
          `There is no route defined for '${destination.text}' in the route table. Use CreateRoute instead.`,
        );
      const next: Route = { ...old, target: targetOf(region, table, input) };
      region.routeTables.put({ ...table, routes: table.routes.map((route) => (route === old ? next : route)) });
      return el('return', true);
    },
  }),
  write({
    name: 'DeleteRoute',
    fields: { ...dryRun, ...destinationFields },
    run: ({ region }, input) => {
      const table = target(region.routeTables, ID.routeTable, input.RouteTableId, 'routeTableId');
      const destination = destinationOf(input);
      const old = find(table, destination);
      if (!old)
        throw refused(
          'InvalidRoute.NotFound',
          `no route with destination-cidr-block ${destination.text} in route table ${table.id}`,
        );
      if (old.target === 'local')
        throw refused(
          'InvalidParameterValue',
          `cannot remove local route ${destination.text} in route table ${table.id}`,
        );
      region.routeTables.put({ ...table, routes: table.routes.filter((route) => route !== old) });
      return el('return', true);
    },
  }),
];

interface Destination {
  readonly family: 'ipv4' | 'ipv6';
  readonly text: string;
}

function destinationOf(input: {
  readonly DestinationCidrBlock?: string | undefined;
  readonly DestinationIpv6CidrBlock?: string | undefined;
}): Destination {
  const { DestinationCidrBlock: v4, DestinationIpv6CidrBlock: v6 } = input;
  if (v4 !== undefined && v6 !== undefined)
    throw refused(
      'InvalidParameterCombination',
      'Specify either destinationCidrBlock or destinationIpv6CidrBlock, not both',
    );
  const value = v4 ?? v6;
  if (value === undefined) throw missing('destinationCidrBlock or destinationIpv6CidrBlock or destinationPrefixListId');
  const cidr = parseCidr(value, v4 === undefined ? 'ipv6' : 'ipv4');
  if (!cidr)
    throw refused(
      'InvalidParameterValue',
      `Value (${value}) for parameter destinationCidrBlock is invalid. This is not a valid CIDR block.`,
    );
  return { family: cidr.family, text: cidr.text };
}

function find(table: RouteTable, destination: Destination): Route | undefined {
  return table.routes.find((route) => route.destination === destination.text && route.family === destination.family);
}

type Through = { readonly [T in keyof typeof targetFields]?: string | undefined };

function targetOf(region: Region, table: RouteTable, through: Through): string {
  const { GatewayId, NetworkInterfaceId, InstanceId, NatGatewayId, VpcPeeringConnectionId } = through;
  const given = [GatewayId, NetworkInterfaceId, InstanceId, NatGatewayId, VpcPeeringConnectionId].filter(
    (id) => id !== undefined,
  );
  if (given.length === 0) throw missing('gatewayId or instanceId or networkInterfaceId');
  if (given.length > 1) throw refused('InvalidParameterCombination', 'Exactly one target may be specified for a route');
  if (GatewayId !== undefined) return gatewayOf(region, table, GatewayId);
  if (NatGatewayId !== undefined) return natGatewayOf(region, NatGatewayId);
  if (VpcPeeringConnectionId !== undefined) return peeringOf(region, table, VpcPeeringConnectionId);
  const eniId =
    NetworkInterfaceId ?? target(region.instances, ID.instance, InstanceId, 'instanceId').parts.interfaceIds[0];
  const eni = target(region.interfaces, ID.networkInterface, eniId, 'networkInterfaceId');
  if (eni.place.vpcId !== table.vpcId)
    throw refused(
      'InvalidParameterValue',
      `route table ${table.id} and interface ${eni.id} belong to different networks`,
    );
  return eni.id;
}

function natGatewayOf(region: Region, id: string): string {
  const { state } = target(region.natGateways, ID.natGateway, id, 'natGatewayId');
  if (state !== 'pending' && state !== 'available') throw ID.natGateway.notFound([id]);
  return id;
}

function peeringOf(region: Region, table: RouteTable, id: string): string {
  const { requester, accepter, status } = target(region.peerings, ID.peering, id, 'vpcPeeringConnectionId');
  if (status !== 'active' || ![requester.vpcId, accepter.vpcId].includes(table.vpcId))
    throw refused(
      'InvalidParameterValue',
      `route table ${table.id} and peering ${id}, which is ${status}, belong to different networks`,
    );
  return id;
}

function gatewayOf(region: Region, table: RouteTable, id: string): string {
  const gateway = id.startsWith('igw-') ? region.gateways.target(id) : undefined;
  if (!gateway) throw refused('InvalidGatewayID.NotFound', `The gateway ID '${id}' does not exist`);
  if (gateway.vpcId !== table.vpcId)
    throw refused(
      'InvalidParameterValue',
      `route table ${table.id} and network gateway ${id} belong to different networks`,
    );
  return id;
}
