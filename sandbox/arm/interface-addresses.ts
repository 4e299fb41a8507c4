import ipaddr from 'ipaddr.js';
import { refused } from './errors.ts';
import type { Subnet } from './records.ts';
import { keyOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';

/**
 * Azure keeps the first four addresses of a subnet and the last.
 * https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq#are-there-any-restrictions-on-using-ip-addresses-within-these-subnets
 */
const FIRST_HOST = 4;

/** A configuration that looks for an address. */
export interface Seeker {
  readonly interface: { readonly path: string };
  readonly configuration: string;
  /** Addresses of the interface's other configurations. */
  readonly spoken: readonly string[];
}

/** The interface that has an address of a subnet now, so that a seeker cannot have it. */
function holderOf(subscription: Subscription, { id }: Place, address: string, seeker: Seeker): string | undefined {
  if (seeker.spoken.includes(address)) return seeker.interface.path;
  const path = subscription.privateAddresses.get(id)?.get(address);
  if (path === undefined) return undefined;
  if (keyOf(path) === keyOf(seeker.interface.path)) return undefined;
  const has = subscription.interfaces
    .get(keyOf(path))
    ?.configurations.some(({ subnet, privateAddress }) => privateAddress === address && keyOf(subnet) === id);
  return has ? path : undefined;
}

type Place = Pick<Subnet, 'id' | 'path' | 'prefixes'>;

function give(subscription: Subscription, { id }: Place, address: string, { interface: { path } }: Seeker): string {
  const given = subscription.privateAddresses.get(id) ?? new Map<string, string>();
  subscription.privateAddresses.set(id, given.set(address, path));
  return address;
}

/** The next address that nobody has. */
export function freeAddress(subscription: Subscription, subnet: Place, seeker: Seeker): string {
  const count = subscription.privateAddresses.get(subnet.id)?.size ?? 0;
  for (const { first, hosts } of rangesOf(subnet)) {
    for (let step = 0; step < hosts; step++) {
      const address = textOf(first + FIRST_HOST + ((count + step) % hosts));
      if (holderOf(subscription, subnet, address, seeker) !== undefined) continue;
      return give(subscription, subnet, address, seeker);
    }
  }
  // https://github.com/MicrosoftDocs/azure-docs/issues/88211
  throw refused(
    'SubnetIsFull',
    `Subnet ${subnet.path} with address prefix ${subnet.prefixes.list.join(',')} does not have enough capacity for 1 IP addresses.`,
    { details: [] },
  );
}

/** An address that somebody wants to keep: inside the subnet, none of the five, and free. */
export function checkedAddress(subscription: Subscription, subnet: Place, seeker: Seeker, wanted: string): string {
  const prefixes = subnet.prefixes.list.join(',');
  const range = ipaddr.IPv4.isValidFourPartDecimal(wanted)
    ? rangesOf(subnet).find(({ first, size }) => numberOf(wanted) >= first && numberOf(wanted) < first + size)
    : undefined;
  if (!range)
    throw refused(
      'PrivateIPAddressNotInSubnet',
      `Private static IP address ${wanted} does not belong to the range of subnet prefix ${prefixes}.`,
      { details: [] },
    );
  const place = numberOf(wanted) - range.first;
  // https://github.com/hashicorp/terraform-provider-azurerm/issues/4225
  if (place < FIRST_HOST || place === range.size - 1)
    throw refused(
      'PrivateIPAddressInReservedRange',
      `Private static IP address ${wanted} falls within reserved IP range of subnet prefix ${prefixes}.`,
      { details: [] },
    );
  const holder = holderOf(subscription, subnet, wanted, seeker);
  // https://github.com/Azure/acs-engine/issues/1867
  if (holder !== undefined)
    throw refused(
      'PrivateIPAddressIsAllocated',
      `IP configuration ${seeker.configuration} is using the private IP address ${wanted} which is already allocated to resource ${holder}.`,
      { details: [] },
    );
  return give(subscription, subnet, wanted, seeker);
}

interface Range {
  readonly first: number;
  readonly size: number;
  readonly hosts: number;
}

/** Addresses of a subnet that interfaces may have. */
export const roomIn = (subnet: Pick<Subnet, 'prefixes'>): number =>
  rangesOf(subnet).reduce((sum, { hosts }) => sum + hosts, 0);

function rangesOf({ prefixes }: Pick<Subnet, 'prefixes'>): readonly Range[] {
  return prefixes.list.flatMap((prefix) => {
    const [base = '', bits] = prefix.split('/');
    if (!ipaddr.IPv4.isValidFourPartDecimal(base)) return [];
    const size = 2 ** (32 - Number(bits));
    return [{ first: numberOf(base), size, hosts: Math.max(0, size - FIRST_HOST - 1) }];
  });
}

function numberOf(address: string): number {
  return address.split('.').reduce((value, part) => value * 256 + Number(part), 0);
}

function textOf(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}
