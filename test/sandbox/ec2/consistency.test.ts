import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { type Bench, bench, given, pass, refusal } from '../bench.ts';
import { ID, IMAGE, smallEstate } from './estates.ts';

const vpcIds = async ({ ec2 }: Bench) =>
  given((await ec2.send(new aws.DescribeVpcsCommand({}))).Vpcs).map(({ VpcId }) => VpcId);

const create = async ({ ec2 }: Bench) =>
  given((await ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.5.0.0/16' }))).Vpc?.VpcId);

describe('eventual consistency', () => {
  it('what is new is missing from listings until its time has passed', async () => {
    await using made = await bench({ estate: smallEstate(), lag: { ms: 10_000 } });
    const id = await create(made);
    assert.equal((await vpcIds(made)).includes(id), false);
    assert.equal(await refusal(made.ec2.send(new aws.DescribeVpcsCommand({ VpcIds: [id] }))), 'InvalidVpcID.NotFound');
    pass(made, 10_000);
    assert.equal((await vpcIds(made)).includes(id), true);
  });

  it('writes to what is new are answered with NotFound at first', async () => {
    await using made = await bench({ estate: smallEstate(), lag: { ms: 10_000 } });
    const id = await create(made);
    const subnet = () => refusal(made.ec2.send(new aws.CreateSubnetCommand({ VpcId: id, CidrBlock: '10.5.1.0/24' })));
    const tag = () =>
      refusal(made.ec2.send(new aws.CreateTagsCommand({ Resources: [id], Tags: [{ Key: 'a', Value: 'b' }] })));
    assert.deepEqual([await subnet(), await tag()], ['InvalidVpcID.NotFound', 'InvalidVpcID.NotFound']);
    pass(made, 10_000);
    assert.deepEqual([await subnet(), await tag()], ['accepted', 'accepted']);
  });

  it('changes and deletions are read late', async () => {
    await using made = await bench({ estate: smallEstate(), lag: { ms: 10_000 } });
    const tags = async () =>
      (await made.ec2.send(new aws.DescribeVpcsCommand({ VpcIds: [ID.vpc] }))).Vpcs?.[0]?.Tags?.length;
    await made.ec2.send(new aws.CreateTagsCommand({ Resources: [ID.vpc], Tags: [{ Key: 'a', Value: 'b' }] }));
    await made.ec2.send(new aws.DeleteSecurityGroupCommand({ GroupId: ID.foreign }));
    const groups = async () =>
      refusal(made.ec2.send(new aws.DescribeSecurityGroupsCommand({ GroupIds: [ID.foreign] })));
    assert.deepEqual([await tags(), await groups()], [1, 'accepted']);
    pass(made, 10_000);
    assert.deepEqual([await tags(), await groups()], [2, 'InvalidGroup.NotFound']);
  });

  it('with a sight between 0 and 1 listings flicker, the same way for the same seed', async () => {
    const glimpses = async (seed: number) => {
      await using made = await bench({ estate: smallEstate(), lag: { ms: 10_000, sight: 0.5 }, seed });
      const id = await create(made);
      const seen: boolean[] = [];
      for (let i = 0; i < 24; i++) seen.push((await vpcIds(made)).includes(id));
      return seen;
    };
    const first = await glimpses(7);
    assert.deepEqual(new Set(first), new Set([true, false]));
    assert.deepEqual(await glimpses(7), first);
    assert.notDeepEqual(await glimpses(8), first);
  });
});

describe('consistency that is kept', () => {
  it('the answer of the write itself is up to date, and a client token is known at once', async () => {
    await using made = await bench({ estate: smallEstate(), lag: { ms: 10_000 } });
    const run = () =>
      made.ec2.send(
        new aws.RunInstancesCommand({
          ImageId: IMAGE,
          MinCount: 1,
          MaxCount: 1,
          SubnetId: ID.app,
          ClientToken: 'once',
        }),
      );
    const first = (await run()).Instances?.[0]?.InstanceId;
    assert.equal((await run()).Instances?.[0]?.InstanceId, first);
    const { Reservations } = await made.ec2.send(new aws.DescribeInstancesCommand({}));
    assert.equal(Reservations?.length, 2);
  });

  it('never shows a machine without its interface', async () => {
    await using made = await bench({ estate: smallEstate(), lag: { ms: 10_000, sight: 0.5 } });
    const { Instances } = await made.ec2.send(
      new aws.RunInstancesCommand({ ImageId: IMAGE, MinCount: 1, MaxCount: 1, SubnetId: ID.app }),
    );
    const Filters = [{ Name: 'instance-type', Values: ['m1.small'] }];
    let seen = 0;
    for (let i = 0; i < 24; i++) {
      const { Reservations } = await made.ec2.send(new aws.DescribeInstancesCommand({ Filters }));
      for (const instance of Reservations?.[0]?.Instances ?? []) {
        seen++;
        assert.equal(instance.InstanceId, Instances?.[0]?.InstanceId);
        assert.equal(instance.SecurityGroups?.length, 1);
      }
    }
    assert.ok(seen > 0);
  });
});
