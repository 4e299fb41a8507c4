import { invalid, required } from './errors.ts';
import type { Network } from './records.ts';
import { checkedDescription } from './resource.ts';
import { type Message, message } from './wire/message.ts';
import { flag, oneOf, text, whole } from './wire/scalar.ts';

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

export type NetworkMessage = Message<typeof fields>;

export type NetworkContent = Pick<Network, 'description' | 'routingMode' | 'mtu' | 'enforcementOrder'>;

/** What a network is to be like. The sandbox has custom networks only. */
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
