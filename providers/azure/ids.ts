import type { CloudId } from '../../src/core/resource.ts';

/**
 * Azure's names for things. It takes ids in any case and answers them in several, so ours are lower case; and a name can be
 * used again, so an id ends in the number that Azure never gives twice: `/subscriptions/…/virtualnetworks/core#3f2a…`.
 * https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules
 */
export const canonicalId = (id: string): string => id.toLowerCase().replace(/\/+$/, '');

/** `guid`: the resource's own, or its parent's where it has none (a subnet's VNet, a rule's NSG). */
export const cloudIdOf = (id: string, guid?: string): CloudId =>
  guid ? `${canonicalId(id)}#${guid.toLowerCase()}` : canonicalId(id);

/** The id in requests to ARM. */
export const armIdOf = (id: CloudId): string => id.replace(/#.*$/, '');

export const guidOf = (id: CloudId): string | undefined =>
  id.includes('#') ? id.slice(id.indexOf('#') + 1) : undefined;

/** `child`: the name of a subnet, or of a rule. Parts that an id lacks are ''. */
export interface IdParts {
  readonly subscription: string;
  readonly resourceGroup: string;
  readonly name: string;
  readonly child: string;
}

export function partsOfId(id: CloudId): IdParts {
  const [, , subscription = '', , resourceGroup = '', , , , name = '', , child = ''] = armIdOf(id).split('/');
  return { subscription, resourceGroup, name, child };
}

/** The network of a subnet, which has no number of its own: its id ends in that of its VNet. */
export const networkOfSubnet = (subnet: CloudId): CloudId =>
  cloudIdOf(armIdOf(subnet).replace(/\/subnets\/[^/]*$/, ''), guidOf(subnet));
