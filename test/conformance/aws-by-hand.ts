import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  DeleteSecurityGroupCommand,
  DeleteSubnetCommand,
  DeleteVpcCommand,
  DescribeInternetGatewaysCommand,
  DescribeRouteTablesCommand,
  DescribeSecurityGroupsCommand,
  DescribeVolumesCommand,
  EC2Client,
  type IpPermission,
  RevokeSecurityGroupIngressCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { type Atom, atomsOf, writePermission } from '../../providers/aws/permission.ts';
import type { CloudId, Kind } from '../../src/core/resource.ts';
import { account, region } from '../support/aws-session.ts';
import type { ByHand, Spelling } from './harness.ts';

/** A colleague with a client of his own. */
export function awsByHand(url: string): { readonly byHand: ByHand; close(): void } {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  const client = new EC2Client({ endpoint: url, region, credentials, maxAttempts: 1 });
  return {
    close: () => client.destroy(),
    byHand: {
      make: async (kind, network) => makers[kind](client, network ?? ''),
      remove: async (kind, id) => {
        await removers[kind](client, id);
      },
      parts: () => parts(client),
      spellings: spellings(client),
    },
  };
}

let made = 0;

const makers: Readonly<Record<Kind, (client: EC2Client, network: CloudId) => Promise<CloudId>>> = {
  network: async (client) =>
    (await client.send(new CreateVpcCommand({ CidrBlock: '192.168.0.0/16' }))).Vpc?.VpcId ?? '',
  subnet: async (client, VpcId) => {
    const CidrBlock = `10.1.${200 + (++made % 50)}.0/24`;
    return (await client.send(new CreateSubnetCommand({ VpcId, CidrBlock }))).Subnet?.SubnetId ?? '';
  },
  group: async (client, VpcId) => {
    const asked = { VpcId, GroupName: `lab-${++made}`, Description: 'by hand' };
    return (await client.send(new CreateSecurityGroupCommand(asked))).GroupId ?? '';
  },
  'firewall-rule': async (client, network) =>
    authorize(client, await makers.group(client, network), {
      IpProtocol: 'tcp',
      FromPort: 22,
      ToPort: 22,
      IpRanges: [{ CidrIp: '10.0.0.0/8' }],
    }),
  instance: async (client, network) => {
    const SubnetId = await makers.subnet(client, network);
    const asked = { SubnetId, ImageId: 'ami-0abc0abc0abc0abc0', InstanceType: 't3.small' as const };
    const { Instances } = await client.send(new RunInstancesCommand({ ...asked, MinCount: 1, MaxCount: 1 }));
    return Instances?.[0]?.InstanceId ?? '';
  },
};

/** Answers the provider's id of the atom: its content. */
async function authorize(client: EC2Client, group: CloudId, permission: IpPermission): Promise<CloudId> {
  const before = new Set((await atomsIn(client, group)).map(({ id }) => id));
  await client.send(new AuthorizeSecurityGroupIngressCommand({ GroupId: group, IpPermissions: [permission] }));
  return (await atomsIn(client, group)).find(({ id }) => !before.has(id))?.id ?? '';
}

async function atomsIn(client: EC2Client, group: CloudId): Promise<readonly Atom[]> {
  const { SecurityGroups } = await client.send(new DescribeSecurityGroupsCommand({ GroupIds: [group] }));
  return (SecurityGroups ?? []).flatMap((each) => atomsOf(each, account));
}

const removers: Readonly<Record<Kind, (client: EC2Client, id: CloudId) => Promise<unknown>>> = {
  network: (client, VpcId) => client.send(new DeleteVpcCommand({ VpcId })),
  subnet: (client, SubnetId) => client.send(new DeleteSubnetCommand({ SubnetId })),
  group: (client, GroupId) => client.send(new DeleteSecurityGroupCommand({ GroupId })),
  'firewall-rule': async (client, id) => {
    const GroupId = id.slice(0, id.indexOf('/'));
    const atom = (await atomsIn(client, GroupId)).find((each) => each.id === id);
    const IpPermissions = atom ? [writePermission(atom.attributes.match, '')] : [];
    return client.send(new RevokeSecurityGroupIngressCommand({ GroupId, IpPermissions }));
  },
  instance: (client, id) => client.send(new TerminateInstancesCommand({ InstanceIds: [id] })),
};

async function parts(client: EC2Client): Promise<readonly CloudId[]> {
  const { InternetGateways = [] } = await client.send(new DescribeInternetGatewaysCommand({}));
  const { RouteTables = [] } = await client.send(new DescribeRouteTablesCommand({}));
  const { Volumes = [] } = await client.send(new DescribeVolumesCommand({}));
  const own = RouteTables.filter(({ Associations }) => !Associations?.some(({ Main }) => Main));
  return [
    ...InternetGateways.map(({ InternetGatewayId }) => InternetGatewayId ?? ''),
    ...own.map(({ RouteTableId }) => RouteTableId ?? ''),
    ...Volumes.map(({ VolumeId }) => VolumeId ?? ''),
  ];
}

function spellings(client: EC2Client): readonly Spelling[] {
  const spelling = (name: string, match: Spelling['match'], permission: IpPermission): Spelling => ({
    name,
    match,
    add: ({ groups }) => authorize(client, groups[0], permission),
  });
  return [
    spelling(
      'tcp by number',
      { protocol: 'tcp', ports: '22', peers: ['10.0.0.0/8'] },
      { IpProtocol: '6', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '10.0.0.0/8' }] },
    ),
    spelling(
      'host bits',
      { protocol: 'udp', ports: '53', peers: ['100.68.0.0/18'] },
      { IpProtocol: 'udp', FromPort: 53, ToPort: 53, IpRanges: [{ CidrIp: '100.68.0.18/18' }] },
    ),
    spelling(
      'every port',
      { protocol: 'tcp', ports: 'all', peers: ['10.1.0.0/16'] },
      { IpProtocol: 'tcp', FromPort: 0, ToPort: 65_535, IpRanges: [{ CidrIp: '10.1.0.0/16' }] },
    ),
    spelling(
      'icmpv6 by number, an IPv6 block with zeros and capitals',
      { protocol: 'icmpv6', ports: 'all', peers: ['2001:db8::/32'] },
      { IpProtocol: '58', FromPort: -1, ToPort: -1, Ipv6Ranges: [{ CidrIpv6: '2001:DB8:0:0::/32' }] },
    ),
    spelling(
      'all with ports',
      { protocol: 'all', ports: 'all', peers: ['10.2.0.0/16'] },
      { IpProtocol: '-1', FromPort: 80, ToPort: 90, IpRanges: [{ CidrIp: '10.2.0.0/16' }] },
    ),
  ];
}
