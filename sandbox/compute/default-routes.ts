import { hexDigits } from '../random.ts';
import { freshNumber, type Project } from './project.ts';
import type { Network, Route, Subnetwork } from './records.ts';

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

/** Every subnetwork has its own: https://docs.cloud.google.com/vpc/docs/routes#subnet-routes */
export function addSubnetworkRoute(project: Project, subnetwork: Subnetwork): void {
  addRoute(project, {
    name: `default-route-r-${hexDigits(project.random, 16)}`,
    createdAt: subnetwork.createdAt,
    network: subnetwork.network,
    description: `Default local route to the subnetwork ${subnetwork.cidr}.`,
    destination: subnetwork.cidr,
    priority: 0,
    next: { kind: 'subnetwork', subnetwork: subnetwork.id },
  });
}

export function removeSubnetworkRoute(project: Project, { id, network }: Subnetwork): void {
  for (const route of [...project.routes.of(network)])
    if (route.next.kind === 'subnetwork' && route.next.subnetwork === id) project.routes.remove(route.id);
}

function addRoute(project: Project, route: Omit<Route, 'id' | 'number' | 'scope' | 'tags'>): void {
  const id = `global/routes/${route.name}`;
  project.routes.put({ ...route, id, number: freshNumber(project), scope: 'global', tags: undefined });
}
