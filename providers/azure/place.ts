import { type Address, type Kind, prefixIn } from '../../src/core/resource.ts';
import { partsOfId } from './ids.ts';

/** The location for a create, read from the resource's own address. Nothing is created elsewhere. */
export interface ArmPlace {
  readonly subscription: string;
  readonly location: string;
  readonly resourceGroup: string;
}

export function placeOf(address: Address, kind: Kind): ArmPlace {
  const [, subscription = '', location = '', resourceGroup = ''] = prefixIn(address, kind).split('/');
  return { subscription, location, resourceGroup };
}

/** `West Europe` and `westeurope` are one place: https://learn.microsoft.com/azure/reliability/regions-list */
export const canonicalLocation = (text: string): string => text.toLowerCase().replaceAll(' ', '');

/** The part before `/<kind>/<name>` in the address of an existing resource at this location. */
export function prefixAt(id: string, location: string): string {
  const { subscription, resourceGroup } = partsOfId(id);
  return `azure/${subscription}/${canonicalLocation(location)}/${resourceGroup}`.toLowerCase();
}

/** The full id of something in a resource group: `type` is `Microsoft.Network/virtualNetworks`. */
export const idIn = ({ subscription, resourceGroup }: Omit<ArmPlace, 'location'>, type: string, name: string): string =>
  `/subscriptions/${subscription}/resourceGroups/${resourceGroup}/providers/${type}/${name}`;
