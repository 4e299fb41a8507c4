import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { ACCOUNT, type Bench, bench, given, refusal } from '../bench.ts';
import { ID, smallEstate } from './estates.ts';

const group = (VpcId: string, GroupName: string, Description = 'a group') =>
  new aws.CreateSecurityGroupCommand({ VpcId, GroupName, Description });

const refusals: readonly {
  readonly name: string;
  readonly call: ({ ec2 }: Bench) => Promise<unknown>;
  readonly want: string;
}[] = [
  { name: 'a name twice in a VPC', call: ({ ec2 }) => ec2.send(group(ID.vpc, 'web')), want: 'InvalidGroup.Duplicate' },
  { name: 'the same name in another VPC', call: ({ ec2 }) => ec2.send(group(ID.otherVpc, 'web')), want: 'accepted' },
  { name: 'the name default', call: ({ ec2 }) => ec2.send(group(ID.vpc, 'default')), want: 'InvalidParameterValue' },
  { name: 'a name like an id', call: ({ ec2 }) => ec2.send(group(ID.vpc, 'sg-x')), want: 'InvalidParameterValue' },
  { name: 'a name in other letters', call: ({ ec2 }) => ec2.send(group(ID.vpc, 'wéb')), want: 'InvalidParameterValue' },
  { name: 'no description', call: ({ ec2 }) => ec2.send(group(ID.vpc, 'new', '')), want: 'MissingParameter' },
  { name: 'no default VPC', call: ({ ec2 }) => ec2.send(group('', 'new')), want: 'MissingParameter' },
  {
    name: 'deleting a group that a machine wears',
    call: ({ ec2 }) => ec2.send(new aws.DeleteSecurityGroupCommand({ GroupId: ID.web })),
    want: 'DependencyViolation',
  },
  {
    name: 'deleting the default group',
    call: async ({ ec2 }) => {
      const Filters = [{ Name: 'group-name', Values: ['default'] }];
      const { SecurityGroups } = await ec2.send(new aws.DescribeSecurityGroupsCommand({ Filters }));
      return ec2.send(new aws.DeleteSecurityGroupCommand({ GroupId: SecurityGroups?.[0]?.GroupId }));
    },
    want: 'CannotDelete',
  },
  {
    name: 'deleting a group that nobody uses',
    call: ({ ec2 }) => ec2.send(new aws.DeleteSecurityGroupCommand({ GroupId: ID.foreign })),
    want: 'accepted',
  },
  {
    name: 'an unknown group',
    call: ({ ec2 }) => ec2.send(new aws.DescribeSecurityGroupsCommand({ GroupIds: ['sg-0fffffff'] })),
    want: 'InvalidGroup.NotFound',
  },
  {
    name: 'a malformed group id',
    call: ({ ec2 }) => ec2.send(new aws.DescribeSecurityGroupsCommand({ GroupIds: ['web'] })),
    want: 'InvalidGroupId.Malformed',
  },
];

describe('security groups', () => {
  for (const { name, call, want } of refusals) {
    it(`${name}: ${want}`, async () => {
      await using made = await bench({ estate: smallEstate() });
      assert.equal(await refusal(call(made)), want);
    });
  }

  it('a group named in another group’s rule stays until the rule goes', async () => {
    await using made = await bench({ estate: smallEstate() });
    const { ec2 } = made;
    const created = given((await ec2.send(group(ID.vpc, 'lb'))).GroupId);
    const IpPermissions = [{ IpProtocol: '-1', UserIdGroupPairs: [{ GroupId: created }] }];
    await ec2.send(new aws.AuthorizeSecurityGroupIngressCommand({ GroupId: ID.web, IpPermissions }));
    const deleting = () => refusal(ec2.send(new aws.DeleteSecurityGroupCommand({ GroupId: created })));
    assert.equal(await deleting(), 'DependencyViolation');
    await ec2.send(new aws.RevokeSecurityGroupIngressCommand({ GroupId: ID.web, IpPermissions }));
    assert.equal(await deleting(), 'accepted');
  });

  it('a new group lets everything out, over IPv6 only where the VPC has it', async () => {
    await using made = await bench();
    const egress = async (AmazonProvidedIpv6CidrBlock: boolean) => {
      const { Vpc } = await made.ec2.send(
        new aws.CreateVpcCommand({ CidrBlock: '10.0.0.0/16', AmazonProvidedIpv6CidrBlock }),
      );
      const { GroupId } = await made.ec2.send(group(given(Vpc?.VpcId), 'new'));
      const { SecurityGroups } = await made.ec2.send(
        new aws.DescribeSecurityGroupsCommand({ GroupIds: [given(GroupId)] }),
      );
      const [only, ...more] = given(SecurityGroups?.[0]?.IpPermissionsEgress);
      assert.equal(more.length, 0);
      return [only?.IpProtocol, only?.IpRanges, only?.Ipv6Ranges];
    };
    assert.deepEqual(await egress(false), ['-1', [{ CidrIp: '0.0.0.0/0' }], []]);
    assert.deepEqual(await egress(true), ['-1', [{ CidrIp: '0.0.0.0/0' }], [{ CidrIpv6: '::/0' }]]);
  });

  it('shows the rules of a group together, by protocol and ports', async () => {
    await using made = await bench({ estate: smallEstate() });
    const { SecurityGroups } = await made.ec2.send(new aws.DescribeSecurityGroupsCommand({ GroupIds: [ID.data] }));
    assert.deepEqual(SecurityGroups?.[0]?.IpPermissions, [
      {
        IpProtocol: 'tcp',
        FromPort: 5432,
        ToPort: 5432,
        UserIdGroupPairs: [{ UserId: ACCOUNT, GroupId: ID.web }],
        IpRanges: [],
        Ipv6Ranges: [],
        PrefixListIds: [],
      },
    ]);
    assert.deepEqual(SecurityGroups?.[0]?.IpPermissionsEgress, []);
  });
});
