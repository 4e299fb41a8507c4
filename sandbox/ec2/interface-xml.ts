import type { InterfaceAttachment, NetworkInterface } from './records.ts';
import type { Region } from './region.ts';
import { tagSet } from './tags.ts';
import { el, set, time, wrap } from './wire/xml.ts';

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
    associationXml(region, address.publicIp) +
    set(
      'ipv6AddressesSet',
      address.ipv6.map((ip) => el('ipv6Address', ip)),
    ) +
    set('privateIpAddressesSet', [
      el('privateIpAddress', address.privateIp) +
        el('privateDnsName', privateDns(region, address.privateIp)) +
        el('primary', true) +
        associationXml(region, address.publicIp),
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

function associationXml(region: Region, publicIp: string | undefined): string {
  return publicIp === undefined
    ? ''
    : wrap(
        'association',
        el('publicIp', publicIp) + el('publicDnsName', publicDns(region, publicIp)) + el('ipOwnerId', 'amazon'),
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
