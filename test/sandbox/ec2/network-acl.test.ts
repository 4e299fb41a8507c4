import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { putNetworkAcl } from '../../support/network-acl.ts';
import { ACCOUNT, type Bench, bench, given, REGION, refusal } from '../bench.ts';

const [web, near, db] = ['i-0000000a', 'i-0000000b', 'i-0000000c'] as const;
const [app, data] = ['subnet-00000001', 'subnet-00000002'] as const;
const vpcId = 'vpc-00000001';

/** Everything is open to everybody, but for ACLs. */
const estate = {
  regions: [
    {
      ...{ account: ACCOUNT, region: REGION },
      vpcs: [
        {
          ...{ key: 'core', id: vpcId, cidr: '10.0.0.0/16', gateway: {} },
          subnets: [
            { key: 'app', id: app, cidr: '10.0.1.0/24' },
            { key: 'db', id: data, cidr: '10.0.2.0/24' },
          ],
          routeTables: [{ subnets: ['app', 'db'], routes: [{ to: '0.0.0.0/0', via: 'gateway' }] }],
          groups: [{ key: 'all', ingress: [{ protocol: '-1', peers: ['0.0.0.0/0'] }] }],
        },
      ],
      instances: [
        { id: web, subnet: 'app', groups: ['all'], publicIp: true },
        { id: near, subnet: 'app', groups: ['all'] },
        { id: db, subnet: 'db', groups: ['all'] },
      ],
    },
  ],
};

const acls = async ({ ec2 }: Bench, input: aws.DescribeNetworkAclsCommandInput = {}) =>
  given((await ec2.send(new aws.DescribeNetworkAclsCommand(input))).NetworkAcls);

const passes = ({ sandbox }: Bench, from: string, to: string, port: number): boolean =>
  sandbox.control.ec2.packet({ account: ACCOUNT, region: REGION }, { from, to, protocol: 'tcp', port }).allowed;

/** A new ACL on the subnet `app`. */
const own = ({ ec2 }: Bench): Promise<string> => putNetworkAcl(ec2, app);

const entry = (NetworkAclId: string, more: Partial<aws.CreateNetworkAclEntryCommandInput>) =>
  new aws.CreateNetworkAclEntryCommand({
    ...{ NetworkAclId, RuleNumber: 100, Protocol: '-1', RuleAction: 'allow', Egress: false, CidrBlock: '0.0.0.0/0' },
    ...more,
  });

describe('network ACLs', () => {
  it('a VPC is born with one that allows all, and all its subnets have it', async () => {
    await using made = await bench({ estate });
    const [acl, ...others] = await acls(made, { Filters: [{ Name: 'vpc-id', Values: [vpcId] }] });
    assert.deepEqual([acl?.IsDefault, others], [true, []]);
    assert.deepEqual(
      acl?.Entries?.map(({ RuleNumber, RuleAction, Egress, Protocol, CidrBlock }) => [
        ...[RuleNumber, RuleAction, Egress, Protocol, CidrBlock],
      ]),
      [
        [100, 'allow', true, '-1', '0.0.0.0/0'],
        [32767, 'deny', true, '-1', '0.0.0.0/0'],
        [100, 'allow', false, '-1', '0.0.0.0/0'],
        [32767, 'deny', false, '-1', '0.0.0.0/0'],
      ],
    );
    assert.deepEqual(acl?.Associations?.map(({ SubnetId }) => SubnetId).sort(), [app, data]);
  });

  it('a new one denies all of its subnet, and nothing inside of it', async () => {
    await using made = await bench({ estate });
    assert.deepEqual([passes(made, 'internet', web, 443), passes(made, web, db, 5432)], [true, true]);
    const id = await own(made);
    assert.deepEqual(
      (await acls(made)).find(({ NetworkAclId }) => NetworkAclId === id)?.Associations?.map(({ SubnetId }) => SubnetId),
      [app],
    );
    assert.deepEqual([passes(made, 'internet', web, 443), passes(made, web, db, 5432)], [false, false]);
    assert.equal(passes(made, near, web, 443), true, 'of one subnet');
  });

  it('keeps no state: answers need an entry of their own', async () => {
    await using made = await bench({ estate });
    const id = await own(made);
    const PortRange = { From: 443, To: 443 };
    await made.ec2.send(entry(id, { Protocol: '6', PortRange }));
    assert.equal(passes(made, 'internet', web, 443), false);
    const answers = { Protocol: '6', Egress: true, PortRange: { From: 1024, To: 65_535 } };
    await made.ec2.send(entry(id, answers));
    assert.deepEqual([passes(made, 'internet', web, 443), passes(made, 'internet', web, 22)], [true, false]);
  });

  it('the entry with the lowest number decides; it is replaced and deleted by its number', async () => {
    await using made = await bench({ estate });
    const id = await own(made);
    await made.ec2.send(entry(id, {}));
    await made.ec2.send(entry(id, { Egress: true }));
    assert.equal(passes(made, 'internet', web, 443), true);
    await made.ec2.send(entry(id, { RuleNumber: 90, RuleAction: 'deny', CidrBlock: '203.0.113.0/24' }));
    assert.deepEqual([passes(made, 'internet', web, 443), passes(made, '198.51.100.7', web, 443)], [false, true]);
    await made.ec2.send(
      new aws.ReplaceNetworkAclEntryCommand({
        ...{ NetworkAclId: id, RuleNumber: 90, Protocol: '-1', RuleAction: 'deny', Egress: false },
        CidrBlock: '198.51.100.0/24',
      }),
    );
    assert.deepEqual([passes(made, 'internet', web, 443), passes(made, '198.51.100.7', web, 443)], [true, false]);
    await made.ec2.send(new aws.DeleteNetworkAclEntryCommand({ NetworkAclId: id, RuleNumber: 90, Egress: false }));
    assert.equal(passes(made, '198.51.100.7', web, 443), true);
  });

  it('a number is taken once, and an ACL with a subnet stays', async () => {
    await using made = await bench({ estate });
    const id = await own(made);
    await made.ec2.send(entry(id, {}));
    assert.equal(await refusal(made.ec2.send(entry(id, {}))), 'NetworkAclEntryAlreadyExists');
    const NetworkAclId = id;
    const gone = new aws.DeleteNetworkAclEntryCommand({ NetworkAclId, RuleNumber: 7, Egress: false });
    assert.equal(await refusal(made.ec2.send(gone)), 'InvalidNetworkAclEntry.NotFound');
    assert.equal(
      await refusal(made.ec2.send(new aws.DeleteNetworkAclCommand({ NetworkAclId }))),
      'DependencyViolation',
    );
    const [standard] = await acls(made, { Filters: [{ Name: 'default', Values: ['true'] }] });
    const [mine] = await acls(made, { NetworkAclIds: [id] });
    const AssociationId = mine?.Associations?.[0]?.NetworkAclAssociationId;
    const back = { AssociationId, NetworkAclId: standard?.NetworkAclId };
    await made.ec2.send(new aws.ReplaceNetworkAclAssociationCommand(back));
    await made.ec2.send(new aws.DeleteNetworkAclCommand({ NetworkAclId }));
    assert.equal(passes(made, 'internet', web, 443), true);
  });
});
