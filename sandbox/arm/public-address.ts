import type { Random } from '../random.ts';
import { refused } from './errors.ts';
import { freshEtag } from './etag.ts';
import type { PublicAddress } from './machine-records.ts';
import { checkReference } from './references.ts';
import { keyOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';

/** From the block that RFC 2544 sets aside for such trials. */
export function freshPublicAddress(random: Random): string {
  const part = (): number => Math.floor(random() * 256);
  return `198.${18 + Math.floor(random() * 2)}.${part()}.${part()}`;
}

/** The address that an IP configuration refers to must be known, in the same place, and used by nobody else. */
export function checkUsable(
  subscription: Subscription,
  path: string,
  by: { readonly configuration: string; readonly location: string },
): void {
  checkReference(subscription, { from: by.configuration, to: path, location: by.location });
  const found = subscription.addresses.get(keyOf(path));
  if (found?.usedBy !== undefined && keyOf(found.usedBy) !== keyOf(by.configuration))
    throw refused(
      'PublicIPAddressInUse',
      `Resource ${by.configuration} is referencing public IP address ${found.path} that is already allocated to resource ${found.usedBy}.`,
      { details: [] },
    );
}

/** Ties an address to an IP configuration, or sets it free. */
export function bind(subscription: Subscription, address: PublicAddress, usedBy: string | undefined): void {
  if (address.usedBy === usedBy) return;
  const kept = address.allocation === 'Dynamic' && usedBy === undefined ? undefined : address.address;
  subscription.addresses.put({
    ...address,
    usedBy,
    address: kept,
    version: { ...address.version, etag: freshEtag(subscription.random) },
  });
}

/**
 * A dynamic address lives as long as the machine that uses it is allocated.
 * https://learn.microsoft.com/azure/virtual-network/ip-services/public-ip-addresses#ip-address-assignment
 */
export function allocate(subscription: Subscription, path: string, allocated: boolean): void {
  const address = subscription.addresses.get(keyOf(path));
  if (address?.allocation !== 'Dynamic' || (address.address !== undefined) === allocated) return;
  subscription.addresses.put({
    ...address,
    address: allocated ? freshPublicAddress(subscription.random) : undefined,
    version: { ...address.version, etag: freshEtag(subscription.random) },
  });
}
