import type { NetworkInterface, PublicIPAddress } from '@azure/arm-network';
import type { Result } from '../../../src/core/failure.ts';
import type { Call, Creation } from '../../../src/ports/provider.ts';
import { armIdOf, partsOfId } from '../ids.ts';
import { markTags } from '../marks.ts';
import { type ArmPlace, placeOf } from '../place.ts';
import { ensureResourceGroup } from '../resource-group.ts';
import { ifMatch } from '../retag.ts';
import type { Scope } from '../scope.ts';
import { partIdOf } from './parts.ts';

type Item = Creation<'instance'>;

/** `found`: what an earlier try has left, which is written again as it shall be, unless somebody else writes it meanwhile. */
export async function makeAddress(
  { desired, mark }: Item,
  found: PublicIPAddress | undefined,
  scope: Scope,
  call: Call,
): Promise<Result<PublicIPAddress>> {
  const place = placeOf(desired.address, 'instance');
  const { name } = partsOfId(partIdOf('public-address', place, desired.name));
  const body: PublicIPAddress = {
    location: place.location,
    tags: markTags(mark, { part: 'public-address' }),
    // https://learn.microsoft.com/azure/virtual-network/ip-services/public-ip-addresses#sku
    sku: { name: 'Standard' },
    publicIPAllocationMethod: 'Static',
  };
  return inItsGroup(place, scope, call, () =>
    scope.client.run(call, ({ network }) =>
      network.publicIPAddresses.createOrUpdate(place.resourceGroup, name, body, ifMatch(found?.etag)),
    ),
  );
}

interface InterfaceToMake {
  readonly item: Item;
  readonly found: NetworkInterface | undefined;
  readonly address: PublicIPAddress | undefined;
}

/** In the subnet, in the groups, and with the address if there is one, which goes with it: https://learn.microsoft.com/azure/virtual-machines/delete */
export async function makeInterface(
  { item: { desired, mark }, found, address }: InterfaceToMake,
  scope: Scope,
  call: Call,
): Promise<Result<NetworkInterface>> {
  const place = placeOf(desired.address, 'instance');
  const { name } = partsOfId(partIdOf('network-interface', place, desired.name));
  const { placement, groups = [] } = desired.attributes;
  const body: NetworkInterface = {
    location: place.location,
    tags: markTags(mark, { part: 'network-interface' }),
    ipConfigurations: [
      {
        name: 'primary',
        primary: true,
        privateIPAllocationMethod: 'Dynamic',
        subnet: { id: armIdOf(placement.subnet) },
        ...(address?.id === undefined ? {} : { publicIPAddress: { id: address.id, deleteOption: 'Delete' } }),
        applicationSecurityGroups: groups.map((group) => ({ id: armIdOf(group) })),
      },
    ],
  };
  return inItsGroup(place, scope, call, () =>
    scope.client.run(call, ({ network }) =>
      network.networkInterfaces.createOrUpdate(place.resourceGroup, name, body, ifMatch(found?.etag)),
    ),
  );
}

/** A resource group is made where it is absent: the network may stand in another. */
async function inItsGroup<T>(
  place: ArmPlace,
  scope: Scope,
  call: Call,
  put: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const made = await put();
  if (made.ok || made.failure.code !== 'ResourceGroupNotFound') return made;
  const group = await ensureResourceGroup(place, scope, call);
  return group.ok ? put() : group;
}
