import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { type Bench, bench, given, pass, refusal } from '../bench.ts';
import { ID, IMAGE, smallEstate } from './estates.ts';

const order = { ImageId: IMAGE, MinCount: 1, MaxCount: 1, InstanceType: 't3.small', SubnetId: ID.app } as const;

const run = ({ ec2 }: Bench, more: Partial<aws.RunInstancesCommandInput> = {}) =>
  ec2.send(new aws.RunInstancesCommand({ ...order, ...more }));

type Row = { readonly name: string; readonly ask: Partial<aws.RunInstancesCommandInput>; readonly want: string };

const refusals: readonly Row[] = [
  { name: 'an unknown image', ask: { ImageId: 'ami-0ffffffffffffffff' }, want: 'InvalidAMIID.NotFound' },
  { name: 'a malformed image', ask: { ImageId: 'ami-0abc' }, want: 'InvalidAMIID.Malformed' },
  { name: 'no image', ask: { ImageId: undefined }, want: 'MissingParameter' },
  { name: 'no such size', ask: { InstanceType: 't3.tiny' as 't3.small' }, want: 'InvalidParameterValue' }, // why: wrong on purpose
  { name: 'more at least than at most', ask: { MinCount: 2 }, want: 'InvalidParameterValue' },
  { name: 'none at all', ask: { MinCount: 0 }, want: 'InvalidParameterValue' },
  { name: 'an unknown subnet', ask: { SubnetId: 'subnet-0fffffff' }, want: 'InvalidSubnetID.NotFound' },
  { name: 'no subnet and no default VPC', ask: { SubnetId: undefined }, want: 'MissingInput' },
  { name: 'a group of another VPC', ask: { SecurityGroupIds: [ID.foreign] }, want: 'InvalidParameter' },
  { name: 'an unknown group', ask: { SecurityGroupIds: ['sg-0fffffff'] }, want: 'InvalidGroup.NotFound' },
  {
    name: 'a subnet said twice',
    ask: { NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: ID.app }] },
    want: 'InvalidParameterCombination',
  },
  { name: 'a taken address', ask: { PrivateIpAddress: '10.0.1.4' }, want: 'InvalidIPAddress.InUse' },
  { name: 'an address elsewhere', ask: { PrivateIpAddress: '10.0.2.9' }, want: 'InvalidParameterValue' },
  {
    name: 'one address for two',
    ask: { PrivateIpAddress: '10.0.1.9', MaxCount: 2 },
    want: 'InvalidParameterCombination',
  },
  { name: 'user data that is no base64', ask: { UserData: 'héllo' }, want: 'InvalidUserData.Malformed' },
  {
    name: 'user data over 16 KiB',
    ask: { UserData: Buffer.alloc(16_385).toString('base64') },
    want: 'InvalidParameterValue',
  },
  { name: 'user data of 16 KiB', ask: { UserData: Buffer.alloc(16_384).toString('base64') }, want: 'accepted' },
  {
    name: 'a root disk smaller than its image',
    ask: { BlockDeviceMappings: [{ DeviceName: '/dev/sda1', Ebs: { VolumeSize: 4 } }] },
    want: 'InvalidBlockDeviceMapping',
  },
  {
    name: 'an unknown disk type',
    ask: { BlockDeviceMappings: [{ DeviceName: '/dev/sda1', Ebs: { VolumeType: 'gp9' as 'gp3' } }] }, // why: wrong on purpose
    want: 'InvalidParameterValue',
  },
  {
    name: 'more than the subnet has room for',
    ask: { MinCount: 251, MaxCount: 251 },
    want: 'InsufficientFreeAddressesInSubnet',
  },
  {
    name: 'tags for what a launch does not make',
    ask: { TagSpecifications: [{ ResourceType: 'vpc', Tags: [{ Key: 'a', Value: 'b' }] }] },
    want: 'InvalidParameterValue',
  },
  {
    name: 'a tag of AWS',
    ask: { TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'aws:mine', Value: 'b' }] }] },
    want: 'InvalidParameterValue',
  },
  { name: 'a client token over 64 characters', ask: { ClientToken: 'x'.repeat(65) }, want: 'InvalidParameterValue' },
];

describe('launching: what EC2 refuses', () => {
  for (const { name, ask, want } of refusals) {
    it(`${name}: ${want}`, async () => {
      await using made = await bench({ estate: smallEstate() });
      assert.equal(await refusal(run(made, ask)), want);
      const left = await made.ec2.send(new aws.DescribeNetworkInterfacesCommand({}));
      assert.equal(left.NetworkInterfaces?.length, want === 'accepted' ? 3 : 2, 'a refused launch leaves nothing');
    });
  }

  it('more instances than the quota: InstanceLimitExceeded', async () => {
    await using made = await bench({ estate: smallEstate(), quotas: { instances: 3 } });
    assert.equal(await refusal(run(made, { MinCount: 2, MaxCount: 2 })), 'InstanceLimitExceeded');
    assert.equal((await run(made, { MaxCount: 2 })).Instances?.length, 1, 'as many as fit, from MinCount up');
  });

  it('more groups than an interface takes', async () => {
    await using made = await bench({ estate: smallEstate(), quotas: { groupsPerInterface: 1 } });
    assert.equal(
      await refusal(run(made, { SecurityGroupIds: [ID.web, ID.data] })),
      'SecurityGroupsPerInterfaceLimitExceeded',
    );
  });
});

describe('launching', () => {
  it('equal machines come as one reservation, numbered', async () => {
    await using made = await bench({ estate: smallEstate() });
    const { Instances, ReservationId } = await run(made, { MinCount: 3, MaxCount: 3 });
    assert.deepEqual(
      Instances?.map(({ AmiLaunchIndex }) => AmiLaunchIndex),
      [0, 1, 2],
    );
    assert.equal(new Set(Instances?.map(({ PrivateIpAddress }) => PrivateIpAddress)).size, 3);
    const InstanceIds = given(Instances).map(({ InstanceId }) => given(InstanceId));
    const { Reservations } = await made.ec2.send(new aws.DescribeInstancesCommand({ InstanceIds }));
    assert.deepEqual(
      Reservations?.map((each) => [each.ReservationId, each.Instances?.length]),
      [[ReservationId, 3]],
    );
  });

  it('tags the machine, its disk and its interface in the same call', async () => {
    await using made = await bench({ estate: smallEstate() });
    const TagSpecifications = (['instance', 'volume', 'network-interface'] as const).map((ResourceType) => ({
      ResourceType,
      Tags: [{ Key: 'is', Value: ResourceType }],
    }));
    const { Instances } = await run(made, {
      TagSpecifications,
      BlockDeviceMappings: [{ DeviceName: '/dev/sda1', Ebs: { VolumeSize: 20, VolumeType: 'gp3', Encrypted: true } }],
    });
    const [instance] = given(Instances);
    assert.deepEqual(instance?.Tags, [{ Key: 'is', Value: 'instance' }]);
    const Filters = [{ Name: 'attachment.instance-id', Values: [given(instance?.InstanceId)] }];
    const { Volumes } = await made.ec2.send(new aws.DescribeVolumesCommand({ Filters }));
    const [disk] = given(Volumes);
    assert.deepEqual([disk?.Size, disk?.VolumeType, disk?.Encrypted, disk?.Iops], [20, 'gp3', true, 3000]);
    assert.deepEqual(disk?.Tags, [{ Key: 'is', Value: 'volume' }]);
    const { NetworkInterfaces } = await made.ec2.send(new aws.DescribeNetworkInterfacesCommand({ Filters }));
    assert.deepEqual(NetworkInterfaces?.[0]?.TagSet, [{ Key: 'is', Value: 'network-interface' }]);
  });

  it('a machine without groups wears the default one', async () => {
    await using made = await bench({ estate: smallEstate() });
    assert.equal((await run(made)).Instances?.[0]?.SecurityGroups?.[0]?.GroupName, 'default');
  });

  it('a public address follows the interface, else the subnet', async () => {
    await using made = await bench({ estate: smallEstate() });
    const address = async (ask: Partial<aws.RunInstancesCommandInput>) =>
      (await run(made, ask)).Instances?.[0]?.PublicIpAddress !== undefined;
    const nic = (AssociatePublicIpAddress: boolean) => ({
      SubnetId: undefined,
      NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: ID.app, AssociatePublicIpAddress }],
    });
    assert.deepEqual([await address({}), await address(nic(true)), await address(nic(false))], [false, true, false]);
    await made.ec2.send(
      new aws.ModifySubnetAttributeCommand({ SubnetId: ID.app, MapPublicIpOnLaunch: { Value: true } }),
    );
    assert.deepEqual([await address({}), await address(nic(false))], [true, false]);
  });
});

describe('launching with a client token', () => {
  it('answers with the same machines, whatever has become of them', async () => {
    await using made = await bench({ estate: smallEstate() });
    const ask = { ClientToken: 'once', MaxCount: 2, MinCount: 2 };
    const first = given((await run(made, ask)).Instances).map(({ InstanceId }) => given(InstanceId));
    pass(made, 60_000);
    const again = given((await run(made, ask)).Instances);
    assert.deepEqual(
      again.map(({ InstanceId }) => InstanceId),
      first,
    );
    assert.equal(again[0]?.State?.Name, 'running');
    assert.equal(again[0]?.ClientToken, 'once');
  });

  it('refuses other parameters', async () => {
    await using made = await bench({ estate: smallEstate() });
    await run(made, { ClientToken: 'once' });
    assert.equal(
      await refusal(run(made, { ClientToken: 'once', InstanceType: 't3.large' })),
      'IdempotentParameterMismatch',
    );
    assert.equal(await refusal(run(made, { ClientToken: 'another', InstanceType: 't3.large' })), 'accepted');
  });

  it('is of its zone where a subnet names one: in another zone it launches other machines', async () => {
    await using made = await bench({ estate: smallEstate() });
    const first = await run(made, { ClientToken: 'once' });
    const other = await run(made, { ClientToken: 'once', SubnetId: ID.db });
    assert.notEqual(other.Instances?.[0]?.InstanceId, first.Instances?.[0]?.InstanceId);
    assert.equal(other.Instances?.[0]?.Placement?.AvailabilityZone, 'eu-west-1b');
    const again = await run(made, { ClientToken: 'once' });
    assert.equal(again.Instances?.[0]?.InstanceId, first.Instances?.[0]?.InstanceId);
  });

  it('never launches again for terminated machines', async () => {
    await using made = await bench({ estate: smallEstate() });
    const { Instances } = await run(made, { ClientToken: 'once' });
    const InstanceIds = [given(Instances?.[0]?.InstanceId)];
    await made.ec2.send(new aws.TerminateInstancesCommand({ InstanceIds }));
    assert.equal((await run(made, { ClientToken: 'once' })).Instances?.[0]?.State?.Name, 'shutting-down');
    for (const ms of [10_000, 4_000_000]) {
      pass(made, ms);
      assert.equal(await refusal(run(made, { ClientToken: 'once' })), 'IdempotentInstanceTerminated');
    }
  });

  it('a refused launch keeps its token free', async () => {
    await using made = await bench({ estate: smallEstate() });
    assert.equal(
      await refusal(run(made, { ClientToken: 'once', ImageId: 'ami-0ffffffffffffffff' })),
      'InvalidAMIID.NotFound',
    );
    assert.equal(await refusal(run(made, { ClientToken: 'once' })), 'accepted');
  });
});
