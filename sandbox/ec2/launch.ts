import { type Context, dryRun } from './action.ts';
import { refused, required } from './errors.ts';
import { ID, target, wellFormed } from './ids.ts';
import { beginStart, checkedCredits, checkedType, checkOffered, dieAtBoot } from './instance.ts';
import { associateProfile } from './instance-profile.ts';
import { checkedGroups, freeAddressCount, launchInterface, noAddresses } from './network-interface.ts';
import { flag, type Input, integer, list, record, text } from './query.ts';
import type { Disk, Image, Instance, InstanceSettings, Subnet, Tags } from './records.ts';
import { freshId, type Region } from './region.ts';
import { specifiedTags, tagField } from './tags.ts';
import { type DiskOrder, diskOf } from './volume.ts';

interface LaunchPlan {
  readonly image: Image;
  readonly subnet: Subnet;
  readonly nic: {
    readonly groups: readonly string[];
    readonly privateIp: string | undefined;
    readonly publicIp: boolean;
    readonly deleteOnTermination: boolean;
    readonly description: string;
  };
  readonly disks: readonly { readonly device: string; readonly disk: Disk; readonly deleteOnTermination: boolean }[];
  readonly tags: { readonly instance: Tags; readonly volume: Tags; readonly networkInterface: Tags };
  readonly count: number;
}

/** Checks the whole order first, then launches: a refused launch leaves nothing behind. */
export function launch(context: Context, input: LaunchInput): readonly Instance[] {
  const plan = planned(context.region, input);
  const type = checkedType(input.InstanceType);
  // why: no machine of the sandbox meets what hibernation asks for: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
  if (input.HibernationOptions?.Configured === true)
    throw refused(
      'UnsupportedHibernationConfiguration',
      'The instance does not meet the prerequisites of hibernation.',
    );
  checkOffered(type, plan.subnet.zone, context.region.zones);
  const settings = settingsOf(input, plan.nic.publicIp);
  const reservationId = freshId(context.region, 'r');
  return Array.from({ length: plan.count }, (_, index) => {
    const { region } = context;
    const id = freshId(region, 'i');
    const { subnet } = plan;
    const place = {
      subnetId: subnet.id,
      vpcId: subnet.vpcId,
      zone: subnet.zone,
      tenancy: input.Placement?.Tenancy ?? 'default',
    };
    const instance: Instance = {
      id,
      tags: plan.tags.instance,
      launch: {
        reservationId,
        index,
        imageId: plan.image.id,
        clientToken: input.ClientToken ?? '',
        place,
        keyName: input.KeyName,
      },
      size: { type, ebsOptimized: input.EbsOptimized ?? false },
      power: { state: 'pending', reason: undefined, since: context.now, startedAt: context.now },
      parts: { interfaceIds: [attachInterface(context, plan, id)], volumeIds: attachDisks(context, plan, id) },
      settings,
    };
    if (input.IamInstanceProfile) associateProfile(context, id, input.IamInstanceProfile);
    const { broken } = plan.image;
    if (typeof broken === 'object') dieAtBoot(region, id, context.now + broken.diesAfterMs);
    return beginStart(region, instance, context.now);
  });
}

function planned(region: Region, input: LaunchInput): LaunchPlan {
  const makes = ['instance', 'volume', 'network-interface', 'spot-instances-request'];
  const image = imageOf(region, input);
  const subnet = subnetOf(region, input);
  const nic = nicOf(region, subnet, input);
  return {
    image,
    subnet,
    nic,
    disks: disksOf(image, input.BlockDeviceMapping ?? []),
    tags: {
      instance: specifiedTags(input.TagSpecification, 'instance', makes),
      volume: specifiedTags(input.TagSpecification, 'volume', makes),
      networkInterface: specifiedTags(input.TagSpecification, 'network-interface', makes),
    },
    count: countOf(region, subnet, input),
  };
}

function imageOf(region: Region, input: LaunchInput): Image {
  const id = wellFormed(ID.image, required(input.ImageId, 'ImageId'));
  const image = region.images.get(id);
  if (!image) throw ID.image.notFound([id]);
  return image;
}

function subnetOf(region: Region, input: LaunchInput): Subnet {
  const nics = input.NetworkInterface ?? [];
  if (nics.length > 1)
    throw refused('UnsupportedOperation', 'The sandbox launches instances with one network interface.');
  if (nics.length > 0 && input.SubnetId !== undefined) {
    throw refused(
      'InvalidParameterCombination',
      'Network interfaces and an instance-level subnet ID may not be specified on the same request',
    );
  }
  if (nics.length > 0 && input.SecurityGroupId?.length) {
    throw refused(
      'InvalidParameterCombination',
      'Network interfaces and instance-level security groups may not be specified on the same request',
    );
  }
  const zone = zoneAsked(input);
  const subnet = target(
    region.subnets,
    ID.subnet,
    nics[0]?.SubnetId ?? input.SubnetId ?? defaultSubnet(region, zone),
    'subnetId',
  );
  if (zone !== undefined && zone !== subnet.zone)
    throw refused(
      'InvalidParameterValue',
      `The availability zone '${zone}' does not match that of subnet '${subnet.id}'`,
    );
  return subnet;
}

/**
 * A launch that names a zone, or a subnet, is idempotent in that zone; any other in the Region. So one token makes other machines in
 * another zone: https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html#run-instances-idempotency
 */
export function zoneNamed(region: Region, input: LaunchInput): string | undefined {
  const subnet = input.NetworkInterface?.[0]?.SubnetId ?? input.SubnetId;
  return zoneAsked(input) ?? region.subnets.get(subnet ?? '')?.zone;
}

function defaultSubnet(region: Region, zone: string | undefined): string {
  for (const subnet of region.subnets.values())
    if (subnet.defaultForAz && (zone ?? subnet.zone) === subnet.zone) return subnet.id;
  throw refused('MissingInput', 'No subnets found for the default VPC. Please specify a subnet.');
}

function nicOf(region: Region, subnet: Subnet, input: LaunchInput): LaunchPlan['nic'] {
  const nic = input.NetworkInterface?.[0];
  if (nic && (nic.DeviceIndex ?? 0) !== 0)
    throw refused('InvalidParameterCombination', 'You must specify a network interface with device index 0');
  const privateIp = nic ? nic.PrivateIpAddress : input.PrivateIpAddress;
  if (privateIp !== undefined && (input.MaxCount ?? 1) > 1) {
    throw refused(
      'InvalidParameterCombination',
      'You may not specify a private IP address when launching more than one instance',
    );
  }
  return {
    groups: checkedGroups(
      region,
      { vpcId: subnet.vpcId, subnetId: subnet.id },
      nic ? nic.SecurityGroupId : input.SecurityGroupId,
    ),
    privateIp,
    publicIp: nic?.AssociatePublicIpAddress ?? subnet.onLaunch.publicIp,
    deleteOnTermination: nic?.DeleteOnTermination ?? true,
    description: nic?.Description ?? '',
  };
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_BlockDeviceMapping.html: what is not said comes from the image. */
function disksOf(image: Image, mappings: readonly DeviceInput[]): LaunchPlan['disks'] {
  const root = mappings.find((mapping) => mapping.DeviceName === image.rootDevice);
  const others = mappings.filter((mapping) => mapping !== root && mapping.NoDevice === undefined);
  return [
    diskFor(image, image.rootDevice, root, image.rootSize),
    ...others.map((mapping) => diskFor(image, required(mapping.DeviceName, 'deviceName'), mapping)),
  ];
}

function diskFor(
  image: Image,
  device: string,
  mapping: DeviceInput | undefined,
  smallest?: number,
): LaunchPlan['disks'][number] {
  const ebs = mapping?.Ebs;
  const size = ebs?.VolumeSize ?? smallest;
  const snapshotId = smallest === undefined ? (ebs?.SnapshotId ?? '') : `snap-${image.id.slice(4)}`;
  if (size === undefined)
    throw refused('InvalidBlockDeviceMapping', `Invalid device name ${device}: a volume needs a size or a snapshot`);
  if (smallest !== undefined && size < smallest) {
    throw refused(
      'InvalidBlockDeviceMapping',
      `Volume of size ${size}GB is smaller than snapshot '${snapshotId}', expect size >= ${smallest}GB`,
    );
  }
  const order: DiskOrder = {
    size,
    type: ebs?.VolumeType ?? (smallest === undefined ? 'gp2' : 'gp3'),
    iops: ebs?.Iops,
    throughput: ebs?.Throughput,
    encrypted: ebs?.Encrypted,
    snapshotId,
  };
  return { device, disk: diskOf(order), deleteOnTermination: ebs?.DeleteOnTermination ?? true };
}

function countOf(region: Region, subnet: Subnet, input: LaunchInput): number {
  const min = required(input.MinCount, 'MinCount');
  const max = required(input.MaxCount, 'MaxCount');
  if (min < 1 || max < 1)
    throw refused('InvalidParameterValue', `Value (${min}) for parameter minCount is invalid. It must be at least 1.`);
  if (min > max)
    throw refused(
      'InvalidParameterValue',
      `Value (${max}) for parameter maxCount is invalid. It must not be less than minCount.`,
    );
  const quota =
    region.quotas.instances -
    [...region.instances.values()].filter((instance) => instance.power.state !== 'terminated').length;
  if (quota < min)
    throw refused(
      'InstanceLimitExceeded',
      `You have requested more instances (${min}) than your current instance limit of ${region.quotas.instances} allows for the specified instance type.`,
    );
  const free = freeAddressCount(region, subnet);
  if (free < min) throw noAddresses(subnet);
  return Math.min(max, quota, free);
}

/** An empty zone is none: Terraform sends one. */
const zoneAsked = ({ Placement }: LaunchInput): string | undefined =>
  Placement?.AvailabilityZone === '' ? undefined : Placement?.AvailabilityZone;

function settingsOf(input: LaunchInput, publicIp: boolean): InstanceSettings {
  const metadata = input.MetadataOptions;
  return {
    userData: checkedUserData(input.UserData),
    protect: { termination: input.DisableApiTermination ?? false, stop: input.DisableApiStop ?? false },
    onShutdown: input.InstanceInitiatedShutdownBehavior ?? 'stop',
    metadata: {
      tokens: metadata?.HttpTokens ?? 'optional',
      hops: metadata?.HttpPutResponseHopLimit ?? 1,
      endpoint: metadata?.HttpEndpoint ?? 'enabled',
      tags: metadata?.InstanceMetadataTags ?? 'disabled',
    },
    monitoring: input.Monitoring?.Enabled ?? false,
    credits: checkedCredits(checkedType(input.InstanceType), input.CreditSpecification?.CpuCredits),
    publicIp,
  };
}

function attachInterface({ region, now }: Context, { subnet, nic, tags }: LaunchPlan, instanceId: string): string {
  const attachment = {
    instanceId,
    deviceIndex: 0,
    deleteOnTermination: nic.deleteOnTermination,
    at: now,
    description: nic.description,
  };
  return launchInterface(region, {
    subnet,
    groups: nic.groups,
    privateIp: nic.privateIp,
    publicIp: false,
    tags: tags.networkInterface,
    attachment,
  }).id;
}

function attachDisks(
  { region, now }: Context,
  { disks, subnet, tags }: LaunchPlan,
  instanceId: string,
): readonly string[] {
  return disks.map(({ device, disk, deleteOnTermination }) => {
    const attachment = { instanceId, device, deleteOnTermination, at: now };
    return region.volumes.put({
      id: freshId(region, 'vol'),
      tags: tags.volume,
      zone: subnet.zone,
      createdAt: now,
      disk,
      attachment,
      modification: undefined,
    }).id;
  });
}

const interfaceShape = record({
  DeviceIndex: integer,
  NetworkCardIndex: integer,
  SubnetId: text,
  SecurityGroupId: list(text),
  AssociatePublicIpAddress: flag,
  DeleteOnTermination: flag,
  Description: text,
  PrivateIpAddress: text,
  InterfaceType: text,
});

const deviceShape = record({
  DeviceName: text,
  NoDevice: text,
  Ebs: record({
    VolumeSize: integer,
    VolumeType: text,
    Iops: integer,
    Throughput: integer,
    Encrypted: flag,
    KmsKeyId: text,
    SnapshotId: text,
    DeleteOnTermination: flag,
  }),
});

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html, as far as the sandbox models it. */
export const launchFields = {
  ...dryRun,
  ...tagField,
  ClientToken: text,
  ImageId: text,
  InstanceType: text,
  MinCount: integer,
  MaxCount: integer,
  KeyName: text,
  SubnetId: text,
  SecurityGroupId: list(text),
  PrivateIpAddress: text,
  NetworkInterface: list(interfaceShape),
  BlockDeviceMapping: list(deviceShape),
  UserData: text,
  IamInstanceProfile: record({ Arn: text, Name: text }),
  MetadataOptions: record({
    HttpTokens: text,
    HttpPutResponseHopLimit: integer,
    HttpEndpoint: text,
    HttpProtocolIpv6: text,
    InstanceMetadataTags: text,
  }),
  CreditSpecification: record({ CpuCredits: text }),
  HibernationOptions: record({ Configured: flag }),
  Monitoring: record({ Enabled: flag }),
  Placement: record({ AvailabilityZone: text, Tenancy: text }),
  DisableApiTermination: flag,
  DisableApiStop: flag,
  InstanceInitiatedShutdownBehavior: text,
  EbsOptimized: flag,
} as const;

type LaunchInput = Input<typeof launchFields>;

type DeviceInput = NonNullable<LaunchInput['BlockDeviceMapping']>[number];

/** https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-add-user-data.html: 16 KB before encoding */
const MAX_BYTES = 16_384;

/** User data travels in base64 and is kept so. */
export function checkedUserData(base64: string | undefined): string | undefined {
  if (base64 === undefined || base64 === '') return undefined;
  const compact = base64.replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact) || compact.length % 4 === 1)
    throw refused('InvalidUserData.Malformed', 'Invalid BASE64 encoding of user data.');
  const bytes = Buffer.from(compact, 'base64').length;
  if (bytes > MAX_BYTES) throw refused('InvalidParameterValue', `User data is limited to ${MAX_BYTES} bytes`);
  return compact;
}
