import { linkTo } from './place.ts';
import type { Project } from './project.ts';
import type { Json, NextHop, Route } from './records.ts';
import { resourceJson, shown } from './resource-json.ts';

export const INTERNET_GATEWAY = 'global/gateways/default-internet-gateway';

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
    case 'ip':
      return { nextHopIp: next.address };
    case 'instance':
      return { nextHopInstance: linkTo(project, next.instance) };
  }
}
