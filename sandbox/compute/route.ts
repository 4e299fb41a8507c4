import { addressNumber, addressText, parseCidr } from '../cidr.ts';
import { hexDigits } from '../random.ts';
import { invalid, required } from './errors.ts';
import { orNone } from './firewall.ts';
import { listOf, type Message, message, text, whole } from './message.ts';
import { linkTo, referenceTo } from './place.ts';
import { freshNumber, type Project } from './project.ts';
import type { Json, Network, NextHop, Route, Subnetwork } from './records.ts';
import { checkedDescription, resourceJson, shown } from './resource.ts';

const fields = {
  name: text,
  description: text,
  network: text,
  destRange: text,
  priority: whole,
  tags: listOf(text),
  nextHopGateway: text,
  nextHopIp: text,
  nextHopInstance: text,
} as const;

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/routes */
export const routeMessage = message(fields, {
  outputs: [
    'kind',
    'id',
    'creationTimestamp',
    'selfLink',
    'selfLinkWithId',
    'asPaths',
    'nextHopHub',
    'nextHopInterRegionCost',
    'nextHopInterconnectAttachment',
    'nextHopMed',
    'nextHopOrigin',
    'nextHopPeering',
    'routeStatus',
    'routeType',
    'warnings',
  ],
  unmodelled: ['nextHopIlb', 'nextHopNetwork', 'nextHopVpnTunnel', 'params'],
});

type RouteMessage = Message<typeof fields>;

type RouteContent = Pick<Route, 'description' | 'destination' | 'priority' | 'tags' | 'next'>;

export function routeContent(project: Project, asked: RouteMessage): RouteContent {
  const { destRange, priority = 1000 } = asked;
  if (!destRange) throw required('resource.destRange');
  const cidr = parseCidr(destRange, destRange.includes(':') ? 'ipv6' : 'ipv4');
  if (!cidr) throw invalid('resource.destRange', destRange, 'Must be a valid CIDR address range.');
  if (priority < 0 || priority > 65_535)
    throw invalid('resource.priority', priority, 'Must be between 0 and 65535, inclusive.');
  return {
    description: checkedDescription(asked.description),
    destination: cidr.text,
    priority,
    tags: orNone(asked.tags),
    next: nextHop(project, asked),
  };
}

function nextHop(project: Project, { nextHopGateway, nextHopIp, nextHopInstance }: RouteMessage): NextHop {
  const given = [nextHopGateway, nextHopIp, nextHopInstance].filter((hop) => hop !== undefined);
  if (given.length !== 1) throw invalid('resource', '', 'Exactly one next hop must be specified.');
  if (nextHopIp !== undefined) {
    const parsed = addressNumber(nextHopIp);
    if (!parsed) throw invalid('resource.nextHopIp', nextHopIp, 'Must be a valid IP address.');
    return { kind: 'ip', address: addressText(parsed.number, parsed.family) };
  }
  if (nextHopInstance !== undefined) {
    const field = 'resource.nextHopInstance';
    return { kind: 'instance', instance: referenceTo(project, 'instances', { value: nextHopInstance, field }) };
  }
  const field = 'resource.nextHopGateway';
  const gateway = referenceTo(project, 'gateways', { value: nextHopGateway ?? '', field });
  if (gateway !== INTERNET_GATEWAY)
    throw invalid(field, nextHopGateway, 'There is no other than the default internet gateway.');
  return { kind: 'internet' };
}

const INTERNET_GATEWAY = 'global/gateways/default-internet-gateway';

export function routeJson(project: Project, route: Route): Json {
  return shown({
    ...resourceJson(project, 'route', route),
    network: linkTo(project, route.network),
    destRange: route.destination,
    priority: route.priority,
    tags: route.tags,
    ...nextHopJson(project, route.next, route.network),
  });
}

function nextHopJson(project: Project, next: NextHop, network: string): Json {
  switch (next.kind) {
    case 'internet':
      return { nextHopGateway: linkTo(project, INTERNET_GATEWAY) };
    case 'subnetwork':
      return { nextHopNetwork: linkTo(project, network) };
    case 'peering':
      return { nextHopPeering: next.peering };
    case 'ip':
      return { nextHopIp: next.address };
    case 'instance':
      return { nextHopInstance: linkTo(project, next.instance) };
  }
}

/** Every new network has it: https://docs.cloud.google.com/vpc/docs/routes#routingpacketsinternet */
export function addInternetRoute(project: Project, network: Network): void {
  addRoute(project, {
    name: `default-route-${hexDigits(project.random, 16)}`,
    createdAt: network.createdAt,
    network: network.id,
    description: 'Default route to the Internet.',
    destination: '0.0.0.0/0',
    priority: 1000,
    next: { kind: 'internet' },
  });
}

/** Every block of a subnetwork has its own: https://docs.cloud.google.com/vpc/docs/routes#subnet-routes */
export function addSubnetworkRoutes(project: Project, subnetwork: Subnetwork): void {
  for (const destination of [subnetwork.cidr, ...subnetwork.secondary.map(({ cidr }) => cidr)])
    addRoute(project, {
      name: `default-route-r-${hexDigits(project.random, 16)}`,
      createdAt: subnetwork.createdAt,
      network: subnetwork.network,
      description: `Default local route to the subnetwork ${destination}.`,
      destination,
      priority: 0,
      next: { kind: 'subnetwork', subnetwork: subnetwork.id },
    });
}

export function removeSubnetworkRoutes(project: Project, { id, network }: Subnetwork): void {
  for (const route of [...project.routes.of(network)])
    if (route.next.kind === 'subnetwork' && route.next.subnetwork === id) project.routes.remove(route.id);
}

function addRoute(project: Project, route: Omit<Route, 'id' | 'number' | 'scope' | 'tags'>): void {
  const id = `global/routes/${route.name}`;
  project.routes.put({ ...route, id, number: freshNumber(project), scope: 'global', tags: undefined });
}
