import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CreateVpcCommand, DescribeSecurityGroupsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { aws } from '../../../../providers/aws/index.ts';
import { account, openAwsStage, region } from '../../../support/aws-session.ts';
import { network } from '../../../support/engine-world/documents.ts';
import { engineWorld } from '../../../support/engine-world/engine-world.ts';

/** A VPC that people made, with the group `default` that AWS made in it. */
async function world() {
  const stage = await openAwsStage();
  // why: it brings the keys that the sandbox knows
  await stage.open();
  const here = { metadata: { name: 'here' }, spec: { provider: 'aws', account, region } };
  const engine = engineWorld({ provider: aws, here, quietMs: 600_000 }, stage);
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  const client = new EC2Client({ endpoint: stage.sandbox.url, region, credentials, maxAttempts: 1 });
  const VpcId = (await client.send(new CreateVpcCommand({ CidrBlock: '10.20.0.0/16' }))).Vpc?.VpcId ?? '';
  const Filters = [{ Name: 'vpc-id', Values: [VpcId] }];
  const groups = async () => (await client.send(new DescribeSecurityGroupsCommand({ Filters }))).SecurityGroups ?? [];
  const [{ GroupId } = {}] = await groups();
  const terms = { internet: 'unmanaged', allGroup: false, rules: 'additive', deletionPolicy: 'delete' };
  return {
    engine,
    groups,
    network: (more: object) => network({ ...terms, subnets: [], ...more }, { adopt: { here: VpcId } }),
    adopting: { groups: [{ name: 'everybody', adopt: { here: GroupId } }] },
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      await engine[Symbol.asyncDispose]();
    },
  };
}

test('the default group of a VPC is adopted, and no plan deletes it; with its network it goes', async () => {
  await using here = await world();
  const adopted = await here.engine.apply([here.network(here.adopting)]);
  assert.deepEqual([adopted.outcome, new Set(adopted.writes)], ['done', new Set(['CreateTags 200'])]);
  const removed = await here.engine.apply([here.network({})]);
  assert.deepEqual(removed.left, ['withheld protect group/core.everybody']);
  assert.deepEqual(removed.writes, []);
  assert.equal((await here.groups()).length, 1);
  await here.engine.apply([]);
  assert.equal((await here.groups()).length, 0, 'AWS deletes it with its VPC');
});
