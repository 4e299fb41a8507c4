import type { NetworkSecurityGroup, RuleSide, SecurityRule, Traffic } from './records.ts';
import { childPath, keyOf } from './resource-id.ts';

type Row = readonly [
  name: string,
  description: string,
  way: Pick<Traffic, 'direction' | 'access' | 'priority'>,
  source: string,
  destination: string,
];

/** https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview#default-security-rules */
const ROWS: readonly Row[] = [
  [
    'AllowVnetInBound',
    'Allow inbound traffic from all VMs in VNET',
    { direction: 'Inbound', access: 'Allow', priority: 65_000 },
    'VirtualNetwork',
    'VirtualNetwork',
  ],
  [
    'AllowAzureLoadBalancerInBound',
    'Allow inbound traffic from azure load balancer',
    { direction: 'Inbound', access: 'Allow', priority: 65_001 },
    'AzureLoadBalancer',
    '*',
  ],
  ['DenyAllInBound', 'Deny all inbound traffic', { direction: 'Inbound', access: 'Deny', priority: 65_500 }, '*', '*'],
  [
    'AllowVnetOutBound',
    'Allow outbound traffic from all VMs to all VMs in VNET',
    { direction: 'Outbound', access: 'Allow', priority: 65_000 },
    'VirtualNetwork',
    'VirtualNetwork',
  ],
  [
    'AllowInternetOutBound',
    'Allow outbound traffic from all VMs to Internet',
    { direction: 'Outbound', access: 'Allow', priority: 65_001 },
    '*',
    'Internet',
  ],
  [
    'DenyAllOutBound',
    'Deny all outbound traffic',
    { direction: 'Outbound', access: 'Deny', priority: 65_500 },
    '*',
    '*',
  ],
];

/** The six that every security group has and nobody can take away. */
export function defaultRules(group: Pick<NetworkSecurityGroup, 'path'>): readonly SecurityRule[] {
  return ROWS.map(([name, description, way, source, destination]) => {
    const path = childPath(group, 'defaultSecurityRules', name);
    const traffic = { protocol: '*', ...way };
    return { id: keyOf(path), path, description, traffic, source: side(source), destination: side(destination) };
  });
}

function side(prefix: string): RuleSide {
  return { prefix, prefixes: [], portRange: '*', portRanges: [], groups: [] };
}
