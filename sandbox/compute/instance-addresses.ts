import { addressNumber, addressText } from '../address.ts';
import { type Cidr, parseCidr } from '../cidr.ts';
import { invalid, refused } from './errors.ts';
import { pathTo } from './place.ts';
import type { Project } from './project.ts';
import type { Subnetwork } from './records.ts';

/**
 * Of a subnetwork's range Google keeps the first two addresses (the network and the gateway) and the last two:
 * https://docs.cloud.google.com/vpc/docs/subnets#unusable-ip-addresses-in-every-subnet
 */
const FIRST_HOST = 2n;

const KEPT = 4;

/** The address that a request names lies where a machine may have one. Throws if not. */
export function checkedAddress({ cidr }: Subnetwork, wanted: string, field: string): string {
  const block = parseCidr(cidr, 'ipv4');
  const parsed = addressNumber(wanted);
  if (!block || parsed?.family !== 'ipv4') throw invalid(field, wanted, 'Must be a valid IPV4 address.');
  if (parsed.number < block.first + FIRST_HOST || parsed.number > block.last - FIRST_HOST)
    throw invalid(field, wanted, 'Requested internal IP address is outside the network/subnetwork CIDR range.');
  return addressText(parsed.number, 'ipv4');
}

/** Takes the wanted address of a subnetwork, or the next free one. What it throws is how the operation fails. */
export function takeAddress(project: Project, subnetwork: Subnetwork, wanted: string | undefined): string {
  const taken = project.addresses.get(subnetwork.id) ?? new Set<string>();
  project.addresses.set(subnetwork.id, taken);
  if (wanted !== undefined && taken.has(wanted))
    throw refused('ipInUseByAnotherResource', `IP '${wanted}' is already being used by another resource.`);
  const address = wanted ?? nextFree(parseCidr(subnetwork.cidr, 'ipv4'), taken);
  if (address === undefined)
    throw refused('ipSpaceExhausted', `IP space of '${pathTo(project, subnetwork.id)}' is exhausted.`);
  taken.add(address);
  return address;
}

export function releaseAddress(project: Project, subnetworkId: string, address: string): void {
  project.addresses.get(subnetworkId)?.delete(address);
}

/** Addresses of the primary range that machines hold, and that they may still get. */
export function utilizationOf(
  project: Project,
  { id, cidr }: Subnetwork,
): { readonly taken: number; readonly free: number } {
  const taken = project.addresses.get(id)?.size ?? 0;
  return { taken, free: hostsIn(parseCidr(cidr, 'ipv4')) - taken };
}

const hostsIn = (block: Cidr | undefined): number => (block ? Number(block.last - block.first) + 1 - KEPT : 0);

function nextFree(block: Cidr | undefined, taken: ReadonlySet<string>): string | undefined {
  const hosts = hostsIn(block);
  for (let step = 0; block && step < hosts; step++) {
    const address = addressText(block.first + FIRST_HOST + BigInt((taken.size + step) % hosts), 'ipv4');
    if (!taken.has(address)) return address;
  }
  return undefined;
}

/** An ephemeral external address, from the block that RFC 2544 sets aside for such trials. */
export function freshExternalAddress({ random }: Project): string {
  const part = (): number => Math.floor(random() * 256);
  return `198.${18 + Math.floor(random() * 2)}.${part()}.${part()}`;
}
