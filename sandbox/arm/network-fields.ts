import { listOf, optional } from '../json.ts';
import { scalar } from '../json-scalar.ts';
import { anything, fields, readOnly } from './body.ts';
import { reference } from './interface-fields.ts';
import { tagsField } from './tags.ts';

const text = optional(scalar('string'));

const texts = optional(listOf(scalar('string')));

const flag = optional(scalar('boolean'));

/** Kept and given back; they change nothing in the sandbox. */
const SUBNET_KEPT = {
  serviceEndpoints: anything,
  serviceEndpointPolicies: anything,
  delegations: anything,
  privateEndpointNetworkPolicies: text,
  privateLinkServiceNetworkPolicies: text,
  sharingScope: text,
} as const;

export const subnetForm = fields({
  name: text,
  properties: optional(
    fields({
      addressPrefix: text,
      addressPrefixes: texts,
      networkSecurityGroup: optional(reference),
      routeTable: optional(reference),
      natGateway: optional(reference),
      defaultOutboundAccess: flag,
      ...SUBNET_KEPT,
      ipAllocations: readOnly,
      privateEndpoints: readOnly,
      ipConfigurations: readOnly,
      ipConfigurationProfiles: readOnly,
      applicationGatewayIPConfigurations: readOnly,
      resourceNavigationLinks: readOnly,
      serviceAssociationLinks: readOnly,
      purpose: readOnly,
      provisioningState: readOnly,
    }),
  ),
  id: readOnly,
  etag: readOnly,
  type: readOnly,
});

export type SubnetForm = ReturnType<typeof subnetForm>;

const NETWORK_KEPT = {
  dhcpOptions: anything,
  flowTimeoutInMinutes: optional(scalar('number')),
  enableDdosProtection: flag,
  enableVmProtection: flag,
  ddosProtectionPlan: anything,
  bgpCommunities: anything,
  encryption: anything,
  privateEndpointVNetPolicies: text,
} as const;

export const networkForm = fields({
  location: text,
  tags: tagsField,
  properties: optional(
    fields({
      addressSpace: optional(fields({ addressPrefixes: texts, ipamPoolPrefixAllocations: readOnly })),
      subnets: optional(listOf(subnetForm)),
      ...NETWORK_KEPT,
      virtualNetworkPeerings: readOnly,
      ipAllocations: readOnly,
      resourceGuid: readOnly,
      flowLogs: readOnly,
      defaultPublicNatGateway: readOnly,
      provisioningState: readOnly,
    }),
  ),
  id: readOnly,
  name: readOnly,
  type: readOnly,
  etag: readOnly,
  extendedLocation: readOnly,
});

export type NetworkForm = ReturnType<typeof networkForm>;

/** What of a body is only kept. */
export function keptOf<T extends object>(
  properties: T | undefined,
  which: 'network' | 'subnet',
): Readonly<Record<string, unknown>> {
  const names = Object.keys(which === 'network' ? NETWORK_KEPT : SUBNET_KEPT);
  return Object.fromEntries(
    Object.entries(properties ?? {}).filter(([name, value]) => names.includes(name) && value !== undefined),
  );
}
