import { hexDigits } from '../random.ts';
import { addressAt, addressNumber, blockOf } from './cidr.ts';
import { refused } from './errors.ts';
import { ID, target } from './ids.ts';
import type { InterfaceAttachment, NetworkInterface, Subnet, Tags } from './records.ts';
import { freshId, type Region } from './region.ts';

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
    const address = addressAt(block, FIRST_HOST + ((taken.size + step) % hosts));
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

export interface InterfaceOrder {
  readonly subnet: Subnet;
  readonly groups: readonly string[];
  readonly privateIp: string | undefined;
  readonly publicIp: boolean;
  readonly tags: Tags;
  readonly attachment: Pick<InterfaceAttachment, 'instanceId' | 'deviceIndex' | 'deleteOnTermination'> & {
    readonly at: number;
    readonly description: string;
  };
}

export function launchInterface(region: Region, order: InterfaceOrder): NetworkInterface {
  const { subnet, attachment } = order;
  const mac = hexDigits(region.random, 10).replace(/../g, ':$&');
  return region.interfaces.put({
    id: freshId(region, 'eni'),
    tags: order.tags,
    place: { subnetId: subnet.id, vpcId: subnet.vpcId, zone: subnet.zone },
    groups: order.groups,
    address: {
      privateIp: takeAddress(region, subnet, order.privateIp),
      publicIp: order.publicIp ? freshPublicIp(region) : undefined,
      mac: `02${mac}`,
      ipv6: [],
    },
    attachment: {
      id: freshId(region, 'eni-attach'),
      instanceId: attachment.instanceId,
      deviceIndex: attachment.deviceIndex,
      deleteOnTermination: attachment.deleteOnTermination,
      at: attachment.at,
    },
    description: attachment.description,
    requester: { id: undefined, managed: false, type: 'interface', sourceDestCheck: true },
  });
}

export function removeInterface(region: Region, eni: NetworkInterface): void {
  region.addresses.get(eni.place.subnetId)?.delete(eni.address.privateIp);
  region.interfaces.remove(eni.id);
}

/** The groups an interface is to have: known, of this VPC, and no more than the quota. Without any: the VPC's default group. */
export function checkedGroups(
  region: Region,
  place: { readonly vpcId: string; readonly subnetId: string },
  ids: readonly string[] | undefined,
): readonly string[] {
  if (!ids?.length) {
    for (const group of region.groups.of(place.vpcId)) if (group.name === 'default') return [group.id];
    return [];
  }
  const groups = [...new Set(ids)].map((id) => target(region.groups, ID.group, id, 'groupId'));
  for (const group of groups) {
    if (group.vpcId !== place.vpcId) {
      throw refused(
        'InvalidParameter',
        `Security group ${group.id} and subnet ${place.subnetId} belong to different networks.`,
      );
    }
  }
  if (groups.length > region.quotas.groupsPerInterface) {
    throw refused(
      'SecurityGroupsPerInterfaceLimitExceeded',
      'The maximum number of security groups per interface has been reached.',
    );
  }
  return groups.map((group) => group.id);
}
