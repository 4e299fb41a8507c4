import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  DeleteSecurityGroupCommand,
  DescribeVpcsCommand,
  type EC2Client,
  RevokeSecurityGroupIngressCommand,
} from '@aws-sdk/client-ec2';

const rule = { IpProtocol: 'tcp', FromPort: 1, ToPort: 1 };
const block = { CidrIp: '192.0.2.0/24' };

/**
 * Whether this moto revokes a rule with a description only for who repeats the description: 5.1 does, 5.2 where the peer is a
 * group. AWS does not: "If the security group rule has a description, you do not need to specify the description to revoke
 * the rule", https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RevokeSecurityGroupIngress.html
 * The same 5.1 answers 200 and takes only one of two blocks away that have the same ports, so there each rule has only one.
 */
export async function wantsDescriptions(client: EC2Client): Promise<boolean> {
  const { Vpcs: [vpc] = [] } = await client.send(new DescribeVpcsCommand({}));
  const made = { GroupName: 'probe', Description: 'asks moto a question', VpcId: vpc?.VpcId };
  const { GroupId } = await client.send(new CreateSecurityGroupCommand(made));
  const described = [{ ...rule, IpRanges: [{ ...block, Description: 'why' }] }];
  await client.send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions: described }));
  const bare = { GroupId, IpPermissions: [{ ...rule, IpRanges: [block] }] };
  const refused = await client.send(new RevokeSecurityGroupIngressCommand(bare)).then(
    () => false,
    (error: Error) => {
      if (error.name === 'InvalidPermission.NotFound') return true;
      throw error;
    },
  );
  await client.send(new DeleteSecurityGroupCommand({ GroupId }));
  return refused;
}
