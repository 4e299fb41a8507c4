import { groupSet, interfaceXml, privateDns, publicDns } from './interface-xml.ts';
import { STATE_CODE } from './power.ts';
import type { Instance, InstanceSettings, NetworkInterface } from './records.ts';
import { interfacesSeen, type Region } from './region.ts';
import { tagSet } from './tags.ts';
import { el, set, time, wrap } from './wire/xml.ts';

export function stateXml(name: string, state: Instance['power']['state']): string {
  return wrap(name, el('code', STATE_CODE[state]) + el('name', state));
}

/** Instances as reservations: neighbours of one launch come back as one. */
export function reservationsXml(region: Region, instances: readonly Instance[]): readonly string[] {
  const reservations = new Map<string, Instance[]>();
  for (const instance of instances) {
    const together = reservations.get(instance.launch.reservationId);
    if (together) together.push(instance);
    else reservations.set(instance.launch.reservationId, [instance]);
  }
  return [...reservations].map(([id, members]) => reservationXml(region, id, members));
}

export function reservationXml(region: Region, id: string, members: readonly Instance[]): string {
  return (
    el('reservationId', id) +
    el('ownerId', region.account) +
    '<groupSet/>' +
    set(
      'instancesSet',
      members.map((member) => instanceXml(region, member)),
    )
  );
}

function instanceXml(region: Region, instance: Instance): string {
  const { launch, power, settings, size } = instance;
  const nics = interfacesSeen(region, instance.parts.interfaceIds);
  const image = region.images.get(launch.imageId);
  return (
    el('instanceId', instance.id) +
    el('imageId', launch.imageId) +
    stateXml('instanceState', power.state) +
    addressesXml(region, nics[0]) +
    el('reason', power.reason?.transition ?? '') +
    el('keyName', launch.keyName) +
    el('amiLaunchIndex', launch.index) +
    '<productCodes/>' +
    el('instanceType', size.type) +
    el('launchTime', time(power.startedAt)) +
    wrap(
      'placement',
      `${el('availabilityZone', launch.place.zone)}<groupName/>${el('tenancy', launch.place.tenancy)}`,
    ) +
    wrap('monitoring', el('state', settings.monitoring ? 'enabled' : 'disabled')) +
    (nics[0] ? el('subnetId', launch.place.subnetId) + el('vpcId', launch.place.vpcId) : '') +
    groupSet(region, nics[0]?.groups ?? []) +
    el('sourceDestCheck', nics[0]?.requester.sourceDestCheck) +
    (power.reason ? wrap('stateReason', el('code', power.reason.code) + el('message', power.reason.message)) : '') +
    el('architecture', image?.architecture ?? 'x86_64') +
    el('rootDeviceType', 'ebs') +
    el('rootDeviceName', image?.rootDevice ?? '/dev/xvda') +
    set(
      'blockDeviceMapping',
      instance.parts.volumeIds.map((id) => deviceXml(region, id)),
    ) +
    el('virtualizationType', 'hvm') +
    el('hypervisor', 'xen') +
    el('clientToken', launch.clientToken) +
    tagSet(instance.tags) +
    set(
      'networkInterfaceSet',
      nics.map((nic) => interfaceXml(region, nic, 'instance')),
    ) +
    profileXml(region, instance.id) +
    el('ebsOptimized', size.ebsOptimized) +
    el('enaSupport', true) +
    metadataXml(settings.metadata) +
    el('platformDetails', 'Linux/UNIX') +
    el('usageOperation', 'RunInstances')
  );
}

function addressesXml(region: Region, nic: NetworkInterface | undefined): string {
  if (!nic) return '<privateDnsName/><dnsName/>';
  const { privateIp, publicIp } = nic.address;
  return (
    el('privateDnsName', privateDns(region, privateIp)) +
    el('dnsName', publicIp ? publicDns(region, publicIp) : '') +
    el('privateIpAddress', privateIp) +
    el('ipAddress', publicIp)
  );
}

export function deviceXml(region: Region, volumeId: string): string {
  const attachment = region.volumes.get(volumeId)?.attachment;
  if (!attachment) return '';
  const ebs =
    el('volumeId', volumeId) +
    el('status', 'attached') +
    el('attachTime', time(attachment.at)) +
    el('deleteOnTermination', attachment.deleteOnTermination);
  return el('deviceName', attachment.device) + wrap('ebs', ebs);
}

function profileXml(region: Region, instanceId: string): string {
  for (const { profile, state } of region.profiles.of(instanceId)) {
    if (state === 'associated') return wrap('iamInstanceProfile', el('arn', profile.arn) + el('id', profile.profileId));
  }
  return '';
}

function metadataXml(metadata: InstanceSettings['metadata']): string {
  return wrap(
    'metadataOptions',
    el('state', 'applied') +
      el('httpTokens', metadata.tokens) +
      el('httpPutResponseHopLimit', metadata.hops) +
      el('httpEndpoint', metadata.endpoint) +
      el('httpProtocolIpv6', 'disabled') +
      el('instanceMetadataTags', metadata.tags),
  );
}
