import {
  CreateNetworkAclCommand,
  CreateNetworkAclEntryCommand,
  type CreateNetworkAclEntryCommandInput,
  DescribeNetworkAclsCommand,
  type EC2Client,
  ReplaceNetworkAclAssociationCommand,
} from '@aws-sdk/client-ec2';

/** All of IPv4, of what a subnet receives, as the first rule. */
const first = { RuleNumber: 100, RuleAction: 'allow', Protocol: '-1', CidrBlock: '0.0.0.0/0', Egress: false } as const;

/** A colleague gives a subnet an ACL of its own with these entries. Returns its id. */
export async function putNetworkAcl(
  client: Pick<EC2Client, 'send'>,
  subnet: string,
  entries: readonly Partial<CreateNetworkAclEntryCommandInput>[] = [],
): Promise<string> {
  const { NetworkAcls = [] } = await client.send(new DescribeNetworkAclsCommand({}));
  const isOfSubnet = ({ SubnetId }: { readonly SubnetId?: string | undefined }) => SubnetId === subnet;
  const old = NetworkAcls.find(({ Associations = [] }) => Associations.some(isOfSubnet));
  const { NetworkAcl } = await client.send(new CreateNetworkAclCommand({ VpcId: old?.VpcId }));
  const NetworkAclId = NetworkAcl?.NetworkAclId ?? '';
  for (const entry of entries)
    await client.send(new CreateNetworkAclEntryCommand({ ...first, NetworkAclId, ...entry }));
  const AssociationId = old?.Associations?.find(isOfSubnet)?.NetworkAclAssociationId;
  await client.send(new ReplaceNetworkAclAssociationCommand({ AssociationId, NetworkAclId }));
  return NetworkAclId;
}

/** Lets in one port of TCP, and nothing but its answers out. */
export const onePort = (port: number): readonly Partial<CreateNetworkAclEntryCommandInput>[] => [
  { Egress: true, Protocol: '6', PortRange: { From: 1024, To: 65_535 } },
  { Egress: false, Protocol: '6', PortRange: { From: port, To: port } },
];
