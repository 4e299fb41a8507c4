import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { ACCOUNT, type Bench, bench, given, REGION, refusal } from '../bench.ts';
import { ID, smallEstate } from './estates.ts';

const HOUR = 3_600_000;

const natGateways = async ({ ec2 }: Bench, input: aws.DescribeNatGatewaysCommandInput = {}) =>
  given((await ec2.send(new aws.DescribeNatGatewaysCommand(input))).NatGateways);

const peerings = async ({ ec2 }: Bench, input: aws.DescribeVpcPeeringConnectionsCommandInput = {}) =>
  given((await ec2.send(new aws.DescribeVpcPeeringConnectionsCommand(input))).VpcPeeringConnections);

const routes = async ({ ec2 }: Bench, id: string = ID.table) =>
  given((await ec2.send(new aws.DescribeRouteTablesCommand({ RouteTableIds: [id] }))).RouteTables?.[0]?.Routes);

describe('NAT gateways: what EC2 does', () => {
  it('makes one in a subnet, with an interface that holds the subnet', async () => {
    await using made = await bench({ estate: smallEstate() });
    const order = { SubnetId: ID.db, ConnectivityType: 'private', ClientToken: 'once' } as const;
    const { NatGateway } = await made.ec2.send(new aws.CreateNatGatewayCommand(order));
    const again = await made.ec2.send(new aws.CreateNatGatewayCommand(order));
    assert.equal(again.NatGateway?.NatGatewayId, NatGateway?.NatGatewayId);
    assert.deepEqual([NatGateway?.State, NatGateway?.VpcId], ['pending', ID.vpc]);
    made.sandbox.control.clock.advance(5_000);
    assert.deepEqual(
      (await natGateways(made)).map(({ State }) => State),
      ['available'],
    );
    const eni = NatGateway?.NatGatewayAddresses?.[0]?.NetworkInterfaceId;
    const { NetworkInterfaces } = await made.ec2.send(
      new aws.DescribeNetworkInterfacesCommand({ NetworkInterfaceIds: [given(eni)] }),
    );
    assert.deepEqual(
      [NetworkInterfaces?.[0]?.InterfaceType, NetworkInterfaces?.[0]?.RequesterManaged],
      ['nat_gateway', true],
    );
  });

  it('keeps a deleted one in the list for an hour, and its routes swallow packets', async () => {
    await using made = await bench({ estate: smallEstate() });
    const { NatGateway } = await made.ec2.send(
      new aws.CreateNatGatewayCommand({ SubnetId: ID.db, ConnectivityType: 'private' }),
    );
    const NatGatewayId = given(NatGateway?.NatGatewayId);
    await made.ec2.send(
      new aws.CreateRouteCommand({ RouteTableId: ID.table, DestinationCidrBlock: '10.7.0.0/16', NatGatewayId }),
    );
    const last = async () => (await routes(made)).at(-1);
    assert.deepEqual(await last(), {
      DestinationCidrBlock: '10.7.0.0/16',
      NatGatewayId,
      Origin: 'CreateRoute',
      State: 'active',
    });
    await made.ec2.send(new aws.DeleteNatGatewayCommand({ NatGatewayId }));
    const states = async () => (await natGateways(made)).map(({ State }) => State);
    const interfaces = async () =>
      (
        await made.ec2.send(
          new aws.DescribeNetworkInterfacesCommand({ Filters: [{ Name: 'subnet-id', Values: [ID.db] }] }),
        )
      ).NetworkInterfaces?.filter(({ InterfaceType }) => String(InterfaceType) === 'nat_gateway').length;
    assert.equal(await interfaces(), 1);
    assert.deepEqual(await states(), ['deleting']);
    assert.equal((await last())?.State, 'blackhole');
    made.sandbox.control.clock.advance(5_000);
    assert.deepEqual(await states(), ['deleted']);
    assert.equal(await interfaces(), 0, 'its interface goes with it');
    made.sandbox.control.clock.advance(HOUR);
    assert.deepEqual(await states(), []);
  });

  const refusals: readonly [input: aws.CreateNatGatewayCommandInput, want: string][] = [
    [{ SubnetId: ID.db }, 'MissingParameter'],
    [{ SubnetId: ID.db, AllocationId: 'eipalloc-00000001' }, 'InvalidAllocationID.NotFound'],
    [{ SubnetId: 'subnet-0000000f', ConnectivityType: 'private' }, 'InvalidSubnetID.NotFound'],
  ];
  for (const [input, want] of refusals)
    it(`refuses ${JSON.stringify(input)}: ${want}`, async () => {
      await using made = await bench({ estate: smallEstate() });
      assert.equal(await refusal(made.ec2.send(new aws.CreateNatGatewayCommand(input))), want);
    });
});

describe('listed NAT gateways: what EC2 does', () => {
  it('lists them in pages, by id and by filter', async () => {
    const ids = Array.from({ length: 7 }, (_, i) => `nat-0000000${i}`);
    const estate = {
      regions: [
        {
          account: ACCOUNT,
          region: REGION,
          vpcs: [{ key: 'v', cidr: '10.0.0.0/16', subnets: [{ key: 's', id: ID.app, cidr: '10.0.0.0/24' }] }],
          natGateways: ids.map((id, i) => ({ id, subnet: 's', state: i === 0 ? 'failed' : 'available' })),
        },
      ],
    };
    await using made = await bench({ estate });
    const first = await made.ec2.send(new aws.DescribeNatGatewaysCommand({ MaxResults: 5 }));
    assert.equal(first.NatGateways?.length, 5);
    const rest = await natGateways(made, { MaxResults: 5, NextToken: first.NextToken });
    assert.deepEqual(
      rest.map(({ NatGatewayId }) => NatGatewayId),
      ids.slice(5),
    );
    assert.equal((await natGateways(made, { Filter: [{ Name: 'state', Values: ['failed'] }] })).length, 1);
    assert.equal((await natGateways(made, { Filter: [{ Name: 'subnet-id', Values: [ID.app] }] })).length, 7);
    assert.equal((await natGateways(made, { Filter: [{ Name: 'subnet-id', Values: [ID.db] }] })).length, 0);
    // why: of 256 addresses EC2 keeps five, and a failed gateway holds none
    const { Subnets } = await made.ec2.send(new aws.DescribeSubnetsCommand({ SubnetIds: [ID.app] }));
    assert.equal(Subnets?.[0]?.AvailableIpAddressCount, 251 - 6);
    assert.equal((await natGateways(made, { NatGatewayIds: [given(ids[3])] })).length, 1);
    const absent = new aws.DescribeNatGatewaysCommand({ NatGatewayIds: ['nat-0000000f'] });
    assert.equal(await refusal(made.ec2.send(absent)), 'NatGatewayNotFound');
    assert.equal(
      await refusal(made.ec2.send(new aws.DescribeNatGatewaysCommand({ MaxResults: 4 }))),
      'InvalidParameterValue',
    );
  });
});

describe('peerings: what EC2 does', () => {
  const create = async ({ ec2 }: Bench, over: aws.CreateVpcPeeringConnectionCommandInput) =>
    given(
      (await ec2.send(new aws.CreateVpcPeeringConnectionCommand(over))).VpcPeeringConnection?.VpcPeeringConnectionId,
    );
  const status = async (made: Bench, id: string) =>
    (await peerings(made, { VpcPeeringConnectionIds: [id] }))[0]?.Status?.Code;

  it('waits for the other side, then carries routes, then goes', async () => {
    await using made = await bench({ estate: smallEstate() });
    const VpcPeeringConnectionId = await create(made, { VpcId: ID.vpc, PeerVpcId: ID.otherVpc });
    assert.equal(await status(made, VpcPeeringConnectionId), 'pending-acceptance');
    const route = { RouteTableId: ID.table, DestinationCidrBlock: '10.9.0.0/16', VpcPeeringConnectionId };
    assert.equal(await refusal(made.ec2.send(new aws.CreateRouteCommand(route))), 'InvalidParameterValue');
    await made.ec2.send(new aws.AcceptVpcPeeringConnectionCommand({ VpcPeeringConnectionId }));
    const [peering] = await peerings(made, { Filters: [{ Name: 'accepter-vpc-info.vpc-id', Values: [ID.otherVpc] }] });
    assert.deepEqual(peering?.RequesterVpcInfo, {
      OwnerId: ACCOUNT,
      VpcId: ID.vpc,
      CidrBlock: '10.0.0.0/16',
      CidrBlockSet: [{ CidrBlock: '10.0.0.0/16' }],
      Region: REGION,
    });
    await made.ec2.send(new aws.CreateRouteCommand(route));
    assert.equal((await routes(made)).at(-1)?.State, 'active');
    await made.ec2.send(new aws.DeleteVpcPeeringConnectionCommand({ VpcPeeringConnectionId }));
    assert.equal((await routes(made)).at(-1)?.State, 'blackhole');
    assert.equal(await status(made, VpcPeeringConnectionId), 'deleted');
    const inState = async (code: string) =>
      (await peerings(made, { Filters: [{ Name: 'status-code', Values: [code] }] })).length;
    assert.deepEqual([await inState('deleted'), await inState('active')], [1, 0]);
    made.sandbox.control.clock.advance(HOUR);
    assert.deepEqual(await peerings(made), []);
  });

  it('is another account’s to accept, and expires after a week', async () => {
    await using made = await bench({ estate: smallEstate() });
    const id = await create(made, { VpcId: ID.vpc, PeerVpcId: 'vpc-0000000f', PeerOwnerId: '444455556666' });
    const accept = new aws.AcceptVpcPeeringConnectionCommand({ VpcPeeringConnectionId: id });
    assert.equal(await refusal(made.ec2.send(accept)), 'OperationNotPermitted');
    made.sandbox.control.clock.advance(7 * 24 * HOUR);
    assert.equal(await status(made, id), 'expired');
  });

  it('fails where blocks overlap, and may be rejected', async () => {
    await using made = await bench({ estate: smallEstate() });
    const { Vpc } = await made.ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.9.128.0/17' }));
    const failed = await create(made, { VpcId: ID.otherVpc, PeerVpcId: given(Vpc?.VpcId) });
    assert.equal(await status(made, failed), 'failed');
    const rejected = await create(made, { VpcId: ID.vpc, PeerVpcId: ID.otherVpc });
    await made.ec2.send(new aws.RejectVpcPeeringConnectionCommand({ VpcPeeringConnectionId: rejected }));
    assert.equal(await status(made, rejected), 'rejected');
  });

  it('goes with its VPC', async () => {
    await using made = await bench({ estate: smallEstate() });
    const { Vpc } = await made.ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.200.0.0/16' }));
    const id = await create(made, { VpcId: ID.vpc, PeerVpcId: given(Vpc?.VpcId) });
    await made.ec2.send(new aws.DeleteVpcCommand({ VpcId: Vpc?.VpcId }));
    assert.equal(await status(made, id), 'deleted');
  });
});

describe('further blocks: what EC2 does', () => {
  const vpcOf = async ({ ec2 }: Bench) => (await ec2.send(new aws.DescribeVpcsCommand({ VpcIds: [ID.vpc] }))).Vpcs?.[0];
  const statesOf = async (made: Bench) =>
    (await vpcOf(made))?.CidrBlockAssociationSet?.map(({ CidrBlock, CidrBlockState }) => [
      CidrBlock,
      CidrBlockState?.State,
    ]);

  it('adds an IPv4 block, takes subnets in it, and lists it for an hour after it went', async () => {
    await using made = await bench({ estate: smallEstate() });
    const add = (CidrBlock: string) =>
      made.ec2.send(new aws.AssociateVpcCidrBlockCommand({ VpcId: ID.vpc, CidrBlock }));
    assert.equal(await refusal(add('10.0.128.0/17')), 'InvalidVpc.Range');
    const { CidrBlockAssociation } = await add('100.64.0.0/16');
    assert.deepEqual((await routes(made)).at(-1), {
      DestinationCidrBlock: '100.64.0.0/16',
      GatewayId: 'local',
      Origin: 'CreateRouteTable',
      State: 'active',
    });
    const { Subnet } = await made.ec2.send(new aws.CreateSubnetCommand({ VpcId: ID.vpc, CidrBlock: '100.64.1.0/24' }));
    const remove = new aws.DisassociateVpcCidrBlockCommand({ AssociationId: CidrBlockAssociation?.AssociationId });
    assert.equal(await refusal(made.ec2.send(remove)), 'DependencyViolation');
    await made.ec2.send(new aws.DeleteSubnetCommand({ SubnetId: Subnet?.SubnetId }));
    await made.ec2.send(remove);
    const gone = ['100.64.0.0/16', 'disassociated'];
    assert.deepEqual(await statesOf(made), [['10.0.0.0/16', 'associated'], gone]);
    assert.ok((await routes(made)).every(({ DestinationCidrBlock }) => DestinationCidrBlock !== '100.64.0.0/16'));
    made.sandbox.control.clock.advance(HOUR);
    assert.deepEqual(await statesOf(made), [['10.0.0.0/16', 'associated']]);
  });

  it('adds an IPv6 block to a VPC and to a subnet, and takes it away', async () => {
    await using made = await bench({ estate: smallEstate() });
    await made.ec2.send(new aws.AssociateVpcCidrBlockCommand({ VpcId: ID.vpc, AmazonProvidedIpv6CidrBlock: true }));
    const [block] = given((await vpcOf(made))?.Ipv6CidrBlockAssociationSet);
    const Ipv6CidrBlock = given(block?.Ipv6CidrBlock).replace('/56', '/64');
    const { Ipv6CidrBlockAssociation } = await made.ec2.send(
      new aws.AssociateSubnetCidrBlockCommand({ SubnetId: ID.app, Ipv6CidrBlock }),
    );
    const subnetBlocks = async () =>
      (await made.ec2.send(new aws.DescribeSubnetsCommand({ SubnetIds: [ID.app] }))).Subnets?.[0]
        ?.Ipv6CidrBlockAssociationSet ?? [];
    assert.deepEqual(
      (await subnetBlocks()).map((one) => one.Ipv6CidrBlock),
      [Ipv6CidrBlock],
    );
    const removeVpcs = new aws.DisassociateVpcCidrBlockCommand({ AssociationId: block?.AssociationId });
    assert.equal(await refusal(made.ec2.send(removeVpcs)), 'DependencyViolation');
    await made.ec2.send(
      new aws.DisassociateSubnetCidrBlockCommand({ AssociationId: Ipv6CidrBlockAssociation?.AssociationId }),
    );
    assert.deepEqual(await subnetBlocks(), []);
    assert.equal(await refusal(made.ec2.send(removeVpcs)), 'accepted');
  });
});

describe('an estate with ways out', () => {
  const estate = (over: object) => ({
    regions: [
      {
        account: ACCOUNT,
        region: REGION,
        vpcs: [
          {
            key: 'core',
            id: ID.vpc,
            cidr: '10.0.0.0/16',
            ipv6: '2001:db8::/56',
            further: ['100.64.0.0/16', '2001:db8:1::/56'],
            subnets: [{ key: 'app', id: ID.app, cidr: '100.64.1.0/24', ipv6: '2001:db8:0:1::/64' }],
            routeTables: [
              {
                id: ID.table,
                subnets: ['app'],
                routes: [
                  { to: 'pl-00000001', via: 'vpce-00000001' },
                  { to: '10.9.0.0/16', via: 'vgw-00000001', propagated: true },
                  { to: '10.8.0.0/16', via: 'tgw-00000001' },
                ],
              },
            ],
          },
        ],
        natGateways: [{ id: 'nat-00000001', subnet: 'app' }],
        peerings: [
          {
            id: 'pcx-00000001',
            requester: 'vpc-0000000f',
            accepter: 'core',
            account: '444455556666',
            cidr: '10.7.0.0/16',
          },
        ],
        ...over,
      },
    ],
  });

  it('is listed as EC2 would', async () => {
    await using made = await bench({ estate: estate({}) });
    const { Vpcs } = await made.ec2.send(new aws.DescribeVpcsCommand({}));
    assert.equal(Vpcs?.[0]?.CidrBlockAssociationSet?.length, 2);
    assert.equal(Vpcs?.[0]?.Ipv6CidrBlockAssociationSet?.length, 2);
    const own = (await routes(made)).filter(({ GatewayId }) => GatewayId !== 'local');
    assert.deepEqual(own, [
      { DestinationPrefixListId: 'pl-00000001', GatewayId: 'vpce-00000001', Origin: 'CreateRoute', State: 'active' },
      {
        DestinationCidrBlock: '10.9.0.0/16',
        GatewayId: 'vgw-00000001',
        Origin: 'EnableVgwRoutePropagation',
        State: 'active',
      },
      {
        DestinationCidrBlock: '10.8.0.0/16',
        TransitGatewayId: 'tgw-00000001',
        Origin: 'CreateRoute',
        State: 'active',
      },
    ]);
    const [peering] = await peerings(made);
    assert.deepEqual(
      [peering?.RequesterVpcInfo?.OwnerId, peering?.AccepterVpcInfo?.VpcId, peering?.Status?.Code],
      ['444455556666', ID.vpc, 'active'],
    );
    assert.deepEqual(
      (await natGateways(made)).map(({ State, VpcId }) => [State, VpcId]),
      [['available', ID.vpc]],
    );
  });

  it('that names no VPC of its own on a peering is refused', async () => {
    const peering = { requester: 'vpc-0000000e', accepter: 'vpc-0000000f' };
    await assert.rejects(bench({ estate: estate({ peerings: [peering] }) }), {
      message: 'regions[0].peerings[0]: neither vpc-0000000e nor vpc-0000000f is a VPC here',
    });
  });
});
