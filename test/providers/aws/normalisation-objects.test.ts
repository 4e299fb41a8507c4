import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Instance } from '@aws-sdk/client-ec2';
import { observeInstance } from '../../../providers/aws/instance/observe.ts';
import { markTags } from '../../../providers/aws/marks.ts';
import { observeVpc } from '../../../providers/aws/network.ts';
import { observeSubnet } from '../../../providers/aws/subnet.ts';
import { tagList } from '../../../providers/aws/tags.ts';
import { diff } from '../../../src/core/diff.ts';

/** Reported tags, blocks and machines, compared with a spec: the cases A41 to A50. */
const account = '111122223333';
const sg = 'sg-1';
const region = 'aws/1/r';
const noParts = { internet: false, parts: [], missing: [] } as const;

describe('tags and blocks', () => {
  const labels = (tags: Readonly<Record<string, string>>) =>
    observeVpc(
      { VpcId: 'vpc-1', CidrBlock: '10.0.0.0/16', Tags: tagList(tags) },
      { parts: noParts, region, account: '1' },
    ).attributes.labels;

  test('A41: the cloud’s own tags are not ours to see: same', () =>
    assert.deepEqual(diff({ team: 'net' }, labels({ team: 'net', 'aws:cloudformation:stack-id': 'x' })), []));
  test('A41: nor are tags that nobody stated: same', () =>
    assert.deepEqual(diff({ team: 'net' }, labels({ team: 'net', cost: '7' })), []));
  test('A43: an empty value is not an absent one: drift', () =>
    assert.deepEqual(diff({ team: '' }, labels({})), [{ field: 'team', to: '' }]));
  test('A43: an empty value is an empty value: same', () =>
    assert.deepEqual(diff({ team: '' }, labels({ team: '' })), []));
  test('A44: a VPC’s block with host bits: same', () => {
    const vpc = observeVpc({ VpcId: 'vpc-1', CidrBlock: '100.68.0.18/18' }, { parts: noParts, region, account: '1' });
    assert.equal(vpc.attributes.cidr, '100.68.0.0/18');
  });
  test('A44: a subnet’s block with host bits: same', () =>
    assert.equal(observeSubnet({ CidrBlock: '100.68.0.18/18' }, undefined, '1').attributes.cidr, '100.68.0.0/18'));
});

const machine: Instance = {
  InstanceId: 'i-1',
  ImageId: 'ami-1',
  InstanceType: 't3.small',
  SubnetId: 'subnet-1',
  State: { Code: 16, Name: 'running' },
  SecurityGroups: [{ GroupId: 'sg-2' }, { GroupId: sg }],
  RootDeviceName: '/dev/xvda',
  BlockDeviceMappings: [
    { DeviceName: '/dev/sdf', Ebs: { VolumeId: 'vol-9' } },
    { DeviceName: '/dev/xvda', Ebs: { VolumeId: 'vol-1' } },
  ],
  NetworkInterfaces: [{ NetworkInterfaceId: 'eni-2' }, { NetworkInterfaceId: 'eni-1' }],
  PrivateIpAddress: '10.0.1.5',
  PrivateDnsName: 'ip-10-0-1-5.internal',
  CpuOptions: { CoreCount: 1 },
  EbsOptimized: true,
  Placement: { AvailabilityZone: 'eu-west-1a', Tenancy: 'default' },
};
const asked = {
  placement: { subnet: 'subnet-1', publicIp: false },
  groups: [sg, 'sg-2'],
  machine: { image: 'ami-1', size: 't3.small', power: 'running' },
  labels: {},
};
const seenAs = (over: Partial<Instance>) => observeInstance({ ...machine, ...over }).observed;

describe('instances', () => {
  test('A46: what the cloud adds by itself: same', () => assert.deepEqual(diff(asked, seenAs({}).attributes), []));
  test('A47: the default group on one that was launched with others: drift', () =>
    assert.deepEqual(diff(asked, seenAs({ SecurityGroups: [{ GroupId: 'sg-default' }] }).attributes), [
      { field: 'groups', from: ['sg-default'], to: [sg, 'sg-2'] },
    ]));
  test('A47: the default group on an adopted one whose groups are left out: same', () => {
    const { groups: _, ...adopted } = asked;
    assert.deepEqual(diff(adopted, seenAs({ SecurityGroups: [{ GroupId: 'sg-default' }] }).attributes), []);
  });
  test('A49: interfaces and volumes in another order: same', () => {
    const turned = seenAs({
      NetworkInterfaces: machine.NetworkInterfaces?.toReversed(),
      BlockDeviceMappings: machine.BlockDeviceMappings?.toReversed(),
      SecurityGroups: machine.SecurityGroups?.toReversed(),
    });
    assert.deepEqual(turned, seenAs({}));
    assert.deepEqual(turned.condition.parts, [
      { part: 'disk', id: 'vol-1' },
      { part: 'volume', id: 'vol-9' },
      { part: 'network-interface', id: 'eni-1' },
      { part: 'network-interface', id: 'eni-2' },
    ]);
  });
  test('A50: a terminated one is gone, whatever mark it bears', () => {
    const Tags = tagList(markTags({ estate: 'acme', store: 's', address: 'a' }));
    assert.equal(seenAs({ State: { Code: 48, Name: 'terminated' }, Tags }).condition.state, 'gone');
  });

  const powers: readonly (readonly [string, string, string])[] = [
    ['pending', 'pending', 'running'],
    ['running', 'ready', 'running'],
    ['stopping', 'pending', 'stopped'],
    ['stopped', 'ready', 'stopped'],
    ['shutting-down', 'deleting', 'running'],
  ];
  for (const [state, condition, power] of powers) {
    test(`${state} is ${condition}, and ${power}`, () => {
      const observed = seenAs({ State: { Name: state as 'pending' } }); // why: the rows are the cloud's own names
      assert.equal(observed.condition.state, condition);
      assert.equal(observed.attributes.machine.power, power);
    });
  }
  test('a profile is known by its name, whatever its path', () =>
    assert.equal(
      seenAs({ IamInstanceProfile: { Arn: `arn:aws:iam::${account}:instance-profile/team/web` } }).attributes.machine
        .identity,
      'web',
    ));
});

describe('a public address', () => {
  const launched = (value: string) => tagList({ 'setpoint:public-ip': value });
  const nic = (IpOwnerId: string) => [{ Association: { IpOwnerId, PublicIp: '1.2.3.4' } }];
  const rows: readonly { readonly name: string; readonly instance: Partial<Instance>; readonly want: boolean }[] = [
    { name: 'a running machine that shows one', instance: { NetworkInterfaces: nic('amazon') }, want: true },
    { name: 'a running machine that shows none', instance: { Tags: launched('true') }, want: false },
    {
      name: 'a stopped machine that was launched with one',
      instance: { State: { Name: 'stopped' }, Tags: launched('true') },
      want: true,
    },
    {
      name: 'a stopped machine that was launched without',
      instance: { State: { Name: 'stopped' }, Tags: launched('false') },
      want: false,
    },
    {
      name: 'a pending machine that was launched with one',
      instance: { State: { Name: 'pending' }, Tags: launched('true') },
      want: true,
    },
    {
      name: 'an elastic address on a machine without',
      instance: { NetworkInterfaces: nic(account), Tags: launched('false') },
      want: false,
    },
    {
      name: 'an elastic address in the place of one',
      instance: { NetworkInterfaces: nic(account), Tags: launched('true') },
      want: true,
    },
    { name: 'a stopped machine of others', instance: { State: { Name: 'stopped' } }, want: false },
    {
      name: "a carrier's address, which is not a public one",
      instance: { NetworkInterfaces: [{ Association: { IpOwnerId: 'amazon', CarrierIp: '155.146.1.2' } }] },
      want: false,
    },
    { name: 'an association with nothing in it', instance: { NetworkInterfaces: [{ Association: {} }] }, want: false },
  ];
  for (const { name, instance, want } of rows) {
    test(`${name}: ${want}`, () => assert.equal(seenAs(instance).attributes.placement.publicIp, want));
  }
});
