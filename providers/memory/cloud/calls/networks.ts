import { formatCidr, parseCidr } from '../../../../src/core/cidr.ts';
import { type Listing, type Page, pageOf, type View } from '../listing.ts';
import type { GatewayRecord, NetworkRecord, RouteTableRecord } from '../records.ts';
import { Refusal } from '../refusal.ts';
import { must, type World } from '../world.ts';
import { makeGroup } from './groups.ts';

type Tags = Readonly<Record<string, string>>;

/** Networks and their parts. None of these takes a token but the route table, so a lost answer can make two. */
export const networkCalls = {
  ListNetworks: ({ tables }: World, input: Listing, view: View): Page<NetworkRecord> =>
    pageOf(tables.networks, input, view),
  ListGateways: ({ tables }: World, input: Listing, view: View): Page<GatewayRecord> =>
    pageOf(tables.gateways, input, view),
  ListRouteTables: ({ tables }: World, input: Listing, view: View): Page<RouteTableRecord> =>
    pageOf(tables.routeTables, input, view),
  CreateNetwork: (world: World, input: { readonly cidr: string; readonly tags: Tags }): NetworkRecord =>
    makeNetwork(world, { ...input, isDefault: false }),
  DeleteNetwork,
  CreateGateway: ({ tables, nextId }: World, { tags }: { readonly tags: Tags }): GatewayRecord => {
    const gateway = { id: nextId('gw'), tags };
    tables.gateways.put(gateway);
    return gateway;
  },
  AttachGateway,
  DetachGateway,
  DeleteGateway: ({ tables }: World, { id }: { readonly id: string }): void => {
    if (must(tables.gateways, id).network !== undefined) throw new Refusal('InUse', `${id} is attached`);
    tables.gateways.drop(id);
  },
  CreateRouteTable,
  /** The default route; one that stands already is kept. */
  CreateRoute: ({ tables }: World, { id, gateway }: { readonly id: string; readonly gateway: string }): void => {
    const table = must(tables.routeTables, id);
    if (must(tables.gateways, gateway).network !== table.network)
      throw new Refusal('InvalidValue', `${gateway} is not attached to ${table.network}`);
    if (table.gateway !== gateway) tables.routeTables.put({ ...table, gateway });
  },
  DeleteRouteTable: ({ tables }: World, { id }: { readonly id: string }): void => {
    if (must(tables.routeTables, id).subnets.length > 0) throw new Refusal('InUse', `${id} is used by subnets`);
    tables.routeTables.drop(id);
  },
};

/** A network is born with its default group. */
export function makeNetwork(world: World, { cidr, tags, isDefault }: Omit<NetworkRecord, 'id'>): NetworkRecord {
  const block = canonicalBlock(cidr);
  const prefix = Number(block.split('/')[1]);
  if (prefix < 16 || prefix > 28) throw new Refusal('InvalidValue', `${block} is not between /16 and /28`);
  const network = { id: world.nextId('net'), cidr: block, tags, isDefault };
  world.tables.networks.put(network);
  const group = makeGroup(world, { network: network.id, name: 'default', isDefault: true, tags: {} });
  const match = { direction: 'ingress', protocol: 'all', from: -1, to: -1, peer: `group:${group.id}` } as const;
  world.tables.rules.put({ id: world.nextId('rul'), group: group.id, match, description: '' });
  return network;
}

export function canonicalBlock(text: string): string {
  const cidr = parseCidr(text);
  if (!cidr) throw new Refusal('InvalidValue', `${text} is no address block`);
  return formatCidr(cidr);
}

function DeleteNetwork({ tables }: World, { id }: { readonly id: string }): void {
  must(tables.networks, id);
  const within = [tables.subnets, tables.gateways, tables.routeTables].flatMap((table) => [...table.all()]);
  const others = tables.groups.all().filter(({ isDefault }) => !isDefault);
  const user = [...within, ...others].find(({ network }) => network === id);
  if (user) throw new Refusal('InUse', `${id} holds ${user.id}`);
  for (const group of tables.groups.all().filter(({ network }) => network === id)) {
    for (const rule of tables.rules.all().filter((r) => r.group === group.id)) tables.rules.drop(rule.id);
    tables.groups.drop(group.id);
  }
  tables.networks.drop(id);
}

function AttachGateway({ tables }: World, { id, network }: { readonly id: string; readonly network: string }): void {
  const gateway = must(tables.gateways, id);
  must(tables.networks, network);
  const rival = tables.gateways.all().find((other) => other.network === network && other.id !== id);
  if (rival) throw new Refusal('WrongState', `${network} has ${rival.id} already`);
  if (gateway.network !== undefined && gateway.network !== network)
    throw new Refusal('WrongState', `${id} is attached to ${gateway.network}`);
  if (gateway.network === undefined) tables.gateways.put({ ...gateway, network });
}

function DetachGateway({ tables }: World, { id }: { readonly id: string }): void {
  const { network, ...gateway } = must(tables.gateways, id);
  const user = tables.instances
    .all()
    .find(({ place, power }) => place.network === network && place.publicIp && power.sent !== 'terminate');
  if (user) throw new Refusal('InUse', `${user.id} has a public address`);
  if (network === undefined) return;
  tables.gateways.put(gateway);
  for (const table of tables.routeTables.all().filter((t) => t.gateway === id)) {
    const { gateway: _, ...rest } = table;
    tables.routeTables.put(rest);
  }
}

/** The same token again answers the same table. */
function CreateRouteTable(
  { tables, launches, nextId }: World,
  { token, network, tags }: { readonly token: string; readonly network: string; readonly tags: Tags },
): RouteTableRecord {
  const known = tables.routeTables.get(launches.get(token)?.ids[0] ?? '');
  if (known) return known;
  must(tables.networks, network);
  const table = { id: nextId('rt'), network, subnets: [], tags };
  tables.routeTables.put(table);
  launches.set(token, { asked: network, ids: [table.id] });
  return table;
}
