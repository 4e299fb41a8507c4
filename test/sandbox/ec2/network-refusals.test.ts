import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { type Bench, bench, refusal } from '../bench.ts';
import { ID, smallEstate } from './estates.ts';

type Row = { readonly name: string; readonly call: ({ ec2 }: Bench) => Promise<unknown>; readonly want: string };

/** Each row starts from the small estate. */
const refusals: readonly Row[] = [
  {
    name: 'a VPC needs a CIDR block',
    call: ({ ec2 }) => ec2.send(new aws.CreateVpcCommand({})),
    want: 'MissingParameter',
  },
  {
    name: 'a VPC is no bare address',
    call: ({ ec2 }) => ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.0.0.1' })),
    want: 'InvalidParameterValue',
  },
  {
    name: 'a VPC is no wider than /16',
    call: ({ ec2 }) => ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.0.0.0/8' })),
    want: 'InvalidVpc.Range',
  },
  {
    name: 'a VPC is no narrower than /28',
    call: ({ ec2 }) => ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.0.0.0/29' })),
    want: 'InvalidVpc.Range',
  },
  {
    name: 'a VPC in use stays',
    call: ({ ec2 }) => ec2.send(new aws.DeleteVpcCommand({ VpcId: ID.vpc })),
    want: 'DependencyViolation',
  },
  {
    name: 'an unknown VPC is not found',
    call: ({ ec2 }) => ec2.send(new aws.DeleteVpcCommand({ VpcId: 'vpc-0fffffff' })),
    want: 'InvalidVpcID.NotFound',
  },
  {
    name: 'a malformed id is told so',
    call: ({ ec2 }) => ec2.send(new aws.DeleteVpcCommand({ VpcId: 'vpc-nonsense' })),
    want: 'InvalidVpcID.Malformed',
  },
  {
    name: 'one VPC attribute at a time',
    call: ({ ec2 }) =>
      ec2.send(
        new aws.ModifyVpcAttributeCommand({
          VpcId: ID.vpc,
          EnableDnsSupport: { Value: true },
          EnableDnsHostnames: { Value: true },
        }),
      ),
    want: 'InvalidParameterCombination',
  },
  {
    name: 'a subnet lies within its VPC',
    call: ({ ec2 }) => ec2.send(new aws.CreateSubnetCommand({ VpcId: ID.vpc, CidrBlock: '10.1.0.0/24' })),
    want: 'InvalidSubnet.Range',
  },
  {
    name: 'a subnet overlaps no other',
    call: ({ ec2 }) => ec2.send(new aws.CreateSubnetCommand({ VpcId: ID.vpc, CidrBlock: '10.0.1.128/25' })),
    want: 'InvalidSubnet.Conflict',
  },
  {
    name: 'a subnet lies in a zone of the region',
    call: ({ ec2 }) =>
      ec2.send(
        new aws.CreateSubnetCommand({ VpcId: ID.vpc, CidrBlock: '10.0.9.0/24', AvailabilityZone: 'us-east-1a' }),
      ),
    want: 'InvalidParameterValue',
  },
  {
    name: 'a subnet with machines stays',
    call: ({ ec2 }) => ec2.send(new aws.DeleteSubnetCommand({ SubnetId: ID.app })),
    want: 'DependencyViolation',
  },
  {
    name: 'an attached gateway is attached nowhere else',
    call: ({ ec2 }) =>
      ec2.send(new aws.AttachInternetGatewayCommand({ InternetGatewayId: ID.gateway, VpcId: ID.otherVpc })),
    want: 'Resource.AlreadyAssociated',
  },
  {
    name: 'an attached gateway stays',
    call: ({ ec2 }) => ec2.send(new aws.DeleteInternetGatewayCommand({ InternetGatewayId: ID.gateway })),
    want: 'DependencyViolation',
  },
  {
    name: 'a gateway is detached only from where it is',
    call: ({ ec2 }) =>
      ec2.send(new aws.DetachInternetGatewayCommand({ InternetGatewayId: ID.gateway, VpcId: ID.otherVpc })),
    want: 'Gateway.NotAttached',
  },
  {
    name: 'a gateway that public addresses use stays attached',
    call: ({ ec2 }) => ec2.send(new aws.DetachInternetGatewayCommand({ InternetGatewayId: ID.gateway, VpcId: ID.vpc })),
    want: 'DependencyViolation',
  },
  {
    name: 'an unknown gateway is not found',
    call: ({ ec2 }) => ec2.send(new aws.DeleteInternetGatewayCommand({ InternetGatewayId: 'igw-0fffffff' })),
    want: 'InvalidInternetGatewayID.NotFound',
  },
  {
    name: 'a route is there once',
    call: ({ ec2 }) =>
      ec2.send(
        new aws.CreateRouteCommand({
          RouteTableId: ID.table,
          DestinationCidrBlock: '0.0.0.0/0',
          GatewayId: ID.gateway,
        }),
      ),
    want: 'RouteAlreadyExists',
  },
  {
    name: 'a route through no gateway',
    call: ({ ec2 }) =>
      ec2.send(
        new aws.CreateRouteCommand({
          RouteTableId: ID.table,
          DestinationCidrBlock: '10.5.0.0/16',
          GatewayId: 'igw-0fffffff',
        }),
      ),
    want: 'InvalidGatewayID.NotFound',
  },
  {
    name: 'a route that is not there is not replaced',
    call: ({ ec2 }) =>
      ec2.send(
        new aws.ReplaceRouteCommand({
          RouteTableId: ID.table,
          DestinationCidrBlock: '10.5.0.0/16',
          GatewayId: ID.gateway,
        }),
      ),
    want: 'InvalidParameterValue',
  },
  {
    name: 'a route that is not there is not deleted',
    call: ({ ec2 }) =>
      ec2.send(new aws.DeleteRouteCommand({ RouteTableId: ID.table, DestinationCidrBlock: '10.5.0.0/16' })),
    want: 'InvalidRoute.NotFound',
  },
  {
    name: 'the local route stays',
    call: ({ ec2 }) =>
      ec2.send(new aws.DeleteRouteCommand({ RouteTableId: ID.table, DestinationCidrBlock: '10.0.0.0/16' })),
    want: 'InvalidParameterValue',
  },
  {
    name: 'a table in use stays',
    call: ({ ec2 }) => ec2.send(new aws.DeleteRouteTableCommand({ RouteTableId: ID.table })),
    want: 'DependencyViolation',
  },
  {
    name: 'a subnet has one table',
    call: ({ ec2 }) => ec2.send(new aws.AssociateRouteTableCommand({ RouteTableId: ID.table, SubnetId: ID.app })),
    want: 'Resource.AlreadyAssociated',
  },
  {
    name: 'a table serves subnets of its own VPC',
    call: ({ ec2 }) => ec2.send(new aws.AssociateRouteTableCommand({ RouteTableId: ID.table, SubnetId: ID.elsewhere })),
    want: 'InvalidParameterValue',
  },
  {
    name: 'an unknown association is not found',
    call: ({ ec2 }) => ec2.send(new aws.DisassociateRouteTableCommand({ AssociationId: 'rtbassoc-0fffffff' })),
    want: 'InvalidAssociationID.NotFound',
  },
];

describe('networks: what EC2 refuses', () => {
  for (const { name, call, want } of refusals) {
    it(`${name}: ${want}`, async () => {
      await using made = await bench({ estate: smallEstate() });
      assert.equal(await refusal(call(made)), want);
    });
  }

  it('more VPCs than the quota: VpcLimitExceeded', async () => {
    await using made = await bench({ quotas: { vpcs: 1 } });
    await made.ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
    assert.equal(
      await refusal(made.ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }))),
      'VpcLimitExceeded',
    );
  });
});
