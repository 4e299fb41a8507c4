import { addressNumber } from '../address.ts';
import { type Cidr, contains, overlaps, parseCidr } from '../cidr.ts';
import { refused } from './errors.ts';
import { nameOf } from './resource-id.ts';

/** Codes and sentences as recorded in https://github.com/Azure/azure-cli/issues/10917 and its neighbours. */
export function checkedPrefix(path: string, value: string): Cidr {
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

export function checkedSpace(path: string, prefixes: readonly string[]): readonly Cidr[] {
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

export interface Placed {
  readonly path: string;
  readonly block: Cidr;
}

/** Subnets lie in their network's space, and not upon each other. */
export function checkPlaces(network: string, space: readonly Cidr[], placed: readonly Placed[]): void {
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
