import { type Cidr, contains, parseCidr } from '../cidr.ts';
import { hexDigits } from '../random.ts';
import { invalid, required } from './errors.ts';
import { flag, type Message, message, oneOf, text, whole } from './message.ts';
import { peeringJson } from './peering.ts';
import { linkTo } from './place.ts';
import type { Project } from './project.ts';
import type { Json, Network } from './records.ts';
import { checkedDescription, resourceJson, shown } from './resource.ts';

const fields = {
  name: text,
  description: text,
  autoCreateSubnetworks: flag,
  mtu: whole,
  enableUlaInternalIpv6: flag,
  internalIpv6Range: text,
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
  unmodelled: ['IPv4Range', 'networkProfile', 'params'],
});

type NetworkMessage = Message<typeof fields>;

type NetworkContent = Pick<Network, 'description' | 'routingMode' | 'mtu' | 'enforcementOrder' | 'internalIpv6'>;

/** The wanted content of a network. The sandbox has custom networks only. */
export function networkContent(project: Pick<Project, 'random'>, asked: NetworkMessage): NetworkContent {
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
    internalIpv6: internalBlock(project, asked),
  };
}

/** "must be a valid /48 ULA IPv6 address and must be within the fd20::/20", says the discovery document; Google picks one else. */
function internalBlock(
  project: Pick<Project, 'random'>,
  { enableUlaInternalIpv6: enabled = false, internalIpv6Range: range }: NetworkMessage,
): string | undefined {
  const field = 'resource.internalIpv6Range';
  if (!enabled && range) throw invalid(field, range, 'It needs enableUlaInternalIpv6.');
  if (!enabled) return undefined;
  const digits = hexDigits(project.random, 7);
  const block = parseCidr(range || `fd20:${digits.slice(0, 3)}:${digits.slice(3)}::/48`, 'ipv6');
  if (block?.prefix !== 48 || !contains(ULA, block)) throw invalid(field, range, 'Must be a /48 within fd20::/20.');
  return block.text;
}

const ULA = parseCidr('fd20::/20', 'ipv6') as Cidr; // why: a constant that parses

export function networkJson(project: Project, network: Network): Json {
  const subnetworks = [...project.subnetworks.seenOf(network.id)].map(({ id }) => linkTo(project, id));
  return shown({
    ...resourceJson(project, 'network', network),
    selfLinkWithId: linkTo(project, `global/networks/${network.number}`),
    autoCreateSubnetworks: false,
    subnetworks: subnetworks.length > 0 ? subnetworks : undefined,
    routingConfig: { routingMode: network.routingMode, bgpBestPathSelectionMode: 'LEGACY' },
    mtu: network.mtu,
    enableUlaInternalIpv6: network.internalIpv6 === undefined ? undefined : true,
    internalIpv6Range: network.internalIpv6,
    peerings:
      network.peerings.length > 0
        ? network.peerings.map((peering) => peeringJson(project, network, peering))
        : undefined,
    networkFirewallPolicyEnforcementOrder: network.enforcementOrder,
    firewallPolicy: policyOf(project, network),
  });
}

/** The global one. "URL of the firewall policy the network is associated with", says the discovery document. */
function policyOf(project: Project, network: Network): string | undefined {
  for (const { record } of project.firewallPolicies.seen())
    if (record.scope === 'global' && record.associations.some((one) => one.network === network.id))
      return linkTo(project, record.id);
  return undefined;
}
