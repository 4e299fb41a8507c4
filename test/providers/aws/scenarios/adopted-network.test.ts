import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  EC2Client,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import { aws } from '../../../../providers/aws/index.ts';
import { account, openAwsStage, region } from '../../../support/aws-session.ts';
import { machineIn, network, rule } from '../../../support/engine-world/documents.ts';
import { engineWorld } from '../../../support/engine-world/engine-world.ts';

const image = 'ami-0abc0abc0abc0abc0';
const machine = machineIn({ image, size: 't3.small', minReady: 0 });

async function world() {
  const stage = await openAwsStage();
  // why: it brings the keys that the sandbox knows
  await stage.open();
  const here = { metadata: { name: 'here' }, spec: { provider: 'aws', account, region } };
  return engineWorld({ provider: aws, here, quietMs: 600_000 }, stage);
}

/** A network with a group, two rules and a machine, made by hand. */
async function makeByHand(endpoint: string) {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  const client = new EC2Client({ endpoint, region, credentials, maxAttempts: 1 });
  try {
    const vpc = (await client.send(new CreateVpcCommand({ CidrBlock: '10.20.0.0/16' }))).Vpc?.VpcId ?? '';
    const subnet = await client.send(new CreateSubnetCommand({ VpcId: vpc, CidrBlock: '10.20.1.0/24' }));
    const SubnetId = subnet.Subnet?.SubnetId ?? '';
    const named = { VpcId: vpc, GroupName: 'web servers', Description: 'by hand' };
    const GroupId = (await client.send(new CreateSecurityGroupCommand(named))).GroupId ?? '';
    const open = (port: number, CidrIp: string, Description?: string) => ({
      IpProtocol: 'tcp',
      FromPort: port,
      ToPort: port,
      IpRanges: [{ CidrIp, ...(Description === undefined ? {} : { Description }) }],
    });
    const IpPermissions = [open(443, '0.0.0.0/0', 'public site'), open(22, '10.0.0.0/8')];
    await client.send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions }));
    const launch = { ImageId: image, InstanceType: 't3.small' as const, MinCount: 1, MaxCount: 1 };
    const run = await client.send(new RunInstancesCommand({ ...launch, SubnetId, SecurityGroupIds: [GroupId] }));
    return { vpc, subnet: SubnetId, group: GroupId, machine: run.Instances?.[0]?.InstanceId ?? '' };
  } finally {
    client.destroy();
  }
}

const documentsOf = (ids: Awaited<ReturnType<typeof makeByHand>>, more: { readonly description?: string } = {}) => [
  network(
    {
      internet: 'unmanaged',
      allGroup: false,
      rules: 'additive',
      subnets: [{ name: 'app', cidr: '10.20.1.0/24', adopt: { here: ids.subnet } }],
      groups: [{ name: 'web', adopt: { here: ids.group } }],
    },
    { adopt: { here: ids.vpc } },
  ),
  rule('https', { description: more.description ?? 'public site' }),
  rule('ssh', { ports: [22], peers: { cidrs: ['10.0.0.0/8'] } }),
  machine('web', {}, { adopt: { here: ids.machine } }),
];

test('a network with its groups, rules and machines is adopted by tags alone', async () => {
  await using applied = await world();
  const ids = await makeByHand(applied.sandbox.url);
  const { outcome, writes } = await applied.apply(documentsOf(ids));
  assert.equal(outcome, 'done');
  assert.deepEqual([...new Set(writes.map((write) => write.split(' ')[0]))], ['CreateTags']);
  assert.deepEqual((await applied.apply(documentsOf(ids))).writes, []);
  const { groups } = applied.sandbox.control.ec2.region(account, region);
  const names = [...groups.values()].filter(({ vpcId }) => vpcId === ids.vpc).map(({ name }) => name);
  assert.deepEqual(names.toSorted(), ['default', 'web servers'], 'no group beside those that stood there');
});

test('a rule that differs is changed after its group was adopted, never before', async () => {
  await using applied = await world();
  const ids = await makeByHand(applied.sandbox.url);
  const { outcome, writes } = await applied.apply(documentsOf(ids, { description: 'shop' }));
  assert.equal(outcome, 'done');
  const actions = writes.map((write) => write.split(' ')[0] ?? '');
  const changed = actions.findIndex((action) => action !== 'CreateTags');
  assert.ok(changed > actions.lastIndexOf('CreateTags'), `tags first: ${actions.join(', ')}`);
  assert.deepEqual((await applied.apply(documentsOf(ids, { description: 'shop' }))).writes, []);
});
