import { parseCidr } from '../cidr.ts';
import { JsonProblem, listOf, mapOf, object, oneOf, optional, pattern, scalar } from '../json.ts';
import { explained, idOf, type Loading, subnetOf } from './estate-loading.ts';
import { addNatGateway } from './nat-gateway.ts';
import { allPeeringStatuses, type PeeredVpc, type Route, type Vpc } from './records.ts';
import { freshId, type Region } from './region.ts';
import { noTags } from './tags.ts';
import { blocksOf, localRoutes, mainRouteTable } from './vpc.ts';

/** The ways out of VPCs, as an estate gives them: route tables, NAT gateways and peerings. */
const text = scalar('string');
const flag = scalar('boolean');
const tags = optional(mapOf(text));

export const routeTable = object({
  id: optional(pattern(/^rtb-(?:[0-9a-f]{8}|[0-9a-f]{17})$/, 'an id such as rtb-0123456789abcdef0')),
  tags,
  subnets: optional(listOf(text)),
  routes: optional(listOf(object({ to: text, via: text, propagated: optional(flag) }))),
});

export const natGateway = object({
  id: optional(pattern(/^nat-(?:[0-9a-f]{8}|[0-9a-f]{17})$/, 'an id such as nat-0123456789abcdef0')),
  subnet: text,
  state: optional(oneOf('pending', 'available', 'failed', 'deleting', 'deleted')),
  connectivity: optional(oneOf('public', 'private')),
  tags,
});

export const peering = object({
  id: optional(pattern(/^pcx-(?:[0-9a-f]{8}|[0-9a-f]{17})$/, 'an id such as pcx-0123456789abcdef0')),
  requester: text,
  accepter: text,
  account: optional(pattern(/^\d{12}$/, 'twelve digits')),
  region: optional(text),
  cidr: optional(text),
  status: optional(oneOf(...allPeeringStatuses)),
  tags,
});

export type RouteTableForm = ReturnType<typeof routeTable>;
export type NatGatewayForm = ReturnType<typeof natGateway>;
export type PeeringForm = ReturnType<typeof peering>;

export function addMainRoute(region: Region, vpcId: string, gatewayId: string): void {
  const table = region.routeTables.get(mainRouteTable(region, vpcId) ?? '');
  const route: Route = { destination: '0.0.0.0/0', family: 'ipv4', target: gatewayId, origin: 'CreateRoute' };
  if (table) region.routeTables.put({ ...table, routes: [...table.routes, route] });
}

interface Network {
  readonly vpc: Vpc;
  readonly gatewayId: string | undefined;
}

export function loadRouteTable(loading: Loading, { vpc, gatewayId }: Network, form: RouteTableForm): void {
  const { region, path } = loading;
  const routes = (form.routes ?? []).map(({ to, via, propagated }, index): Route => {
    const destination = destinationOf(to);
    const target = via === 'gateway' ? gatewayId : via;
    if (!destination || !target)
      throw new JsonProblem(
        `${path}.routes[${index}]: a CIDR block or prefix list, and "gateway" (which the VPC must have) or an id, are needed`,
      );
    return { ...destination, target, origin: propagated ? 'EnableVgwRoutePropagation' : 'CreateRoute' };
  });
  region.routeTables.put({
    id: form.id ?? freshId(region, 'rtb'),
    tags: form.tags ?? noTags,
    vpcId: vpc.id,
    routes: [...localRoutes(vpc), ...routes],
    associations: (form.subnets ?? []).map((key) => ({
      id: freshId(region, 'rtbassoc'),
      subnetId: idOf(loading, key),
    })),
  });
}

function destinationOf(to: string): Pick<Route, 'destination' | 'family'> | undefined {
  if (/^pl-[0-9a-f]+$/.test(to)) return { destination: to, family: 'prefix-list' };
  const family = to.includes(':') ? 'ipv6' : 'ipv4';
  const cidr = parseCidr(to, family);
  return cidr && { destination: cidr.text, family };
}

export function loadNatGateway(loading: Loading, form: NatGatewayForm): void {
  const { region, now } = loading;
  const { id, state = 'available', connectivity = 'public', tags = noTags } = form;
  const subnet = subnetOf(loading, form.subnet);
  explained(loading, () => addNatGateway(region, { id, subnet, connectivity, state, tags, now }));
}

const WEEK = 7 * 24 * 3_600_000;

/** Of the two VPCs one may be of another account or region: `account`, `region` and `cidr` are of that one. */
export function loadPeering(loading: Loading, form: PeeringForm): void {
  const { region, path, now } = loading;
  const { id = freshId(region, 'pcx'), status = 'active', tags = noTags } = form;
  const [requester, accepter] = [sideOf(loading, form.requester, form), sideOf(loading, form.accepter, form)];
  if (![requester, accepter].some(({ vpcId }) => region.vpcs.get(vpcId)))
    throw new JsonProblem(`${path}: neither ${form.requester} nor ${form.accepter} is a VPC here`);
  region.peerings.put({ id, tags, requester, accepter, status, expiresAt: now + WEEK });
}

function sideOf(loading: Loading, reference: string, { account, region: name, cidr }: PeeringForm): PeeredVpc {
  const { region } = loading;
  const vpcId = idOf(loading, reference);
  const vpc = region.vpcs.get(vpcId);
  if (vpc)
    return {
      vpcId,
      account: region.account,
      region: region.name,
      cidrs: blocksOf(vpc).map((block) => block.cidr),
    };
  return {
    vpcId,
    account: account ?? region.account,
    region: name ?? region.name,
    cidrs: cidr === undefined ? [] : [cidr],
  };
}
