import { dryRun } from './action.ts';
import { tagField } from './tag-fields.ts';
import { flag, integer, list, record, text } from './wire/fields.ts';
import type { Input } from './wire/shape.ts';

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

export type LaunchInput = Input<typeof launchFields>;

export type DeviceInput = NonNullable<LaunchInput['BlockDeviceMapping']>[number];
