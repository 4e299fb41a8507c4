import type { Gate, Party } from '../packet.ts';
import { gate } from '../packet-check.ts';
import { within } from './firewall-filter.ts';
import { pathTo } from './place.ts';
import type { Project } from './project.ts';
import type { Route } from './records.ts';

/** The machine whose routes are asked. */
export interface Routed {
  readonly name: string;
  /** The network's id. */
  readonly network: string;
  readonly tags: readonly string[];
  /** Its external address, if it has one. */
  readonly external: string | undefined;
}

/**
 * The route to the other end, and what its next hop asks for. Answers need a way back, so arrivals are asked too:
 * a machine reaches the internet, and is reached from it, by a route to the default internet gateway and an external
 * address. https://docs.cloud.google.com/vpc/docs/vpc#internet_access_reqs
 */
export function routeGates(project: Project, machine: Routed, peer: Party, way: 'to' | 'back to'): readonly Gate[] {
  const name = `route ${way} ${peer.address || peer.name}`;
  if (!peer.address) return [gate(name, false, `${peer.name} has no external address`)];
  const route = routeTo(project, machine, peer.address);
  if (!route) return [gate(name, false, `no route in ${pathTo(project, machine.network)}`)];
  switch (route.next.kind) {
    case 'subnetwork':
      return [gate(name, true, `${route.name} sends ${route.destination} within the network`)];
    case 'internet':
      return [
        gate(name, true, `${route.name} sends ${route.destination} to the default internet gateway`),
        gate(
          `external address of ${machine.name}`,
          machine.external !== undefined,
          machine.external ?? 'none, so the internet gateway has nothing to translate to',
        ),
      ];
    case 'ip':
    case 'instance':
      return [gate(name, false, `${route.name} leads to another machine, which the sandbox does not follow`)];
  }
}

/**
 * Routes for a tag are only for machines with it. The most specific destination wins, then the lowest priority:
 * https://docs.cloud.google.com/vpc/docs/routes#routeselection
 */
function routeTo(project: Project, { network, tags }: Routed, address: string): Route | undefined {
  const hits = [...project.routes.of(network)].filter(
    (route) => within(address, route.destination) && (!route.tags || route.tags.some((tag) => tags.includes(tag))),
  );
  return hits.toSorted((a, b) => prefixLength(b) - prefixLength(a) || a.priority - b.priority)[0];
}

function prefixLength({ destination }: Route): number {
  return Number(destination.split('/')[1]);
}
