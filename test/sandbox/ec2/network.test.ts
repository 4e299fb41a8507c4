import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { bench, given, refusal } from '../bench.ts';
import { ID, smallEstate } from './estates.ts';

describe('networks: what EC2 does', () => {
  it('keeps CIDR blocks canonical', async () => {
    await using made = await bench();
    const { Vpc } = await made.ec2.send(new aws.CreateVpcCommand({ CidrBlock: '100.68.0.18/18' }));
    assert.equal(Vpc?.CidrBlock, '100.68.0.0/18');
    const { Subnet } = await made.ec2.send(
      new aws.CreateSubnetCommand({ VpcId: given(Vpc?.VpcId), CidrBlock: '100.68.1.77/24' }),
    );
    assert.equal(Subnet?.CidrBlock, '100.68.1.0/24');
    assert.equal(Subnet?.AvailableIpAddressCount, 251);
  });

  it('gives a new VPC its parts, and takes them with it', async () => {
    await using made = await bench();
    const { Vpc } = await made.ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
    const Filters = [{ Name: 'vpc-id', Values: [given(Vpc?.VpcId)] }];
    const parts = async () => ({
      tables: (await made.ec2.send(new aws.DescribeRouteTablesCommand({ Filters }))).RouteTables,
      acls: (await made.ec2.send(new aws.DescribeNetworkAclsCommand({ Filters }))).NetworkAcls,
      groups: (await made.ec2.send(new aws.DescribeSecurityGroupsCommand({ Filters }))).SecurityGroups,
    });
    const { tables, acls, groups } = await parts();
    assert.equal(tables?.[0]?.Associations?.[0]?.Main, true);
    assert.deepEqual(tables?.[0]?.Routes?.[0], {
      DestinationCidrBlock: '10.0.0.0/16',
      GatewayId: 'local',
      Origin: 'CreateRouteTable',
      State: 'active',
    });
    assert.equal(acls?.[0]?.IsDefault, true);
    assert.equal(groups?.[0]?.GroupName, 'default');
    assert.equal(groups?.[0]?.IpPermissions?.[0]?.UserIdGroupPairs?.[0]?.GroupId, groups?.[0]?.GroupId);
    assert.deepEqual(groups?.[0]?.IpPermissionsEgress?.[0]?.IpRanges, [{ CidrIp: '0.0.0.0/0' }]);
    await made.ec2.send(new aws.DeleteVpcCommand({ VpcId: Vpc?.VpcId }));
    assert.deepEqual(await parts(), { tables: [], acls: [], groups: [] });
  });

  it('turns DNS attributes', async () => {
    await using made = await bench({ estate: smallEstate() });
    const value = async () =>
      (await made.ec2.send(new aws.DescribeVpcAttributeCommand({ VpcId: ID.vpc, Attribute: 'enableDnsHostnames' })))
        .EnableDnsHostnames?.Value;
    assert.equal(await value(), false);
    await made.ec2.send(new aws.ModifyVpcAttributeCommand({ VpcId: ID.vpc, EnableDnsHostnames: { Value: true } }));
    assert.equal(await value(), true);
  });
});

describe('routes: what EC2 does', () => {
  it('makes a route table once per client token', async () => {
    await using made = await bench({ estate: smallEstate() });
    const table = (VpcId: string) => made.ec2.send(new aws.CreateRouteTableCommand({ VpcId, ClientToken: 'once' }));
    const first = (await table(ID.vpc)).RouteTable?.RouteTableId;
    assert.equal((await table(ID.vpc)).RouteTable?.RouteTableId, first);
    assert.equal(await refusal(table(ID.otherVpc)), 'IdempotentParameterMismatch');
  });

  it('shows a route as a blackhole once its gateway has gone elsewhere', async () => {
    await using made = await bench({ estate: smallEstate() });
    await made.ec2.send(new aws.TerminateInstancesCommand({ InstanceIds: [ID.machine] }));
    made.sandbox.control.clock.advance(10_000);
    await made.ec2.send(new aws.DetachInternetGatewayCommand({ InternetGatewayId: ID.gateway, VpcId: ID.vpc }));
    await made.ec2.send(new aws.AttachInternetGatewayCommand({ InternetGatewayId: ID.gateway, VpcId: ID.otherVpc }));
    const { RouteTables } = await made.ec2.send(new aws.DescribeRouteTablesCommand({ RouteTableIds: [ID.table] }));
    assert.deepEqual(
      RouteTables?.[0]?.Routes?.map(({ DestinationCidrBlock, State }) => [DestinationCidrBlock, State]),
      [
        ['10.0.0.0/16', 'active'],
        ['0.0.0.0/0', 'blackhole'],
      ],
    );
  });

  it('moves the main association and lets a subnet go', async () => {
    await using made = await bench({ estate: smallEstate() });
    const { RouteTables } = await made.ec2.send(new aws.DescribeRouteTablesCommand({ RouteTableIds: [ID.table] }));
    const AssociationId = RouteTables?.[0]?.Associations?.[0]?.RouteTableAssociationId;
    await made.ec2.send(new aws.DisassociateRouteTableCommand({ AssociationId }));
    await made.ec2.send(new aws.DeleteRouteTableCommand({ RouteTableId: ID.table }));
    assert.equal(
      await refusal(made.ec2.send(new aws.DescribeRouteTablesCommand({ RouteTableIds: [ID.table] }))),
      'InvalidRouteTableID.NotFound',
    );
  });
});
