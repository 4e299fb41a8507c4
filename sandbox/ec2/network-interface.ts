import { addressNumber, addressText, blockOf } from '../cidr.ts';
import { hexDigits } from '../random.ts';
import { refused } from './errors.ts';
import { ID, target } from './ids.ts';
import type { InterfaceAttachment, NetworkInterface, Subnet, Tags } from './records.ts';
import { freshId, type Region } from './region.ts';
import { tagSet } from './tags.ts';
import { el, set, time, wrap } from './xml.ts';

interface InterfaceOrder {
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

/** An interface in its own listing, or inside an instance, where it has no tags and no requester. */
export function interfaceXml(region: Region, eni: NetworkInterface, inside: 'listing' | 'instance'): string {
  const { address, place, requester } = eni;
  const listed =
    el('availabilityZone', place.zone) +
    el('requesterId', requester.id) +
    el('requesterManaged', requester.managed) +
    tagSet(eni.tags);
  return (
    el('networkInterfaceId', eni.id) +
    el('subnetId', place.subnetId) +
    el('vpcId', place.vpcId) +
    el('description', eni.description) +
    el('ownerId', region.account) +
    el('status', eni.attachment ? 'in-use' : 'available') +
    el('macAddress', address.mac) +
    el('privateIpAddress', address.privateIp) +
    el('privateDnsName', privateDns(region, address.privateIp)) +
    el('sourceDestCheck', requester.sourceDestCheck) +
    el('interfaceType', requester.type) +
    groupSet(region, eni.groups) +
    (eni.attachment ? wrap('attachment', attachmentXml(region, eni.attachment, inside)) : '') +
    associationXml(region, address, inside) +
    set(
      'ipv6AddressesSet',
      address.ipv6.map((ip) => el('ipv6Address', ip)),
    ) +
    set('privateIpAddressesSet', [
      el('privateIpAddress', address.privateIp) +
        el('privateDnsName', privateDns(region, address.privateIp)) +
        el('primary', true) +
        associationXml(region, address, inside),
    ]) +
    (inside === 'listing' ? listed : '')
  );
}

function attachmentXml(region: Region, attachment: InterfaceAttachment, inside: 'listing' | 'instance'): string {
  const owner =
    el('instanceId', attachment.instanceId || undefined) +
    el('instanceOwnerId', attachment.instanceId ? region.account : 'amazon-aws');
  return (
    el('attachmentId', attachment.id) +
    (inside === 'listing' ? owner : '') +
    el('deviceIndex', attachment.deviceIndex) +
    el('networkCardIndex', 0) +
    el('status', 'attached') +
    el('attachTime', time(attachment.at)) +
    el('deleteOnTermination', attachment.deleteOnTermination)
  );
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceNetworkInterfaceAssociation.html has no ids. */
function associationXml(
  region: Region,
  { publicIp, elastic }: NetworkInterface['address'],
  inside: 'listing' | 'instance',
): string {
  if (publicIp === undefined) return '';
  const ids = el('allocationId', elastic?.allocationId) + el('associationId', elastic?.associationId);
  return wrap(
    'association',
    el('publicIp', publicIp) +
      el('publicDnsName', publicDns(region, publicIp)) +
      el('ipOwnerId', elastic === undefined ? 'amazon' : region.account) +
      (inside === 'listing' ? ids : ''),
  );
}

export function groupSet(region: Region, ids: readonly string[]): string {
  return set(
    'groupSet',
    ids.map((id) => el('groupId', id) + el('groupName', region.groups.get(id)?.name ?? '')),
  );
}

export function privateDns(region: Region, ip: string): string {
  return `ip-${ip.replaceAll('.', '-')}.${region.name}.compute.internal`;
}

export function publicDns(region: Region, ip: string): string {
  return `ec2-${ip.replaceAll('.', '-')}.${region.name}.compute.amazonaws.com`;
}

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
