import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { ACCOUNT, bench, given, refusal } from '../bench.ts';
import { ID, smallEstate } from './estates.ts';

const anywhere = { IpRanges: [{ CidrIp: '0.0.0.0/0' }] };

/** Requests, and the one rule that EC2 reports for each: protocol, from, to, peer. */
const spellings: readonly { readonly ask: aws.IpPermission; readonly want: readonly unknown[] }[] = [
  { ask: { IpProtocol: '6', FromPort: 22, ToPort: 22, ...anywhere }, want: ['tcp', 22, 22, '0.0.0.0/0'] },
  { ask: { IpProtocol: '17', FromPort: 53, ToPort: 53, ...anywhere }, want: ['udp', 53, 53, '0.0.0.0/0'] },
  { ask: { IpProtocol: '1', FromPort: 8, ToPort: -1, ...anywhere }, want: ['icmp', 8, -1, '0.0.0.0/0'] },
  { ask: { IpProtocol: 'icmp', FromPort: 3, ToPort: 4, ...anywhere }, want: ['icmp', 3, 4, '0.0.0.0/0'] },
  { ask: { IpProtocol: '58', Ipv6Ranges: [{ CidrIpv6: '::/0' }] }, want: ['icmpv6', -1, -1, '::/0'] },
  { ask: { IpProtocol: '-1', FromPort: 80, ToPort: 90, ...anywhere }, want: ['-1', -1, -1, '0.0.0.0/0'] },
  { ask: { IpProtocol: '132', FromPort: 100, ToPort: 200, ...anywhere }, want: ['132', -1, -1, '0.0.0.0/0'] },
  { ask: { IpProtocol: '50', ...anywhere }, want: ['50', -1, -1, '0.0.0.0/0'] },
  {
    ask: { IpProtocol: 'tcp', FromPort: 1, ToPort: 2, IpRanges: [{ CidrIp: '100.68.0.18/18' }] },
    want: ['tcp', 1, 2, '100.68.0.0/18'],
  },
  {
    ask: { IpProtocol: 'tcp', FromPort: 1, ToPort: 2, Ipv6Ranges: [{ CidrIpv6: '2001:DB8:0:0::/32' }] },
    want: ['tcp', 1, 2, '2001:db8::/32'],
  },
  {
    ask: { IpProtocol: 'tcp', FromPort: 1, ToPort: 2, PrefixListIds: [{ PrefixListId: 'pl-0123abcd' }] },
    want: ['tcp', 1, 2, 'pl-0123abcd'],
  },
  {
    ask: { IpProtocol: 'tcp', FromPort: 1, ToPort: 2, UserIdGroupPairs: [{ GroupId: ID.data }] },
    want: ['tcp', 1, 2, `${ACCOUNT}/${ID.data}`],
  },
  {
    ask: {
      IpProtocol: 'tcp',
      FromPort: 1,
      ToPort: 2,
      UserIdGroupPairs: [{ GroupId: 'sg-0fffffff', UserId: '999988887777' }],
    },
    want: ['tcp', 1, 2, '999988887777/sg-0fffffff'],
  },
];

const tcp = { IpProtocol: 'tcp', FromPort: 1, ToPort: 1 };

const refusals: readonly { readonly name: string; readonly ask: aws.IpPermission; readonly want: string }[] = [
  { name: 'a bare address', ask: { ...tcp, IpRanges: [{ CidrIp: '10.0.0.1' }] }, want: 'InvalidParameterValue' },
  { name: 'an IPv6 block as IPv4', ask: { ...tcp, IpRanges: [{ CidrIp: '::/0' }] }, want: 'InvalidParameterValue' },
  { name: 'an unknown protocol', ask: { ...tcp, ...anywhere, IpProtocol: 'quic' }, want: 'InvalidParameterValue' },
  { name: 'protocol 256', ask: { ...tcp, ...anywhere, IpProtocol: '256' }, want: 'InvalidParameterValue' },
  { name: 'TCP without ports', ask: { IpProtocol: 'tcp', ...anywhere }, want: 'InvalidParameterValue' },
  { name: 'port 65536', ask: { ...tcp, ToPort: 65_536, ...anywhere }, want: 'InvalidParameterValue' },
  { name: 'ports the wrong way round', ask: { ...tcp, FromPort: 2, ...anywhere }, want: 'InvalidParameterValue' },
  {
    name: 'all ICMP types with one code',
    ask: { IpProtocol: 'icmp', FromPort: -1, ToPort: 4, ...anywhere },
    want: 'InvalidParameterValue',
  },
  { name: 'no peer', ask: tcp, want: 'MissingParameter' },
  {
    name: 'a group of another VPC',
    ask: { ...tcp, UserIdGroupPairs: [{ GroupId: ID.foreign }] },
    want: 'InvalidGroup.NotFound',
  },
  {
    name: 'an unknown group',
    ask: { ...tcp, UserIdGroupPairs: [{ GroupId: 'sg-0fffffff' }] },
    want: 'InvalidGroup.NotFound',
  },
  {
    name: 'a description in other letters',
    ask: { ...tcp, IpRanges: [{ CidrIp: '10.0.0.0/8', Description: 'für uns' }] },
    want: 'InvalidParameterValue',
  },
  {
    name: 'one rule twice in a request',
    ask: {
      ...tcp,
      IpRanges: [
        { CidrIp: '10.0.0.0/8', Description: 'a' },
        { CidrIp: '10.1.0.0/8', Description: 'b' },
      ],
    },
    want: 'InvalidParameterValue',
  },
  {
    name: 'a rule that is there',
    ask: { IpProtocol: '6', FromPort: 443, ToPort: 443, IpRanges: [{ CidrIp: '0.0.0.0/0', Description: 'new' }] },
    want: 'InvalidPermission.Duplicate',
  },
];

describe('rules: spelling', () => {
  for (const { ask, want } of spellings) {
    it(`${JSON.stringify(ask)} becomes ${want.join(' ')}`, async () => {
      await using made = await bench({ estate: smallEstate() });
      const { SecurityGroupRules } = await made.ec2.send(
        new aws.AuthorizeSecurityGroupEgressCommand({ GroupId: ID.data, IpPermissions: [ask] }),
      );
      const [rule, ...more] = given(SecurityGroupRules);
      assert.equal(more.length, 0);
      const group = rule?.ReferencedGroupInfo;
      const peer = rule?.CidrIpv4 ?? rule?.CidrIpv6 ?? rule?.PrefixListId ?? `${group?.UserId}/${group?.GroupId}`;
      assert.deepEqual([rule?.IpProtocol, rule?.FromPort, rule?.ToPort, peer], want);
    });
  }

  for (const { name, ask, want } of refusals) {
    it(`${name}: ${want}, and nothing is added`, async () => {
      await using made = await bench({ estate: smallEstate() });
      const count = async () =>
        (await made.ec2.send(new aws.DescribeSecurityGroupRulesCommand({}))).SecurityGroupRules?.length;
      const before = await count();
      const IpPermissions = [{ ...tcp, FromPort: 9, ToPort: 9, ...anywhere }, ask];
      assert.equal(
        await refusal(made.ec2.send(new aws.AuthorizeSecurityGroupIngressCommand({ GroupId: ID.web, IpPermissions }))),
        want,
      );
      assert.equal(await count(), before);
    });
  }

  it('no ports are absent in a group’s own listing', async () => {
    await using made = await bench({ estate: smallEstate() });
    const IpPermissions = [{ IpProtocol: '-1', FromPort: 80, ToPort: 90, ...anywhere }];
    await made.ec2.send(new aws.AuthorizeSecurityGroupEgressCommand({ GroupId: ID.data, IpPermissions }));
    const { SecurityGroups } = await made.ec2.send(new aws.DescribeSecurityGroupsCommand({ GroupIds: [ID.data] }));
    const [permission] = given(SecurityGroups?.[0]?.IpPermissionsEgress);
    assert.equal(permission?.FromPort, undefined);
    assert.equal(permission?.ToPort, undefined);
  });
});
