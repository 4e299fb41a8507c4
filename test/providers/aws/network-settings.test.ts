import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  NatGateway,
  NatGatewayState,
  Route,
  RouteTable,
  Subnet,
  Vpc,
  VpcCidrBlockStateCode,
  VpcPeeringConnection,
  VpcPeeringConnectionStateReasonCode,
} from '@aws-sdk/client-ec2';
import { observeVpc } from '../../../providers/aws/network.ts';
import type { ListedSettings } from '../../../providers/aws/network-settings.ts';
import { indexTables, observeSubnet } from '../../../providers/aws/subnet.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { NetworkSettings, SubnetSettings } from '../../../src/core/resource.ts';
import { account, region } from '../../support/aws-session.ts';

const parts = { internet: false, parts: [], missing: [] } as const;
const vpcId = 'vpc-1';

const block = (CidrBlock: string, State: VpcCidrBlockStateCode) => ({ CidrBlock, CidrBlockState: { State } });
const v6 = (Ipv6CidrBlock: string, State: VpcCidrBlockStateCode) => ({ Ipv6CidrBlock, Ipv6CidrBlockState: { State } });
const nat = (NatGatewayId: string, State: NatGatewayState, VpcId = vpcId): NatGateway => ({
  NatGatewayId,
  State,
  VpcId,
});
const pcx = (
  id: string,
  Code: VpcPeeringConnectionStateReasonCode,
  requester: string,
  accepter: string,
): VpcPeeringConnection => ({
  VpcPeeringConnectionId: id,
  Status: { Code },
  RequesterVpcInfo: { VpcId: requester },
  AccepterVpcInfo: { VpcId: accepter },
});
const plain: NetworkSettings = { secondaryCidrs: [], ipv6Cidrs: [] };

const rows: readonly (readonly [string, Partial<Vpc>, Partial<ListedSettings>, NetworkSettings])[] = [
  ['a plain one', { CidrBlockAssociationSet: [block('10.0.0.0/16', 'associated')] }, {}, plain],
  ['an older answer without the list', {}, {}, plain],
  [
    'further blocks, in any order and spelling',
    {
      CidrBlockAssociationSet: [
        block('100.64.0.9/16', 'associated'),
        block('10.0.0.0/16', 'associated'),
        block('10.1.0.0/16', 'associating'),
      ],
      Ipv6CidrBlockAssociationSet: [v6('2001:DB8:0:1::/56', 'associated'), v6('2001:db8::/56', 'associating')],
    },
    {},
    { secondaryCidrs: ['10.1.0.0/16', '100.64.0.0/16'], ipv6Cidrs: ['2001:db8::/56'] },
  ],
  [
    'blocks that are not there, or go',
    {
      CidrBlockAssociationSet: (['disassociating', 'disassociated', 'failing', 'failed'] as const).map((state) =>
        block('10.1.0.0/16', state),
      ),
      Ipv6CidrBlockAssociationSet: (['disassociating', 'disassociated', 'failing', 'failed'] as const).map((state) =>
        v6('2001:db8::/56', state),
      ),
    },
    {},
    plain,
  ],
  ['no NAT gateway', {}, { natGateways: [] }, { ...plain, natGateways: [] }],
  [
    'NAT gateways, one of another VPC',
    {},
    { natGateways: [nat('nat-9', 'available'), nat('nat-1', 'pending'), nat('nat-5', 'available', 'vpc-2')] },
    { ...plain, natGateways: ['nat-1', 'nat-9'] },
  ],
  [
    'NAT gateways that are gone, or go',
    {},
    { natGateways: (['failed', 'deleting', 'deleted'] as const).map((state) => nat(`nat-${state}`, state)) },
    { ...plain, natGateways: [] },
  ],
  [
    'peerings of both sides, in any order',
    {},
    {
      peerings: [
        pcx('pcx-9', 'active', 'vpc-7', vpcId),
        pcx('pcx-1', 'active', vpcId, 'vpc-8'),
        pcx('pcx-2', 'active', 'vpc-7', 'vpc-8'),
      ],
    },
    {
      ...plain,
      peerings: [
        { name: 'pcx-1', network: 'vpc-8' },
        { name: 'pcx-9', network: 'vpc-7' },
      ],
    },
  ],
  [
    'peerings that wait or begin',
    {},
    {
      peerings: (['initiating-request', 'pending-acceptance', 'provisioning'] as const).map((code, i) =>
        pcx(`pcx-${i}`, code, vpcId, 'vpc-8'),
      ),
    },
    { ...plain, peerings: [0, 1, 2].map((i) => ({ name: `pcx-${i}`, network: 'vpc-8' })) },
  ],
  [
    'peerings that are gone, or go',
    {},
    {
      peerings: (['failed', 'expired', 'rejected', 'deleting', 'deleted'] as const).map((code) =>
        pcx(`pcx-${code}`, code, vpcId, 'vpc-8'),
      ),
    },
    { ...plain, peerings: [] },
  ],
  [
    'of another account, which alone is told of them',
    { OwnerId: '999900009999' },
    { natGateways: [], peerings: [] },
    plain,
  ],
];
const observed = (vpc: Partial<Vpc>, listed: Partial<ListedSettings>): Observed<'network'> => {
  const settings = { unlisted: [], ...listed };
  return observeVpc({ VpcId: vpcId, CidrBlock: '10.0.0.0/16', ...vpc }, { parts, region, account, settings });
};
for (const [name, vpc, listed, want] of rows)
  test(`VPC: ${name}`, () => assert.deepEqual(observed(vpc, listed).attributes.settings, want));

test('further blocks are in its condition too, and what could not be listed', () => {
  const unlisted = [{ setting: 'peerings', code: 'UnauthorizedOperation', reason: 'no' }] as const;
  const set = { CidrBlockAssociationSet: [block('10.1.0.0/16', 'associated')] };
  const { condition } = observed(
    { ...set, Ipv6CidrBlockAssociationSet: [v6('2001:db8::/56', 'associated')] },
    { unlisted },
  );
  assert.deepEqual(condition.furtherBlocks, ['10.1.0.0/16', '2001:db8::/56']);
  assert.deepEqual(condition.unlisted, unlisted);
  assert.ok(!('furtherBlocks' in observed({}, {}).condition));
  assert.ok(!('unlisted' in observed({}, {}).condition));
});

const subnet: Subnet = { SubnetId: 'subnet-1', VpcId: vpcId, CidrBlock: '10.0.1.0/24' };
const local: Route = { DestinationCidrBlock: '10.0.0.0/16', GatewayId: 'local', Origin: 'CreateRouteTable' };
const main = (...Routes: Route[]): RouteTable => ({
  RouteTableId: 'rtb-main',
  VpcId: vpcId,
  Associations: [{ Main: true }],
  Routes: [local, ...Routes],
});
const own = (...Routes: Route[]): RouteTable => ({
  RouteTableId: 'rtb-own',
  VpcId: vpcId,
  Associations: [{ Main: false, SubnetId: 'subnet-1' }],
  Routes: [local, ...Routes],
});
const to = (hop: Route, destination: Route = { DestinationCidrBlock: '10.9.0.0/16' }): Route => ({
  Origin: 'CreateRoute',
  State: 'active',
  ...destination,
  ...hop,
});
const bare: SubnetSettings = { ipv6Cidrs: [], publicIpOnLaunch: false, routes: [] };
const nine = (nextHop: string): SubnetSettings => ({ ...bare, routes: [{ destination: '10.9.0.0/16', nextHop }] });

const hops: readonly (readonly [string, Route])[] = [
  ['igw-1', { GatewayId: 'igw-1' }],
  ['vgw-1', { GatewayId: 'vgw-1' }],
  ['vpce-1', { GatewayId: 'vpce-1' }],
  ['nat-1', { NatGatewayId: 'nat-1' }],
  ['eni-1', { NetworkInterfaceId: 'eni-1' }],
  ['eni-1', { InstanceId: 'i-1', InstanceOwnerId: account, NetworkInterfaceId: 'eni-1' }],
  ['i-1', { InstanceId: 'i-1' }],
  ['pcx-1', { VpcPeeringConnectionId: 'pcx-1' }],
  ['tgw-1', { TransitGatewayId: 'tgw-1' }],
  ['eigw-1', { EgressOnlyInternetGatewayId: 'eigw-1' }],
  ['lgw-1', { LocalGatewayId: 'lgw-1' }],
  ['cagw-1', { CarrierGatewayId: 'cagw-1' }],
  ['arn:aws:networkmanager::1:core-network/x', { CoreNetworkArn: 'arn:aws:networkmanager::1:core-network/x' }],
  ['nat-1', { NatGatewayId: 'nat-1', State: 'blackhole' }],
  ['blackhole', { State: 'blackhole' }],
];
const subnetRows: readonly (readonly [string, Partial<Subnet>, readonly RouteTable[], SubnetSettings])[] = [
  ['a plain one', { MapPublicIpOnLaunch: false }, [main()], bare],
  ['a public address on launch', { MapPublicIpOnLaunch: true }, [main()], { ...bare, publicIpOnLaunch: true }],
  [
    'an IPv6 block, and one that goes',
    {
      Ipv6CidrBlockAssociationSet: [
        { Ipv6CidrBlock: '2001:DB8::/64', Ipv6CidrBlockState: { State: 'associated' } },
        { Ipv6CidrBlock: '2001:db8:0:1::/64', Ipv6CidrBlockState: { State: 'disassociating' } },
      ],
    },
    [main()],
    { ...bare, ipv6Cidrs: ['2001:db8::/64'] },
  ],
  ['its own table before the main one', {}, [main(to({ NatGatewayId: 'nat-1' })), own()], bare],
  ['the main table of its VPC', {}, [main(to({ NatGatewayId: 'nat-1' }))], nine('nat-1')],
  ['no main table of another VPC', {}, [{ ...main(to({ NatGatewayId: 'nat-1' })), VpcId: 'vpc-2' }, main()], bare],
  [
    'routes that a gateway propagates',
    {},
    [main(to({ GatewayId: 'vgw-1', Origin: 'EnableVgwRoutePropagation' }))],
    bare,
  ],
  ['routes of a route server', {}, [main(to({ IpAddress: '10.0.0.9', Origin: 'Advertisement' }))], bare],
  [
    'blocks of both families and a prefix list, sorted',
    {},
    [
      main(
        to({ GatewayId: 'vpce-1' }, { DestinationPrefixListId: 'pl-1' }),
        to({ EgressOnlyInternetGatewayId: 'eigw-1' }, { DestinationIpv6CidrBlock: '2001:DB8::/32' }),
        to({ NatGatewayId: 'nat-1' }, { DestinationCidrBlock: '0.0.0.0/0' }),
      ),
    ],
    {
      ...bare,
      routes: [
        { destination: '0.0.0.0/0', nextHop: 'nat-1' },
        { destination: '2001:db8::/32', nextHop: 'eigw-1' },
        { destination: 'pl-1', nextHop: 'vpce-1' },
      ],
    },
  ],
  ...hops.map(([want, hop]) => [`a route to ${JSON.stringify(hop)}`, {}, [main(to(hop))], nine(want)] as const),
];
for (const [name, given, tables, want] of subnetRows)
  test(`subnet: ${name}`, () =>
    assert.deepEqual(observeSubnet({ ...subnet, ...given }, indexTables(tables), account).attributes.settings, want));

test('a short listing of tables reads as unlisted routes, never as none', () => {
  const { attributes, condition } = observeSubnet(subnet, indexTables([]), account);
  assert.ok(!('routes' in (attributes.settings ?? {})));
  assert.deepEqual(condition.unlisted, [
    { setting: 'routes', code: 'NoRouteTable', reason: 'EC2 listed no route table of subnet-1' },
  ]);
  assert.ok(!('unlisted' in observeSubnet(subnet, undefined, account).condition), 'nobody asked for tables');
});
