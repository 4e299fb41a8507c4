import type { Instance, Subnet, Vpc } from '@aws-sdk/client-ec2';
import { type Inexpressible, inexpressibleIn, listed } from '../shared/inexpressible.ts';

/*
 * Settings that no document can state, where they differ from their default. The defaults are those of the creating call:
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html, API_CreateVpc.html, API_CreateSubnet.html
 */

const ofInstance: readonly Inexpressible<Instance>[] = [
  ['Placement.Tenancy', ({ Placement }) => otherThan('default', 'has the tenancy', Placement?.Tenancy)],
  ['Placement.GroupName', ({ Placement }) => listed('is in the placement group', [Placement?.GroupName])],
  ['Placement.HostId', ({ Placement }) => listed('is on the dedicated host', [Placement?.HostId])],
  [
    'CapacityReservationId',
    ({ CapacityReservationId }) => listed('uses the capacity reservation', [CapacityReservationId]),
  ],
  ['Monitoring', ({ Monitoring }) => (Monitoring?.State === 'enabled' ? 'has detailed monitoring' : undefined)],
  ['HibernationOptions', ({ HibernationOptions }) => (HibernationOptions?.Configured ? 'can hibernate' : undefined)],
  ['EnclaveOptions', ({ EnclaveOptions }) => (EnclaveOptions?.Enabled ? 'may run Nitro enclaves' : undefined)],
  [
    'CpuOptions.AmdSevSnp',
    ({ CpuOptions }) => (CpuOptions?.AmdSevSnp === 'enabled' ? 'has AMD SEV-SNP turned on' : undefined),
  ],
  [
    'MetadataOptions.HttpEndpoint',
    ({ MetadataOptions }) =>
      MetadataOptions?.HttpEndpoint === 'disabled' ? 'has its metadata service turned off' : undefined,
  ],
  [
    'MetadataOptions.InstanceMetadataTags',
    ({ MetadataOptions }) =>
      MetadataOptions?.InstanceMetadataTags === 'enabled' ? 'tells its tags by its metadata service' : undefined,
  ],
  [
    'MaintenanceOptions.AutoRecovery',
    ({ MaintenanceOptions }) =>
      MaintenanceOptions?.AutoRecovery === 'disabled' ? 'has its automatic recovery turned off' : undefined,
  ],
  ['Ipv6Addresses', (instance) => listed('has the IPv6 addresses', ipv6Of(instance))],
  ['PrivateIpAddresses', (instance) => listed('has the secondary private addresses', secondaryOf(instance))],
];

const primaryOf = ({ NetworkInterfaces = [] }: Instance) =>
  NetworkInterfaces.find(({ Attachment }) => Attachment?.DeviceIndex === 0);

const ipv6Of = (instance: Instance): readonly (string | undefined)[] =>
  (primaryOf(instance)?.Ipv6Addresses ?? []).map(({ Ipv6Address }) => Ipv6Address);

const secondaryOf = (instance: Instance): readonly (string | undefined)[] =>
  (primaryOf(instance)?.PrivateIpAddresses ?? [])
    .filter(({ Primary }) => Primary === false)
    .map(({ PrivateIpAddress }) => PrivateIpAddress);

const ofVpc: readonly Inexpressible<Vpc>[] = [
  ['InstanceTenancy', ({ InstanceTenancy }) => otherThan('default', 'has the tenancy', InstanceTenancy)],
  [
    'BlockPublicAccessStates',
    ({ BlockPublicAccessStates: states }) => otherThan('off', 'blocks public access', states?.InternetGatewayBlockMode),
  ],
];

const ofSubnet: readonly Inexpressible<Subnet>[] = [
  [
    'AssignIpv6AddressOnCreation',
    ({ AssignIpv6AddressOnCreation }) =>
      AssignIpv6AddressOnCreation ? 'gives each machine that is launched in it an IPv6 address' : undefined,
  ],
  ['EnableDns64', ({ EnableDns64 }) => (EnableDns64 ? 'answers DNS64' : undefined)],
  ['Ipv6Native', ({ Ipv6Native }) => (Ipv6Native ? 'has IPv6 only' : undefined)],
  ['OutpostArn', ({ OutpostArn }) => listed('is on the outpost', [OutpostArn])],
  [
    'PrivateDnsNameOptionsOnLaunch',
    ({ PrivateDnsNameOptionsOnLaunch: options }) =>
      options?.HostnameType === 'resource-name' ? 'names machines by their ids in DNS' : undefined,
  ],
];

const otherThan = (usual: string, words: string, value: string | undefined): string | undefined =>
  value === undefined || value === usual ? undefined : `${words} ${value}`;

export const inexpressibleOf = {
  instance: (instance: Instance) => inexpressibleIn(ofInstance, instance),
  network: (vpc: Vpc) => inexpressibleIn(ofVpc, vpc),
  subnet: (subnet: Subnet) => inexpressibleIn(ofSubnet, subnet),
};
