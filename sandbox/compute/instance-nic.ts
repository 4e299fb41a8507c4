import { addressNumber, addressText, type Cidr, parseCidr } from '../cidr.ts';
import { invalid, refused } from './errors.ts';
import type { NicMessage } from './instance-message.ts';
import { nameIn, pathTo } from './place.ts';
import type { Project } from './project.ts';
import type { AccessConfig, Subnetwork } from './records.ts';
import { referenced } from './resource.ts';
import { zoneNamed } from './zones.ts';

/** The planned network interface of a new machine. */
export interface NicPlan {
  readonly subnetwork: Subnetwork;
  readonly wanted: string | undefined;
  readonly access: AccessConfig | undefined;
}

type AccessMessage = NonNullable<NicMessage['accessConfigs']>[number];

/** Throws what a request is refused with at once. The sandbox models one interface a machine. */
export function nicPlan(project: Project, zone: string, given: readonly NicMessage[] | undefined): NicPlan {
  const [nic, ...more] = given ?? [];
  const field = 'resource.networkInterfaces';
  if (!nic) throw invalid(field, '', 'At least one network interface is required.');
  if (more.length > 0)
    throw invalid(field, `${more.length + 1} interfaces`, 'The sandbox models only one: leave the others out.');
  const at = `${field}[0]`;
  const subnetwork = subnetworkOf(project, zone, nic);
  return {
    subnetwork,
    wanted: nic.networkIP ? checkedAddress(subnetwork, nic.networkIP, `${at}.networkIP`) : undefined,
    access: accessOf(nic.accessConfigs, at),
  };
}

function subnetworkOf(project: Project, zone: string, { network, subnetwork }: NicMessage): Subnetwork {
  const at = 'resource.networkInterfaces[0]';
  const wanted = network
    ? referenced(
        project,
        { table: project.networks, collection: 'networks' },
        { value: network, field: `${at}.network` },
      )
    : undefined;
  // The sandbox's networks are custom: https://docs.cloud.google.com/vpc/docs/vpc#subnet-ranges
  if (!subnetwork) throw invalid(at, network ?? '', 'Subnetwork should be specified for custom subnetmode network');
  const field = `${at}.subnetwork`;
  const place = { table: project.subnetworks, collection: 'subnetworks' };
  const found = referenced(project, place, { value: subnetwork, field });
  if (nameIn(found.scope) !== zoneNamed(zone)?.region)
    throw invalid(field, subnetwork, `The subnetwork must be in the region of zone ${zone}.`);
  if (wanted && found.network !== wanted.id)
    throw invalid(field, subnetwork, `The specified subnetwork is not in network '${network}'.`);
  return found;
}

function accessOf(given: readonly AccessMessage[] | undefined, at: string): AccessConfig | undefined {
  const [access, ...more] = given ?? [];
  if (more.length > 0) throw invalid(`${at}.accessConfigs`, '', 'At most one access config currently supported.');
  return access && accessConfig(access);
}

/** Defaults of an access config, as the discovery document has them. */
export function accessConfig({ name, networkTier }: AccessMessage): AccessConfig {
  return { name: name || 'External NAT', tier: networkTier ?? 'PREMIUM', natIp: undefined };
}

/**
 * Of a subnetwork's range Google keeps the first two addresses (the network and the gateway) and the last two:
 * https://docs.cloud.google.com/vpc/docs/subnets#unusable-ip-addresses-in-every-subnet
 */
const FIRST_HOST = 2n;

const KEPT = 4;

/** The address that a request names lies where a machine may have one. Throws if not. */
function checkedAddress({ cidr }: Subnetwork, wanted: string, field: string): string {
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
