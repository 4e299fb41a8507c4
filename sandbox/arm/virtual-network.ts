import { addressNumber, type Cidr, contains, overlaps, parseCidr } from '../cidr.ts';
import { listOf, optional, scalar } from '../json.ts';
import { anything, fields, outputs, readOnly } from './body.ts';
import { refused } from './errors.ts';
import type { Kind } from './kind.ts';
import type { Asked } from './method.ts';
import { reference } from './network-interface.ts';
import { peeringBody, peeringForm } from './peering.ts';
import type { Subnet, SubnetPrefixes, VirtualNetwork } from './records.ts';
import { checkReference, configurationsIn } from './references.ts';
import { checkedName, childPath, keyOf, nameOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';
import { tagsBody, tagsField } from './tags.ts';

export const virtualNetworkKind: Kind<VirtualNetwork> = {
  table: ({ subscription }) => subscription.networks,
  type: 'Microsoft.Network/virtualNetworks',
  renderer:
    ({ subscription }) =>
    (network) => ({
      name: nameOf(network.path),
      id: network.path,
      etag: network.version.etag,
      type: virtualNetworkKind.type,
      location: network.location,
      ...tagsBody(network.tags),
      properties: {
        provisioningState: network.version.state,
        resourceGuid: network.guid,
        addressSpace: { addressPrefixes: network.addressPrefixes },
        subnets: network.subnets.map((subnet) =>
          subnetBody(network, subnet, configurationsIn(subscription, subnet.id)),
        ),
        virtualNetworkPeerings: network.peerings.map((peering) => peeringBody(subscription, network, peering)),
        enableDdosProtection: false,
        ...network.kept,
      },
    }),
};

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

type SubnetForm = ReturnType<typeof subnetForm>;

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
      virtualNetworkPeerings: optional(listOf(peeringForm)),
      ipAllocations: readOnly,
      resourceGuid: readOnly,
      flowLogs: readOnly,
      defaultPublicNatGateway: readOnly,
      provisioningState: readOnly,
    }),
  ),
  ...outputs,
  extendedLocation: readOnly,
});

/** The fields of a body that the sandbox only stores and returns. */
export function keptOf<T extends object>(
  properties: T | undefined,
  which: 'network' | 'subnet',
): Readonly<Record<string, unknown>> {
  const names = Object.keys(which === 'network' ? NETWORK_KEPT : SUBNET_KEPT);
  return Object.fromEntries(
    Object.entries(properties ?? {}).filter(([name, value]) => names.includes(name) && value !== undefined),
  );
}

/** https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq#how-small-and-how-large-can-virtual-networks-and-subnets-be */
const SMALLEST = { ipv4: 29, ipv6: 64 };

type Network = Pick<VirtualNetwork, 'path' | 'location' | 'subnets'>;

/** One subnet of a network, checked by itself. It keeps the case of a subnet of the same name. */
export function readSubnet({ subscription }: Asked, network: Network, name: string, form: SubnetForm): Subnet {
  const written = childPath(network, 'subnets', checkedName(name));
  const path = network.subnets.find(({ id }) => id === keyOf(written))?.path ?? written;
  const { networkSecurityGroup, routeTable, natGateway, defaultOutboundAccess } = form.properties ?? {};
  for (const to of [networkSecurityGroup, routeTable, natGateway])
    if (to !== undefined) checkReference(subscription, { from: path, to, location: network.location });
  return {
    id: keyOf(path),
    path,
    prefixes: prefixesOf(path, form),
    securityGroup: networkSecurityGroup,
    routeTable,
    natGateway,
    defaultOutbound: defaultOutboundAccess,
    kept: keptOf(form.properties, 'subnet'),
  };
}

function prefixesOf(path: string, { properties }: SubnetForm): SubnetPrefixes {
  const { addressPrefix, addressPrefixes = [] } = properties ?? {};
  const list = addressPrefixes.length > 0 ? addressPrefixes : [addressPrefix ?? ''];
  for (const prefix of list) {
    const { family, prefix: length } = checkedPrefix(path, prefix);
    if (length > SMALLEST[family])
      throw refused('NetcfgInvalidSubnet', `Subnet '${nameOf(path)}' is not valid in virtual network.`, {
        details: [],
      });
  }
  return { list, spelling: addressPrefixes.length > 0 ? 'plural' : 'singular' };
}

interface Change {
  readonly network: Pick<VirtualNetwork, 'path' | 'addressPrefixes'>;
  readonly before: readonly Subnet[];
  readonly after: readonly Subnet[];
}

/** All subnets of a network together: their number, their places, and that none goes which is in use. */
export function checkSubnets({ subscription }: Asked, { network, before, after }: Change): void {
  const { subnetsPerNetwork: most } = subscription.quotas;
  if (after.length > most)
    throw refused('SubnetCountLimitReached', `Virtual network ${network.path} cannot have more than ${most} subnets.`, {
      details: [],
    });
  const placed = after.flatMap(({ path, prefixes }): readonly Placed[] =>
    prefixes.list.map((prefix) => ({ path, block: checkedPrefix(path, prefix) })),
  );
  checkPlaces(network.path, checkedSpace(network.path, network.addressPrefixes), placed);
  const stays = new Map(after.map((subnet) => [subnet.id, subnet]));
  for (const subnet of before) refuseLoss(subscription, subnet, stays.get(subnet.id));
}

function refuseLoss(subscription: Subscription, before: Subnet, after: Subnet | undefined): void {
  const users = configurationsIn(subscription, before.id);
  if (users.length === 0) return;
  if (!after) throw inUse(before, users);
  const lost = before.prefixes.list.find((prefix) => !after.prefixes.list.includes(prefix));
  if (lost !== undefined)
    throw refused(
      'InUsePrefixCannotBeDeleted',
      `IpPrefix ${lost} on Subnet ${nameOf(before.path)} has active allocations and cannot be deleted.`,
      { details: [] },
    );
}

/** As recorded in https://github.com/hashicorp/terraform-provider-azurerm/issues/334 */
function inUse({ path }: Subnet, users: readonly string[]): Error {
  return refused(
    'InUseSubnetCannotBeDeleted',
    `Subnet ${nameOf(path)} is in use by ${users.slice(0, 5).join(', ')} and cannot be deleted. In order to delete the subnet, delete all the resources within the subnet. See aka.ms/deletesubnet.`,
    { details: [] },
  );
}

/** A subnet as answers show it. */
export function subnetBody({ version }: VirtualNetwork, subnet: Subnet, users: readonly string[] = []): object {
  const { list, spelling } = subnet.prefixes;
  return {
    name: nameOf(subnet.path),
    id: subnet.path,
    etag: version.etag,
    type: 'Microsoft.Network/virtualNetworks/subnets',
    properties: {
      provisioningState: version.state,
      ...(spelling === 'plural' ? { addressPrefixes: list } : { addressPrefix: list[0] }),
      ...(subnet.securityGroup === undefined ? {} : { networkSecurityGroup: { id: subnet.securityGroup } }),
      ...(subnet.routeTable === undefined ? {} : { routeTable: { id: subnet.routeTable } }),
      ...(subnet.natGateway === undefined ? {} : { natGateway: { id: subnet.natGateway } }),
      ...(users.length > 0 ? { ipConfigurations: users.map((id) => ({ id })) } : {}),
      delegations: [],
      privateEndpointNetworkPolicies: 'Disabled',
      privateLinkServiceNetworkPolicies: 'Enabled',
      ...subnet.kept,
      ...(subnet.defaultOutbound === undefined ? {} : { defaultOutboundAccess: subnet.defaultOutbound }),
    },
  };
}

/** Codes and sentences as recorded in https://github.com/Azure/azure-cli/issues/10917 and its neighbours. */
function checkedPrefix(path: string, value: string): Cidr {
  const [address = ''] = value.split('/');
  const parsed = addressNumber(address);
  const block = parsed && parseCidr(value, parsed.family);
  if (!block)
    throw refused(
      'InvalidAddressPrefixFormat',
      `Address prefix ${value} of resource ${path} is not formatted correctly. It should follow CIDR notation, for example 10.0.0.0/24.`,
      { details: [] },
    );
  if (block.first !== parsed.number)
    throw refused(
      'InvalidCIDRNotation',
      `The address prefix ${value} in resource ${path} has an invalid CIDR notation. For the given prefix length, the address prefix should be ${block.text}.`,
      { details: [] },
    );
  return block;
}

function checkedSpace(path: string, prefixes: readonly string[]): readonly Cidr[] {
  if (prefixes.length === 0)
    throw refused('InvalidRequestFormat', `Virtual network ${path} must have at least one address prefix.`, {
      details: [],
    });
  const blocks = prefixes.map((prefix) => checkedPrefix(path, prefix));
  if (firstOverlap(blocks.map((block) => ({ path, block }))))
    throw refused(
      'OverlappingAddressPrefixes',
      `Virtual network ${nameOf(path)} has address prefixes that overlap each other.`,
      { details: [] },
    );
  return blocks;
}

interface Placed {
  readonly path: string;
  readonly block: Cidr;
}

/** Subnets lie in their network's space, and not upon each other. */
function checkPlaces(network: string, space: readonly Cidr[], placed: readonly Placed[]): void {
  const outside = placed.find(({ block }) => !space.some((whole) => contains(whole, block)));
  if (outside)
    throw refused(
      'NetcfgSubnetRangeOutsideVnet',
      `Subnet '${nameOf(outside.path)}' is not valid because its IP address range is outside the IP address range of virtual network '${nameOf(network)}'.`,
      { details: [] },
    );
  const [one, other] = firstOverlap(placed) ?? [];
  if (one && other)
    throw refused(
      'NetcfgSubnetRangesOverlap',
      `Subnet '${nameOf(other.path)}' is not valid because its IP address range overlaps with that of an existing subnet in virtual network '${nameOf(network)}'.`,
      { details: [] },
    );
}

function firstOverlap(placed: readonly Placed[]): readonly [Placed, Placed] | undefined {
  for (const family of ['ipv4', 'ipv6'] as const) {
    const sorted = placed
      .filter(({ block }) => block.family === family)
      .toSorted((a, b) => (a.block.first < b.block.first ? -1 : 1));
    for (const [index, next] of sorted.entries()) {
      const before = sorted[index - 1];
      if (before && overlaps(before.block, next.block)) return [before, next];
    }
  }
  return undefined;
}
