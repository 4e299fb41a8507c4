import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { type Bench, bench, given, pass, refusal } from '../bench.ts';
import { ID, smallEstate } from './estates.ts';

type Change = Omit<aws.ModifyInstanceAttributeCommandInput, 'InstanceId'>;

const modify = ({ ec2 }: Bench, InstanceId: string, change: Change) =>
  ec2.send(new aws.ModifyInstanceAttributeCommand({ InstanceId, ...change }));

const bytes = (text: string) => new TextEncoder().encode(text);

const rows: readonly { readonly name: string; readonly on: string; readonly change: Change; readonly want: string }[] =
  [
    {
      name: 'size, running',
      on: ID.machine,
      change: { InstanceType: { Value: 't3.large' } },
      want: 'IncorrectInstanceState',
    },
    { name: 'size, stopped', on: ID.stopped, change: { InstanceType: { Value: 't3.large' } }, want: 'accepted' },
    {
      name: 'no such size',
      on: ID.stopped,
      change: { InstanceType: { Value: 'huge' } },
      want: 'InvalidParameterValue',
    },
    {
      name: 'user data, running',
      on: ID.machine,
      change: { UserData: { Value: bytes('x') } },
      want: 'IncorrectInstanceState',
    },
    { name: 'user data, stopped', on: ID.stopped, change: { UserData: { Value: bytes('x') } }, want: 'accepted' },
    { name: 'groups, running', on: ID.machine, change: { Groups: [ID.web, ID.data] }, want: 'accepted' },
    { name: 'groups of another VPC', on: ID.machine, change: { Groups: [ID.foreign] }, want: 'InvalidParameter' },
    { name: 'nothing', on: ID.machine, change: {}, want: 'MissingParameter' },
    {
      name: 'two at once',
      on: ID.stopped,
      change: { InstanceType: { Value: 't3.large' }, DisableApiTermination: { Value: true } },
      want: 'InvalidParameterCombination',
    },
    { name: 'of nobody', on: 'i-0fffffff', change: { Groups: [ID.web] }, want: 'InvalidInstanceID.NotFound' },
  ];

describe('instance attributes', () => {
  for (const { name, on, change, want } of rows) {
    it(`${name}: ${want}`, async () => {
      await using made = await bench({ estate: smallEstate() });
      assert.equal(await refusal(modify(made, on, change)), want);
    });
  }

  it('are read back as they were set', async () => {
    await using made = await bench({ estate: smallEstate() });
    const attribute = (Attribute: aws.InstanceAttributeName) =>
      made.ec2.send(new aws.DescribeInstanceAttributeCommand({ InstanceId: ID.stopped, Attribute }));
    assert.equal((await attribute('userData')).UserData?.Value, undefined);
    await modify(made, ID.stopped, { UserData: { Value: bytes('#!/bin/sh') } });
    await modify(made, ID.stopped, { InstanceType: { Value: 'm5.large' } });
    await modify(made, ID.stopped, { DisableApiTermination: { Value: true } });
    await modify(made, ID.stopped, { Groups: [ID.web, ID.data] });
    const userData = given((await attribute('userData')).UserData?.Value);
    assert.equal(Buffer.from(userData, 'base64').toString(), '#!/bin/sh');
    assert.equal((await attribute('instanceType')).InstanceType?.Value, 'm5.large');
    assert.equal((await attribute('disableApiTermination')).DisableApiTermination?.Value, true);
    assert.deepEqual(
      (await attribute('groupSet')).Groups?.map(({ GroupId }) => GroupId),
      [ID.web, ID.data],
    );
  });

  it('status speaks of running machines, of all when asked', async () => {
    await using made = await bench({ estate: smallEstate() });
    const ids = async (IncludeAllInstances: boolean) =>
      given((await made.ec2.send(new aws.DescribeInstanceStatusCommand({ IncludeAllInstances }))).InstanceStatuses);
    const told = async () => (await ids(false)).map((each) => [each.InstanceId, each.InstanceStatus?.Status]);
    assert.deepEqual(await told(), [[ID.machine, 'initializing']]);
    made.sandbox.control.clock.advance(60_000);
    assert.deepEqual(await told(), [[ID.machine, 'ok']]);
    assert.equal((await ids(true)).length, 2);
    const InstanceIds = Array.from({ length: 101 }, () => ID.machine);
    assert.equal(
      await refusal(made.ec2.send(new aws.DescribeInstanceStatusCommand({ InstanceIds }))),
      'InvalidParameterValue',
    );
  });
});

describe('instance profiles', () => {
  const associations = async ({ ec2 }: Bench) =>
    given(
      (
        await ec2.send(
          new aws.DescribeIamInstanceProfileAssociationsCommand({
            Filters: [{ Name: 'instance-id', Values: [ID.machine] }],
          }),
        )
      ).IamInstanceProfileAssociations,
    );

  it('are put on, exchanged and taken off', async () => {
    await using made = await bench({ estate: smallEstate() });
    const associate = () =>
      made.ec2.send(
        new aws.AssociateIamInstanceProfileCommand({ InstanceId: ID.machine, IamInstanceProfile: { Name: 'web' } }),
      );
    await associate();
    assert.equal(await refusal(associate()), 'IncorrectState');
    const [first] = await associations(made);
    assert.equal(first?.IamInstanceProfile?.Arn, 'arn:aws:iam::111122223333:instance-profile/web');
    await made.ec2.send(
      new aws.ReplaceIamInstanceProfileAssociationCommand({
        AssociationId: first?.AssociationId,
        IamInstanceProfile: { Name: 'db' },
      }),
    );
    const [second] = await associations(made);
    assert.notEqual(second?.AssociationId, first?.AssociationId);
    await made.ec2.send(new aws.DisassociateIamInstanceProfileCommand({ AssociationId: second?.AssociationId }));
    assert.deepEqual(await associations(made), []);
  });
});

describe('volumes', () => {
  const volumeOf = async ({ ec2 }: Bench) => {
    const Filters = [{ Name: 'attachment.instance-id', Values: [ID.machine] }];
    return given((await ec2.send(new aws.DescribeVolumesCommand({ Filters }))).Volumes?.[0]);
  };

  it('grow in their time, once in six hours, and never shrink', async () => {
    await using made = await bench({ estate: smallEstate(), durations: { modifyVolume: 10_000 } });
    const { VolumeId, Size } = await volumeOf(made);
    const resize = (to: number) => made.ec2.send(new aws.ModifyVolumeCommand({ VolumeId, Size: to }));
    const progress = async () =>
      (await made.ec2.send(new aws.DescribeVolumesModificationsCommand({ VolumeIds: [given(VolumeId)] })))
        .VolumesModifications?.[0]?.ModificationState;
    assert.equal(Size, 8);
    assert.equal(await refusal(resize(4)), 'InvalidParameterValue');
    assert.equal((await resize(16)).VolumeModification?.ModificationState, 'modifying');
    assert.equal(await refusal(resize(32)), 'IncorrectModificationState');
    assert.equal((await volumeOf(made)).Size, 8);
    pass(made, 5_000);
    assert.deepEqual([await progress(), (await volumeOf(made)).Size], ['optimizing', 16]);
    pass(made, 5_000);
    assert.equal(await progress(), 'completed');
    assert.equal(await refusal(resize(32)), 'VolumeModificationRateExceeded');
    pass(made, 6 * 3_600_000);
    assert.equal(await refusal(resize(32)), 'accepted');
  });

  it('change type with what the type implies', async () => {
    await using made = await bench({ estate: smallEstate() });
    const { VolumeId } = await volumeOf(made);
    await made.ec2.send(new aws.ModifyVolumeCommand({ VolumeId, VolumeType: 'gp2' }));
    pass(made, 5_000);
    const { VolumeType, Iops, Throughput } = await volumeOf(made);
    assert.deepEqual([VolumeType, Iops, Throughput], ['gp2', 100, undefined]);
  });
});
