import { invalid, required } from './errors.ts';
import { flag, type Message, message, oneOf, text, whole } from './message.ts';
import { linkTo } from './place.ts';
import type { Project } from './project.ts';
import type { Json, Network } from './records.ts';
import { checkedDescription, resourceJson, shown } from './resource.ts';

const fields = {
  name: text,
  description: text,
  autoCreateSubnetworks: flag,
  mtu: whole,
  networkFirewallPolicyEnforcementOrder: oneOf('AFTER_CLASSIC_FIREWALL', 'BEFORE_CLASSIC_FIREWALL'),
  routingConfig: message(
    { routingMode: oneOf('REGIONAL', 'GLOBAL'), bgpBestPathSelectionMode: oneOf('LEGACY') },
    {
      outputs: ['effectiveBgpAlwaysCompareMed', 'effectiveBgpInterRegionCost'],
      unmodelled: ['bgpAlwaysCompareMed', 'bgpInterRegionCost'],
    },
  ),
} as const;

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/networks */
export const networkMessage = message(fields, {
  outputs: [
    'kind',
    'id',
    'creationTimestamp',
    'selfLink',
    'selfLinkWithId',
    'subnetworks',
    'peerings',
    'gatewayIPv4',
    'firewallPolicy',
  ],
  unmodelled: ['IPv4Range', 'enableUlaInternalIpv6', 'internalIpv6Range', 'networkProfile', 'params'],
});

type NetworkMessage = Message<typeof fields>;

type NetworkContent = Pick<Network, 'description' | 'routingMode' | 'mtu' | 'enforcementOrder'>;

/** The wanted content of a network. The sandbox has custom networks only. */
export function networkContent(asked: NetworkMessage): NetworkContent {
  const { autoCreateSubnetworks: auto, mtu, routingConfig } = asked;
  if (auto === undefined) throw required('resource.autoCreateSubnetworks');
  if (auto)
    throw invalid('resource.autoCreateSubnetworks', auto, 'The sandbox models no auto mode: use a custom network.');
  if (mtu !== undefined && (mtu < 1300 || mtu > 8896))
    throw invalid('resource.mtu', mtu, 'Must be between 1300 and 8896, inclusive.');
  return {
    description: checkedDescription(asked.description),
    routingMode: routingConfig?.routingMode ?? 'REGIONAL',
    mtu,
    enforcementOrder: asked.networkFirewallPolicyEnforcementOrder ?? 'AFTER_CLASSIC_FIREWALL',
  };
}

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
