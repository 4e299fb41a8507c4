import type { Instance, Volume } from '@aws-sdk/client-ec2';
import type { Condition, DataDisk, Observed, Part, Setting } from '../../../src/core/observed.ts';
import type { InstanceAttributes, MachineSettings } from '../../../src/core/resource.ts';
import { inexpressibleOf } from '../inexpressible.ts';
import { readExtra, readFirst, readMark } from '../marks.ts';
import { originOf } from '../origin.ts';
import { nameIn, readLabels, type Tag } from '../tags.ts';

/** An instance from its description; its volume supplies the disk's size and type. */
export interface Seen {
  readonly observed: Observed<'instance'>;
  readonly rootVolume?: string;
}

export const diskPart = 'disk';

/** Pure: converts an instance of DescribeInstances or RunInstances into normalised form. */
export function observeInstance(instance: Instance): Seen {
  const mark = readMark(instance.Tags, instance.AmiLaunchIndex);
  const origin = mark ? undefined : originOf(instance.Tags);
  const first = readFirst(instance.Tags);
  const root = rootVolumeOf(instance);
  const unstated = unstatedOf(instance);
  const dataDisks = dataDisksOf(instance, root);
  const observed: Observed<'instance'> = {
    kind: 'instance',
    id: instance.InstanceId ?? '',
    name: nameIn(instance.Tags),
    attributes: attributesOf(instance),
    signs: { ...(mark ? { mark } : {}), ...(first === undefined ? {} : { first }), ...(origin ? { origin } : {}) },
    condition: {
      state: stateOf(instance),
      ...endOf(instance),
      parts: partsOf(instance, root),
      ...(unstated.length > 0 ? { unstated } : {}),
      ...inexpressibleOf.instance(instance),
      ...ephemeralOf(instance),
      ...(dataDisks.length > 0 ? { dataDisks } : {}),
      ...(instance.PrivateIpAddress === undefined ? {} : { assigned: ['privateIp'] }),
    },
  };
  const dead = observed.condition.state === 'gone' || observed.condition.state === 'deleting';
  return { observed, rootVolume: dead ? undefined : root };
}

export function withDisk({ observed, rootVolume }: Seen, volumes: ReadonlyMap<string, Volume>): Observed<'instance'> {
  const volume = volumes.get(rootVolume ?? '');
  if (!volume) return observed;
  const disk = {
    ...(volume.Size === undefined ? {} : { size: volume.Size }),
    ...(volume.VolumeType === undefined ? {} : { type: volume.VolumeType }),
    encrypted: volume.Encrypted === true,
  };
  return { ...observed, attributes: { ...observed.attributes, disk } };
}

function attributesOf(instance: Instance): InstanceAttributes {
  const zone = instance.Placement?.AvailabilityZone;
  const identity = profileName(instance.IamInstanceProfile?.Arn);
  const boot = bootOf(instance.Tags);
  return {
    placement: {
      subnet: instance.SubnetId ?? '',
      ...(zone === undefined ? {} : { zone }),
      publicIp: hasPublicIp(instance),
    },
    groups: groupsOf(instance),
    machine: {
      image: instance.ImageId ?? '',
      size: instance.InstanceType ?? '',
      ...(identity === undefined ? {} : { identity }),
      power: powerOf(instance),
    },
    ...(boot === undefined ? {} : { boot }),
    settings: settingsOf(instance),
    labels: readLabels(instance.Tags),
  };
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Instance.html */
function settingsOf(instance: Instance): MachineSettings {
  const { KeyName, InstanceLifecycle, MetadataOptions, PrivateIpAddress } = instance;
  const elastic = elasticAddressOf(instance);
  return {
    ...(KeyName === undefined ? {} : { keyPair: KeyName }),
    spot: InstanceLifecycle === 'spot',
    ipForwarding: isUnchecked(instance),
    // why: an answer without these options means their default
    metadataTokens: MetadataOptions?.HttpTokens === 'required' ? 'required' : 'optional',
    ...(PrivateIpAddress === undefined ? {} : { privateIp: PrivateIpAddress }),
    ...(elastic === undefined ? {} : { staticPublicIp: elastic }),
    dataDisks: dataDisksOf(instance, rootVolumeOf(instance)).map(({ id }) => id),
    interfaces: furtherInterfaces(instance),
  };
}

/** Of the primary private address. The owner of an address of the cloud's pool is `amazon`; see `hasPublicIp`. */
function elasticAddressOf({ NetworkInterfaces = [] }: Instance): string | undefined {
  const primary = NetworkInterfaces.find(({ Attachment }) => (Attachment?.DeviceIndex ?? 0) === 0);
  const { IpOwnerId, PublicIp } = primary?.Association ?? {};
  return isReserved(IpOwnerId) ? PublicIp : undefined;
}

const isReserved = (owner: string | undefined): boolean => owner !== undefined && owner !== 'amazon';

const furtherInterfaces = ({ NetworkInterfaces = [] }: Instance): readonly string[] =>
  NetworkInterfaces.filter(({ Attachment }) => (Attachment?.DeviceIndex ?? 0) > 0)
    .map(({ NetworkInterfaceId = '' }) => NetworkInterfaceId)
    .toSorted();

const isUnchecked = ({ SourceDestCheck, NetworkInterfaces = [] }: Instance): boolean =>
  SourceDestCheck === false || NetworkInterfaces.some(({ SourceDestCheck: checked }) => checked === false);

/** An instance's groups are those of its primary interface; either may be left out of an answer. */
function groupsOf({ SecurityGroups = [], NetworkInterfaces = [] }: Instance): readonly string[] {
  const primary = NetworkInterfaces.find(({ Attachment }) => Attachment?.DeviceIndex === 0);
  const groups = SecurityGroups.length > 0 ? SecurityGroups : (primary?.Groups ?? []);
  return groups.map(({ GroupId = '' }) => GroupId).sort();
}

/** States: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-lifecycle.html. A terminated one stays listed for about an hour. */
const states: Readonly<Record<string, Condition['state']>> = {
  pending: 'pending',
  running: 'ready',
  stopping: 'pending',
  stopped: 'ready',
  'shutting-down': 'deleting',
  terminated: 'gone',
};

/** A root on instance store is not even stopped: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ComponentsAMIs.html#storage-for-the-root-device */
function ephemeralOf({ RootDeviceType, InstanceType }: Instance): Pick<Condition, 'ephemeral'> {
  const ephemeral = RootDeviceType === 'instance-store' || hasInstanceStore(InstanceType ?? '');
  return ephemeral === undefined ? {} : { ephemeral };
}

const stateOf = ({ State }: Instance): Condition['state'] => states[State?.Name ?? ''] ?? 'pending';

/** Why it ended, in the words of EC2: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_StateReason.html */
function endOf({ State, StateReason }: Instance): Pick<Condition, 'reason'> {
  const reason = StateReason?.Message;
  const hasEnded = State?.Name === 'shutting-down' || State?.Name === 'terminated';
  return reason === undefined || !hasEnded ? {} : { reason };
}

const powerOf = ({ State }: Instance): 'running' | 'stopped' =>
  State?.Name === 'stopping' || State?.Name === 'stopped' ? 'stopped' : 'running';

/**
 * Checks for an address of the cloud's pool. Only a running machine shows one; for others the tag of the launch decides. An
 * elastic address takes its place and hides it: https://docs.aws.amazon.com/vpc/latest/userguide/vpc-eips.html
 * An association may be of a carrier's or a customer's address, and without a public one:
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceNetworkInterfaceAssociation.html
 */
function hasPublicIp(instance: Instance): boolean {
  const launched = readExtra(instance.Tags, 'public-ip') === 'true';
  const associations = (instance.NetworkInterfaces ?? []).flatMap(({ Association }) => Association ?? []);
  const addresses = associations.filter(({ PublicIp }) => PublicIp !== undefined);
  if (addresses.some(({ IpOwnerId }) => isReserved(IpOwnerId))) return launched;
  if (addresses.length > 0) return true;
  return instance.State?.Name === 'running' ? instance.PublicIpAddress !== undefined : launched;
}

/** `arn:aws:iam::111122223333:instance-profile/path/web` → `web`: names are unique in an account, whatever their path. */
const profileName = (arn: string | undefined): string | undefined => arn?.slice(arn.lastIndexOf('/') + 1);

/** Hashes are known of machines that we launched only; '' there means none. */
function bootOf(tags: readonly Tag[] | undefined): InstanceAttributes['boot'] {
  const userData = readExtra(tags, 'user-data');
  const access = readExtra(tags, 'access');
  if (userData === undefined && access === undefined) return undefined;
  return { ...(userData === undefined ? {} : { userData }), ...(access === undefined ? {} : { access }) };
}

const rootVolumeOf = ({ RootDeviceName, BlockDeviceMappings = [] }: Instance): string | undefined =>
  BlockDeviceMappings.find(({ DeviceName }) => DeviceName === RootDeviceName)?.Ebs?.VolumeId;

/**
 * Volumes besides the root. An image brings them, or somebody attached them; `DeleteOnTermination` decides:
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/preserving-volumes-on-termination.html
 */
const dataDisksOf = ({ BlockDeviceMappings = [] }: Instance, root: string | undefined): readonly DataDisk[] =>
  BlockDeviceMappings.flatMap(({ Ebs }) =>
    Ebs?.VolumeId === undefined || Ebs.VolumeId === root
      ? []
      : [{ id: Ebs.VolumeId, isDeletedWithMachine: Ebs.DeleteOnTermination !== false }],
  ).toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** In order of id, because the cloud's order has no meaning. */
function partsOf(
  { NetworkInterfaces = [], BlockDeviceMappings = [] }: Instance,
  root: string | undefined,
): readonly Part[] {
  const volumes = BlockDeviceMappings.flatMap(({ Ebs }) => (Ebs?.VolumeId === undefined ? [] : [Ebs.VolumeId]));
  const interfaces = NetworkInterfaces.flatMap(({ NetworkInterfaceId }) => NetworkInterfaceId ?? []);
  return [
    ...volumes.toSorted().map((id) => ({ part: id === root ? diskPart : 'volume', id })),
    ...interfaces.toSorted().map((id) => ({ part: 'network-interface', id })),
  ];
}

/**
 * Checks a size for instance store volumes, which a stop empties
 * (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-store-lifetime.html). DescribeInstances does not list them, so the
 * name of the size decides. Undefined: unknown; it may have some.
 *
 *   size                                        | instance store
 *   --------------------------------------------+-----------------------------------------------------------
 *   `d` behind the generation: m5d, c6gd, p4d   | yes: https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html
 *   storage optimized: i*, is*, im*, d*, h1     | yes: https://docs.aws.amazon.com/ec2/latest/instancetypes/so.html
 *   t*, a1, mac*, u-*; c, m, r from 4 on        | no: https://docs.aws.amazon.com/ec2/latest/instancetypes/gp.html, co.html, mo.html
 *   all others (x1, g5, trn1, c3, …)            | some have, so it is not known
 */
function hasInstanceStore(size: string): boolean | undefined {
  const [family = ''] = size.split('.');
  if (/^(?:mac|u-|t\d|a1$)/.test(family)) return false;
  const [, series = '', generation = '', options = ''] = /^([a-z]+)(\d+)([a-z]*)/.exec(family) ?? [];
  if (/^(?:i|is|im|d|h)$/.test(series) || options.includes('d')) return true;
  return /^[cmr]$/.test(series) && Number(generation) >= 4 ? false : undefined;
}

/**
 * Settings of a machine that no spec states and that open it to others, as DescribeInstances has them.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Instance.html
 *
 *   setting                  | told where
 *   -------------------------+-----------------------------------------------------------------------------------------------
 *   further interfaces       | there is one besides that of device index 0
 *   source/destination check | it is off
 *   Elastic IP address       | there is one: `publicIp` speaks of the address of the cloud's pool only
 *   IMDSv1                   | it answers, though the hop limit is not 1. Setpoint sends no metadata options, so the image asked for
 *                            | version 2 and a limit of 2, and somebody turned that off; an image that asks for nothing has 1:
 *                            | https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-IMDS-new-instances.html
 */
function unstatedOf(instance: Instance): readonly Setting[] {
  const { MetadataOptions } = instance;
  const { HttpTokens, HttpEndpoint, HttpPutResponseHopLimit: hops = 1 } = MetadataOptions ?? {};
  const answersV1 = HttpTokens === 'optional' && HttpEndpoint !== 'disabled' && hops > 1;
  return [
    ...furtherInterfaces(instance).map((id) => ({
      field: `interface ${id}`,
      detail: `has the further network interface ${id}`,
      statedBy: 'interfaces' as const,
    })),
    ...(isUnchecked(instance)
      ? [
          {
            field: 'sourceDestCheck',
            detail: 'has its source/destination check turned off',
            statedBy: 'ipForwarding' as const,
          },
        ]
      : []),
    ...elasticIn(instance),
    ...(answersV1
      ? [
          {
            field: 'metadataOptions',
            detail: `answers IMDSv1 (HttpTokens optional), with a hop limit of ${hops}`,
            statedBy: 'metadataTokens' as const,
          },
        ]
      : []),
  ];
}

function elasticIn(instance: Instance): readonly Setting[] {
  const address = elasticAddressOf(instance);
  if (address === undefined) return [];
  return [{ field: 'elastic address', detail: `has the Elastic IP address ${address}`, statedBy: 'staticPublicIp' }];
}
