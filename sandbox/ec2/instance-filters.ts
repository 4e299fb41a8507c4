import type { FilterTable } from './filters.ts';
import { privateDns } from './interface-xml.ts';
import { STATE_CODE } from './power.ts';
import type { Instance, NetworkInterface } from './records.ts';
import { interfacesSeen, type Region } from './region.ts';
import { time } from './wire/xml.ts';

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
