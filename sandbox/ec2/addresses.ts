import { addressNumber, addressText } from '../address.ts';
import { blockOf } from '../cidr.ts';
import { refused } from './errors.ts';
import type { Subnet } from './records.ts';
import type { Region } from './region.ts';

/** AWS keeps the first four addresses of a subnet and the last: https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html */
const FIRST_HOST = 4;

export function freeAddressCount(region: Region, subnet: Subnet): number {
  return hostCount(subnet) - (region.addresses.get(subnet.id)?.size ?? 0);
}

function hostCount(subnet: Subnet): number {
  return 2 ** (32 - Number(subnet.cidr.split('/')[1])) - FIRST_HOST - 1;
}

/** Takes the wanted address of a subnet, or the next free one. */
export function takeAddress(region: Region, subnet: Subnet, wanted?: string): string {
  const taken = region.addresses.get(subnet.id) ?? new Set<string>();
  region.addresses.set(subnet.id, taken);
  const address = wanted === undefined ? nextFree(subnet, taken) : checkedAddress(subnet, taken, wanted);
  taken.add(address);
  return address;
}

function nextFree(subnet: Subnet, taken: ReadonlySet<string>): string {
  const block = blockOf(subnet);
  const hosts = hostCount(subnet);
  for (let step = 0; block && step < hosts; step++) {
    const address = addressText(block.first + BigInt(FIRST_HOST + ((taken.size + step) % hosts)), 'ipv4');
    if (!taken.has(address)) return address;
  }
  throw noAddresses(subnet);
}

export function noAddresses(subnet: Subnet): Error {
  return refused(
    'InsufficientFreeAddressesInSubnet',
    `There are not enough free addresses in subnet '${subnet.id}' to satisfy the requested number of instances.`,
  );
}

function checkedAddress(subnet: Subnet, taken: ReadonlySet<string>, wanted: string): string {
  const block = blockOf(subnet);
  const parsed = addressNumber(wanted);
  const inside =
    block &&
    parsed?.family === 'ipv4' &&
    parsed.number >= block.first + BigInt(FIRST_HOST) &&
    parsed.number < block.last;
  if (!inside)
    throw refused('InvalidParameterValue', `Address ${wanted} does not fall within the subnet's address range`);
  if (taken.has(wanted)) throw refused('InvalidIPAddress.InUse', `Address ${wanted} is in use.`);
  return wanted;
}

/** An ephemeral public address, from the block that RFC 2544 sets aside for such trials. */
export function freshPublicIp(region: Region): string {
  return `198.${18 + Math.floor(region.random() * 2)}.${Math.floor(region.random() * 256)}.${Math.floor(region.random() * 256)}`;
}
