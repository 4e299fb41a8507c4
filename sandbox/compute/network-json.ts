import { linkTo } from './place.ts';
import type { Project } from './project.ts';
import type { Json, Network } from './records.ts';
import { resourceJson, shown } from './resource-json.ts';

export function networkJson(project: Project, network: Network): Json {
  const subnetworks = [...project.subnetworks.seenOf(network.id)].map(({ id }) => linkTo(project, id));
  return shown({
    ...resourceJson(project, 'network', network),
    selfLinkWithId: linkTo(project, `global/networks/${network.number}`),
    autoCreateSubnetworks: false,
    subnetworks: subnetworks.length > 0 ? subnetworks : undefined,
    routingConfig: { routingMode: network.routingMode, bgpBestPathSelectionMode: 'LEGACY' },
    mtu: network.mtu,
    networkFirewallPolicyEnforcementOrder: network.enforcementOrder,
  });
}
