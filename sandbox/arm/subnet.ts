import { refused } from './errors.ts';
import type { Asked } from './method.ts';
import { checkedName } from './names.ts';
import { keptOf, type SubnetForm } from './network-fields.ts';
import { checkedPrefix, checkedSpace, checkPlaces, type Placed } from './prefixes.ts';
import type { Subnet, SubnetPrefixes, VirtualNetwork } from './records.ts';
import { checkReference } from './references.ts';
import { childPath, keyOf, nameOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';
import { configurationsIn } from './usage.ts';

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
    defaultOutbound: defaultOutboundAccess,
    kept: {
      ...keptOf(form.properties, 'subnet'),
      ...(routeTable === undefined ? {} : { routeTable: { id: routeTable } }),
      ...(natGateway === undefined ? {} : { natGateway: { id: natGateway } }),
    },
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
      ...(users.length > 0 ? { ipConfigurations: users.map((id) => ({ id })) } : {}),
      delegations: [],
      privateEndpointNetworkPolicies: 'Disabled',
      privateLinkServiceNetworkPolicies: 'Enabled',
      ...subnet.kept,
      ...(subnet.defaultOutbound === undefined ? {} : { defaultOutboundAccess: subnet.defaultOutbound }),
    },
  };
}
