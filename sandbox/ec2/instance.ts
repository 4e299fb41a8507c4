import { refused } from './errors.ts';
import type { FilterTable } from './listing.ts';
import { freshPublicIp, groupSet, interfaceXml, privateDns, publicDns, removeInterface } from './network-interface.ts';
import type { Instance, InstanceSettings, NetworkInterface, Power, StateReason } from './records.ts';
import { interfacesSeen, type Region } from './region.ts';
import { tagSet } from './tags.ts';
import { el, set, time, wrap } from './xml.ts';

/** The families that a region of the sandbox has: https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-types.html */
const FAMILIES: ReadonlySet<string> = new Set(
  't1 t2 t3 t3a t4g m1 m3 m4 m5 m5a m6a m6g m6i m7a m7g m7i c1 c3 c4 c5 c5a c6a c6g c6i c7a c7g c7i r3 r4 r5 r5a r6a r6g r6i r7g r7i x1 x1e i2 i3 i4i d2 d3 g4dn g5 p3 p4d p5 inf2'.split(
    ' ',
  ),
);

/** "not all instance types are available in every zone"; here the rare ones are in the first zone alone: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-discovery.html */
const FIRST_ZONE_ALONE: ReadonlySet<string> = new Set(['p3', 'p4d', 'p5', 'x1e', 'inf2']);

const SIZES = 'nano micro small medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge metal'.split(
  ' ',
);

/** Every type that the sandbox knows. */
export const TYPES: readonly string[] = [...FAMILIES].flatMap((family) => SIZES.map((size) => `${family}.${size}`));

const known: ReadonlySet<string> = new Set(TYPES);

const familyOf = (type: string): string => type.slice(0, type.indexOf('.'));

/** Zones of `zones` that offer the type; none where nobody knows it. */
export function zonesOffering(type: string, zones: readonly string[]): readonly string[] {
  if (!known.has(type)) return [];
  return FIRST_ZONE_ALONE.has(familyOf(type)) ? zones.slice(0, 1) : zones;
}

/** EC2's default is m1.small: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html */
export function checkedType(type = 'm1.small'): string {
  if (!known.has(type)) throw refused('InvalidParameterValue', `Invalid value '${type}' for InstanceType.`);
  return type;
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html: Unsupported */
export function checkOffered(type: string, zone: string, zones: readonly string[]): void {
  const offering = zonesOffering(type, zones);
  if (offering.includes(zone)) return;
  throw refused(
    'Unsupported',
    `Your requested instance type (${type}) is not supported in your requested Availability Zone (${zone}). Please retry your request by not specifying an Availability Zone or choosing ${offering.join(', ')}.`,
  );
}

/** "burstable performance instances are the T4g, T3a, T3, and T2 instance types": https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/burstable-performance-instances.html */
export const isBurstable = (type: string): boolean => /^t(?:2|3a?|4g)\./.test(type);

/**
 * The credit option: "Default: standard (T2 instances) or unlimited (T3/T3a/T4g instances)". Undefined for other types.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreditSpecificationRequest.html
 */
export function checkedCredits(type: string, asked?: string): string | undefined {
  if (asked !== undefined && asked !== 'standard' && asked !== 'unlimited')
    throw refused('InvalidParameterValue', `Invalid value '${asked}' for CpuCredits.`);
  if (!isBurstable(type)) {
    if (asked === undefined) return undefined;
    throw refused('InvalidParameterCombination', `The CPU credit option is not supported for ${type}.`);
  }
  return asked ?? (type.startsWith('t2.') ? 'standard' : 'unlimited');
}

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

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstances.html, as far as the sandbox models it. */
export function instanceFilters(region: Region): FilterTable<Instance> {
  const nics = (instance: Instance): readonly NetworkInterface[] => interfacesSeen(region, instance.parts.interfaceIds);
  const groups = (instance: Instance): readonly string[] => nics(instance).flatMap((nic) => nic.groups);
  const groupNames = (instance: Instance): readonly (string | undefined)[] =>
    groups(instance).map((id) => region.groups.get(id)?.name);
  const vpc = (instance: Instance): readonly (string | undefined)[] => [nics(instance)[0]?.place.vpcId];
  const subnet = (instance: Instance): readonly (string | undefined)[] => [nics(instance)[0]?.place.subnetId];
  return {
    'instance-id': (instance) => [instance.id],
    'instance-state-name': (instance) => [instance.power.state],
    'instance-state-code': (instance) => [String(STATE_CODE[instance.power.state])],
    'instance-type': (instance) => [instance.size.type],
    'image-id': (instance) => [instance.launch.imageId],
    'key-name': (instance) => [instance.launch.keyName],
    'client-token': (instance) => [instance.launch.clientToken],
    'launch-index': (instance) => [String(instance.launch.index)],
    'launch-time': (instance) => [time(instance.power.startedAt)],
    'reservation-id': (instance) => [instance.launch.reservationId],
    'owner-id': () => [region.account],
    'availability-zone': (instance) => [instance.launch.place.zone],
    tenancy: (instance) => [instance.launch.place.tenancy],
    'vpc-id': vpc,
    'subnet-id': subnet,
    'network-interface.vpc-id': vpc,
    'network-interface.subnet-id': subnet,
    'network-interface.network-interface-id': (instance) => nics(instance).map((nic) => nic.id),
    'network-interface.group-id': groups,
    'group-id': groups,
    'instance.group-id': groups,
    'instance.group-name': groupNames,
    'group-name': groupNames,
    'private-ip-address': (instance) => nics(instance).map((nic) => nic.address.privateIp),
    'private-dns-name': (instance) => nics(instance).map((nic) => privateDns(region, nic.address.privateIp)),
    'ip-address': (instance) => nics(instance).map((nic) => nic.address.publicIp),
    'iam-instance-profile.arn': (instance) =>
      [...region.profiles.of(instance.id)].map((association) => association.profile.arn),
    'block-device-mapping.volume-id': (instance) => instance.parts.volumeIds,
    'root-device-type': () => ['ebs'],
  };
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceState.html */
export const STATE_CODE: Readonly<Record<Power, number>> = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
};

/** An instance begins to start; on the region's clock it will be running. */
export function beginStart(region: Region, instance: Instance, now: number): Instance {
  const next = region.instances.put({
    ...instance,
    power: { state: 'pending', reason: undefined, since: now, startedAt: now },
  });
  if (instance.settings.publicIp) setPublicIp(region, instance, freshPublicIp(region));
  region.timeline.schedule(now + region.durations.start, () => step(region, instance.id, 'pending', 'running'));
  return next;
}

export function beginStop(region: Region, instance: Instance, now: number): Instance {
  const reason = userInitiated(now);
  const next = region.instances.put({
    ...instance,
    power: { ...instance.power, state: 'stopping', reason, since: now },
  });
  region.timeline.schedule(now + region.durations.stop, () => {
    if (step(region, instance.id, 'stopping', 'stopped')) setPublicIp(region, instance, undefined);
  });
  return next;
}

/**
 * A machine that cannot boot, as from a snapshot that is lost or cannot be decrypted, goes from pending to terminated by itself.
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/troubleshooting-launch.html#troubleshooting-launch-internal
 */
export function dieAtBoot(region: Region, id: string, at: number): void {
  region.timeline.schedule(at, () => {
    const instance = region.instances.get(id);
    if (instance?.power.state === 'pending' || instance?.power.state === 'running')
      beginTerminate(region, instance, at, launchError);
  });
}

const launchError: StateReason = {
  code: 'Client.InternalError',
  message: 'Client.InternalError: Client error on launch',
  transition: 'Client.InternalError: Client error on launch',
};

export function beginTerminate(
  region: Region,
  instance: Instance,
  now: number,
  reason: StateReason = userInitiated(now),
): Instance {
  const next = region.instances.put({
    ...instance,
    power: { ...instance.power, state: 'shutting-down', reason, since: now },
  });
  region.timeline.schedule(now + region.durations.terminate, () => {
    if (!step(region, instance.id, 'shutting-down', 'terminated')) return;
    releaseParts(region, instance.id);
    region.timeline.schedule(now + region.durations.terminate + region.durations.terminatedListed, () =>
      region.instances.remove(instance.id),
    );
  });
  return next;
}

/** Takes the step only if the instance is still where it began: a later order wins. */
function step(region: Region, id: string, from: Power, to: Power): boolean {
  const instance = region.instances.get(id);
  if (instance?.power.state !== from) return false;
  region.instances.put({ ...instance, power: { ...instance.power, state: to } });
  return true;
}

function setPublicIp(region: Region, { parts }: Instance, publicIp: string | undefined): void {
  const eni = region.interfaces.get(parts.interfaceIds[0] ?? '');
  // why: an elastic address stays while its machine stops and starts
  if (eni && eni.address.elastic === undefined)
    region.interfaces.put({ ...eni, address: { ...eni.address, publicIp } });
}

function releaseParts(region: Region, id: string): void {
  const instance = region.instances.get(id);
  if (!instance) return;
  for (const eniId of instance.parts.interfaceIds) {
    const eni = region.interfaces.get(eniId);
    if (eni?.attachment?.deleteOnTermination) removeInterface(region, eni);
    else if (eni)
      region.interfaces.put({
        ...eni,
        attachment: undefined,
        address: { ...eni.address, publicIp: eni.address.elastic && eni.address.publicIp },
      });
  }
  for (const volumeId of instance.parts.volumeIds) {
    const volume = region.volumes.get(volumeId);
    if (volume?.attachment?.deleteOnTermination) region.volumes.remove(volumeId);
    else if (volume) region.volumes.put({ ...volume, attachment: undefined });
  }
  for (const association of region.profiles.of(id)) region.profiles.remove(association.id);
  region.instances.put({ ...instance, parts: { interfaceIds: [], volumeIds: [] } });
}

function userInitiated(now: number): StateReason {
  const when = new Date(now).toISOString().replace('T', ' ').slice(0, 19);
  return {
    code: 'Client.UserInitiatedShutdown',
    message: 'Client.UserInitiatedShutdown: User initiated shutdown',
    transition: `User initiated (${when} GMT)`,
  };
}
