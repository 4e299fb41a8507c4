import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { type Bench, bench, given, refusal } from '../bench.ts';
import { ID, smallEstate } from './estates.ts';

const tcp = (port: number, ...cidrs: readonly string[]): aws.IpPermission => ({
  IpProtocol: 'tcp',
  FromPort: port,
  ToPort: port,
  IpRanges: cidrs.map((CidrIp) => ({ CidrIp })),
});

async function ingress({ ec2 }: Bench, groupId: string = ID.web): Promise<aws.SecurityGroupRule[]> {
  const Filters = [{ Name: 'group-id', Values: [groupId] }];
  const { SecurityGroupRules } = await ec2.send(new aws.DescribeSecurityGroupRulesCommand({ Filters }));
  return given(SecurityGroupRules).filter((rule) => !rule.IsEgress);
}

const https = { GroupId: ID.web, IpPermissions: [tcp(443, '0.0.0.0/0')] };

describe('rules: revoking', () => {
  it('by content, descriptions aside', async () => {
    await using made = await bench({ estate: smallEstate() });
    const IpPermissions = [{ ...tcp(443), IpRanges: [{ CidrIp: '0.0.0.0/0', Description: 'never said' }] }];
    const { RevokedSecurityGroupRules } = await made.ec2.send(
      new aws.RevokeSecurityGroupIngressCommand({ GroupId: ID.web, IpPermissions }),
    );
    assert.equal(RevokedSecurityGroupRules?.[0]?.CidrIpv4, '0.0.0.0/0');
    assert.deepEqual(await ingress(made), []);
  });

  it('by id', async () => {
    await using made = await bench({ estate: smallEstate() });
    const [rule] = await ingress(made);
    const SecurityGroupRuleIds = [given(rule?.SecurityGroupRuleId)];
    await made.ec2.send(new aws.RevokeSecurityGroupIngressCommand({ GroupId: ID.web, SecurityGroupRuleIds }));
    assert.deepEqual(await ingress(made), []);
    assert.equal(
      await refusal(
        made.ec2.send(new aws.RevokeSecurityGroupIngressCommand({ GroupId: ID.web, SecurityGroupRuleIds })),
      ),
      'InvalidSecurityGroupRuleId.NotFound',
    );
  });

  it('one unmatched rule and none goes', async () => {
    await using made = await bench({ estate: smallEstate() });
    const IpPermissions = [tcp(443, '0.0.0.0/0', '10.0.0.0/8')];
    assert.equal(
      await refusal(made.ec2.send(new aws.RevokeSecurityGroupIngressCommand({ GroupId: ID.web, IpPermissions }))),
      'InvalidPermission.NotFound',
    );
    assert.equal((await ingress(made)).length, 1);
  });

  it('in a default VPC an unmatched rule is named, and the others go', async () => {
    const regions = [{ account: '111122223333', region: 'eu-west-1', defaultVpc: true }];
    await using made = await bench({ estate: { regions } });
    const { GroupId } = await made.ec2.send(new aws.CreateSecurityGroupCommand({ GroupName: 'x', Description: 'x' }));
    await made.ec2.send(
      new aws.AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions: [tcp(80, '10.0.0.0/8')] }),
    );
    const IpPermissions = [tcp(80, '10.0.0.0/8', '10.9.0.0/16')];
    const answer = await made.ec2.send(new aws.RevokeSecurityGroupIngressCommand({ GroupId, IpPermissions }));
    assert.deepEqual(answer.UnknownIpPermissions?.[0]?.IpRanges, [{ CidrIp: '10.9.0.0/16' }]);
    assert.deepEqual(await ingress(made, given(GroupId)), []);
  });

  it('ids and content exclude each other', async () => {
    await using made = await bench({ estate: smallEstate() });
    const both = { ...https, SecurityGroupRuleIds: ['sgr-0fffffff'] };
    assert.equal(
      await refusal(made.ec2.send(new aws.RevokeSecurityGroupIngressCommand(both))),
      'InvalidParameterCombination',
    );
  });
});

describe('rules: changing', () => {
  it('a description in place, by content and by id', async () => {
    await using made = await bench({ estate: smallEstate() });
    const before = (await ingress(made))[0]?.SecurityGroupRuleId;
    const IpPermissions = [{ ...tcp(443), IpRanges: [{ CidrIp: '0.0.0.0/0', Description: 'site' }] }];
    const command = { GroupId: ID.web, IpPermissions };
    await made.ec2.send(new aws.UpdateSecurityGroupRuleDescriptionsIngressCommand(command));
    assert.equal((await ingress(made))[0]?.Description, 'site');
    const SecurityGroupRuleDescriptions = [{ SecurityGroupRuleId: given(before), Description: 'public site' }];
    await made.ec2.send(
      new aws.UpdateSecurityGroupRuleDescriptionsIngressCommand({ GroupId: ID.web, SecurityGroupRuleDescriptions }),
    );
    const [after] = await ingress(made);
    assert.deepEqual([after?.SecurityGroupRuleId, after?.Description], [before, 'public site']);
  });

  it('no description of a rule that is not there', async () => {
    await using made = await bench({ estate: smallEstate() });
    const command = { GroupId: ID.web, IpPermissions: [tcp(1, '10.0.0.0/8')] };
    assert.equal(
      await refusal(made.ec2.send(new aws.UpdateSecurityGroupRuleDescriptionsIngressCommand(command))),
      'InvalidPermission.NotFound',
    );
  });

  it('content under the same id, but not into another rule', async () => {
    await using made = await bench({ estate: smallEstate() });
    await made.ec2.send(
      new aws.AuthorizeSecurityGroupIngressCommand({ GroupId: ID.web, IpPermissions: [tcp(80, '10.0.0.0/8')] }),
    );
    const [first, second] = await ingress(made);
    const change = (id: string | undefined, port: number) =>
      made.ec2.send(
        new aws.ModifySecurityGroupRulesCommand({
          GroupId: ID.web,
          SecurityGroupRules: [
            {
              SecurityGroupRuleId: id,
              SecurityGroupRule: { IpProtocol: 'tcp', FromPort: port, ToPort: port, CidrIpv4: '10.0.0.0/8' },
            },
          ],
        }),
      );
    assert.equal(await refusal(change(first?.SecurityGroupRuleId, 80)), 'InvalidPermission.Duplicate');
    await change(second?.SecurityGroupRuleId, 8080);
    const after = await ingress(made);
    assert.deepEqual(
      after.map((rule) => [rule.SecurityGroupRuleId, rule.FromPort]),
      [
        [first?.SecurityGroupRuleId, 443],
        [second?.SecurityGroupRuleId, 8080],
      ],
    );
  });
});

describe('rules: adding', () => {
  it('at most as many as the quota, counted per family', async () => {
    await using made = await bench({ estate: smallEstate(), quotas: { rulesPerGroup: 2 } });
    const add = (permission: aws.IpPermission) =>
      made.ec2.send(new aws.AuthorizeSecurityGroupIngressCommand({ GroupId: ID.web, IpPermissions: [permission] }));
    await add(tcp(80, '10.0.0.0/8'));
    assert.equal(await refusal(add(tcp(81, '10.0.0.0/8'))), 'RulesPerSecurityGroupLimitExceeded');
    await add({ ...tcp(80), Ipv6Ranges: [{ CidrIpv6: '::/0' }, { CidrIpv6: '2001:db8::/32' }] });
    assert.equal(
      await refusal(add({ ...tcp(82), Ipv6Ranges: [{ CidrIpv6: '::/0' }] })),
      'RulesPerSecurityGroupLimitExceeded',
    );
  });

  it('tags given with a rule are on the rule', async () => {
    await using made = await bench({ estate: smallEstate() });
    const { SecurityGroupRules } = await made.ec2.send(
      new aws.AuthorizeSecurityGroupIngressCommand({
        GroupId: ID.web,
        IpPermissions: [tcp(80, '10.0.0.0/8')],
        TagSpecifications: [{ ResourceType: 'security-group-rule', Tags: [{ Key: 'a', Value: 'b' }] }],
      }),
    );
    assert.deepEqual(SecurityGroupRules?.[0]?.Tags, [{ Key: 'a', Value: 'b' }]);
  });
});
