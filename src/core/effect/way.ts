import { type Cidr, containsCidr, formatCidr, parseCidr } from '../cidr.ts';
import type { Cloud, Route } from '../resource.ts';
import type { Direction } from './filter.ts';
import type { Machine, Network, Subnet, TrafficState } from './state.ts';
import { type Certainty, isPrivate } from './terms.ts';

/** The way of packets between a machine and a block outside of its network, without regard to rules. `reason`: of any answer. */
export interface Way {
  readonly answer: Certainty;
  readonly reason: string;
}

/**
 *   block                                | way
 *   -------------------------------------+--------------------------------------------------------------------------------
 *   private, or of IPv6                  | maybe: by peerings, VPNs, gateways of other kinds and addresses that nobody listed
 *   public, into a machine               | as a route to the internet and a public address say
 *   public, out of a machine             | the same; without a public address by a NAT gateway too
 *
 * Load balancers are left out: what reaches a machine through one comes by another way.
 */
export function wayOf(state: TrafficState, machine: Machine, direction: Direction, block: Cidr): Way {
  const subnet = state.subnets.get(machine.subnet);
  const network = state.networks.get(machine.network ?? '');
  if (subnet === undefined || network === undefined) return maybe(`the subnet of ${machine.name} is not known`);
  if (isPrivate(block))
    return maybe(
      `${formatCidr(block)} is private: Setpoint does not evaluate peerings, VPNs and gateways of other kinds`,
    );
  if (block.family === 6) return maybe(`the IPv6 addresses of ${machine.name} are not known`);
  const at: Place = { cloud: state.cloud, machine, subnet, network, block };
  switch (state.cloud) {
    case 'azure':
      return direction === 'ingress' ? intoAzure(at) : outOfAzure(at);
    case 'gcp':
      return byRoute(routesOfGoogle(at), network.internet, at, direction);
    case 'aws':
    case 'memory':
      return byRoute(subnet.routes, subnet.internet, at, direction);
  }
}

/** The same between machines of two networks, by their private addresses. */
export function privateWay({ cloud, subnets }: TrafficState, from: Machine, to: Machine): Way {
  const unknown = maybe(
    'they lie in different networks: Setpoint does not evaluate peerings, VPNs and gateways between them',
  );
  const routes = subnets.get(from.subnet)?.routes;
  const blocks = to.address === undefined ? subnets.get(to.subnet)?.blocks : [to.address];
  // why: elsewhere routes of peerings and VPNs are in no list of people's routes
  if ((cloud !== 'aws' && cloud !== 'memory') || routes === undefined || blocks === undefined) return unknown;
  if (blocks.some((block) => hopTo(routes, block) === 'other')) return unknown;
  return no(`they lie in different networks, and no route leads from ${from.name} to ${to.name}`);
}

interface Place {
  readonly cloud: Cloud;
  readonly machine: Machine;
  readonly subnet: Subnet;
  readonly network: Network;
  readonly block: Cidr;
}

const yes = (reason: string): Way => ({ answer: 'yes', reason });
const no = (reason: string): Way => ({ answer: 'no', reason });
const maybe = (reason: string): Way => ({ answer: 'maybe', reason });

/** A tagged route is only for machines with its tag: https://docs.cloud.google.com/vpc/docs/routes#applicability */
const routesOfGoogle = ({ network, machine }: Place): readonly Route[] | undefined =>
  network.routes?.filter(
    ({ tags = [] }) =>
      tags.length === 0 || (machine.memberships ?? []).some((group) => tags.some((tag) => group === `tag:${tag}`)),
  );

/** `internet`: as observed, where the routes themselves are not known. */
function byRoute(
  routes: readonly Route[] | undefined,
  internet: Subnet['internet'],
  at: Place,
  direction: Direction,
): Way {
  const hop = routes === undefined ? hopOf(internet) : hopTo(routes, at.block);
  switch (hop) {
    case 'gateway':
      return byGateway(at, direction);
    case 'nat':
      if (direction === 'egress') return yes('a route leads to a NAT gateway');
      return no(`the route of subnet ${at.subnet.name} to ${formatCidr(at.block)} leads to a NAT gateway`);
    case 'none':
      return no(`subnet ${at.subnet.name} has no route to the internet`);
    case 'other':
      return maybe(`a route of subnet ${at.subnet.name} leads elsewhere than to the internet gateway`);
  }
}

type Hop = 'gateway' | 'nat' | 'none' | 'other';

const hopOf = (internet: Subnet['internet']): Hop => {
  if (internet === undefined || internet === 'partial') return 'other';
  return internet ? 'gateway' : 'none';
};

/**
 * The most specific route decides: https://docs.aws.amazon.com/vpc/latest/userguide/route-tables-priority.html. Of a block whose part
 * has a route of its own:
 *
 *   route of the whole      | routes of parts                 | answer
 *   ------------------------+---------------------------------+----------
 *   to the internet gateway | any                             | the same: most of the block is reached so
 *   elsewhere, or none      | none, or with the same next hop | the same
 *   elsewhere, or none      | others                          | other
 */
function hopTo(routes: readonly Route[], block: Cidr): Hop {
  const known = routes.map(({ destination, nextHop }) => ({
    cidr: parseCidr(destination),
    nextHop,
    hop: kindOf(nextHop),
  }));
  const [best] = known
    .flatMap(({ cidr, hop }) => (cidr !== undefined && containsCidr(cidr, block) ? [{ cidr, hop }] : []))
    .toSorted((a, b) => b.cidr.prefix - a.cidr.prefix);
  const whole = best?.hop ?? 'none';
  if (whole === 'gateway') return whole;
  const parts = known.filter(({ cidr, nextHop }) => (cidr === undefined ? !isEndpoint(nextHop) : isPart(cidr, block)));
  return parts.every(({ hop }) => hop === whole) ? whole : 'other';
}

/** To a service of the cloud, by its list of addresses: https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html */
const isEndpoint = (nextHop: string): boolean => nextHop.startsWith('vpce-');

const isPart = (inner: Cidr, outer: Cidr): boolean =>
  containsCidr(outer, inner) && inner.prefix > outer.prefix && (isPrivate(outer) || !isPrivate(inner));

export function kindOf(nextHop: string): Hop {
  if (nextHop.startsWith('igw-') || nextHop === 'default-internet-gateway') return 'gateway';
  return nextHop.startsWith('nat-') ? 'nat' : 'other';
}

function byGateway({ cloud, machine, network, block }: Place, direction: Direction): Way {
  if (machine.publicIp) return yes('a public address, and a route to the internet gateway');
  if (direction === 'ingress') return no(`${machine.name} has no public address`);
  // why: only Google Cloud sends packets without a public address through a NAT on the way to its gateway
  if (cloud !== 'gcp' || network.natGateways?.length === 0) return no(`${machine.name} has no public address`);
  return maybe(`${machine.name} has no public address, and a Cloud NAT may lead it to ${formatCidr(block)}`);
}

/**
 * A Standard address is closed until a security group allows what comes in:
 * https://learn.microsoft.com/azure/virtual-network/ip-services/public-ip-addresses#sku
 */
function intoAzure({ machine, subnet }: Place): Way {
  if (machine.isBalanced)
    return maybe(`${machine.name} is behind a load balancer, whose addresses Setpoint does not evaluate`);
  if (!machine.publicIp) return no(`${machine.name} has no public address`);
  if (subnet.routes?.length !== 0) return maybe(`the routes of subnet ${subnet.name} are of people, or not known`);
  const isFiltered = (subnet.filters ?? []).length + (machine.filters ?? []).length > 0;
  return isFiltered ? yes('a public address') : maybe(`no security group is on ${machine.name}`);
}

/** https://learn.microsoft.com/azure/virtual-network/ip-services/default-outbound-access */
function outOfAzure({ machine, subnet }: Place): Way {
  if (subnet.routes?.length !== 0) return maybe(`the routes of subnet ${subnet.name} are of people, or not known`);
  if (machine.publicIp) return yes('a public address');
  if (subnet.natGateway !== undefined) return yes(`the NAT gateway of subnet ${subnet.name}`);
  if (machine.isBalanced) return maybe(`${machine.name} is behind a load balancer, which may lead it out`);
  return subnet.filter === true
    ? no(`${machine.name} has no public address, and subnet ${subnet.name} has no default outbound access`)
    : maybe(`Azure may lend ${machine.name} an address: default outbound access of subnet ${subnet.name} is not known`);
}
