import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  AttachInternetGatewayCommand,
  CreateInternetGatewayCommand,
  CreateRouteCommand,
  DescribeRouteTablesCommand,
  EC2Client,
  type Route,
} from '@aws-sdk/client-ec2';
import { wayOutOf } from '../../../providers/aws/internet/signs.ts';
import { diff } from '../../../src/core/diff.ts';
import { openAwsStage, region } from '../../support/aws-session.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { createOne, listOf, networkOf, subnetOf } from './estate.ts';

interface Row {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly want: boolean | 'partial';
}

const via = (DestinationCidrBlock: string, GatewayId = 'igw-1'): Route => ({ DestinationCidrBlock, GatewayId });
const via6 = (DestinationIpv6CidrBlock: string): Route => ({ DestinationIpv6CidrBlock, GatewayId: 'igw-1' });

const rows: readonly Row[] = [
  { name: 'nothing', routes: [], want: false },
  { name: 'the local route', routes: [via('10.0.0.0/16', 'local')], want: false },
  { name: 'the default route', routes: [via('0.0.0.0/0')], want: true },
  { name: 'the default route of IPv6', routes: [via6('::/0')], want: 'partial' },
  { name: 'two halves', routes: [via('0.0.0.0/1'), via('128.0.0.0/1')], want: 'partial' },
  { name: 'one half', routes: [via('128.0.0.0/1')], want: 'partial' },
  { name: 'two halves of IPv6', routes: [via6('::/1'), via6('8000::/1')], want: 'partial' },
  { name: 'one block', routes: [via('198.51.100.0/24')], want: 'partial' },
  { name: 'both default routes', routes: [via6('::/0'), via('0.0.0.0/0')], want: true },
  { name: 'a route whose gateway is gone', routes: [{ ...via6('::/0'), State: 'blackhole' }], want: false },
  { name: 'a NAT gateway', routes: [{ DestinationCidrBlock: '0.0.0.0/0', NatGatewayId: 'nat-1' }], want: false },
  {
    name: 'an egress-only gateway',
    routes: [{ DestinationIpv6CidrBlock: '::/0', EgressOnlyInternetGatewayId: 'eigw-1' }],
    want: false,
  },
  { name: 'a private gateway', routes: [via('0.0.0.0/0', 'vgw-1')], want: false },
];

describe('how far a route table leads to the internet', () => {
  for (const { name, routes, want } of rows)
    test(`${name}: ${want}`, () => {
      assert.equal(wayOutOf({ Routes: [...routes] }), want);
      assert.equal(wayOutOf({ Routes: [...routes] }, 'igw-1'), want);
      assert.equal(wayOutOf({ Routes: [...routes] }, 'igw-2'), false);
    });
});

const byHand: readonly (readonly [name: string, destinations: readonly object[]])[] = [
  ['the default route', [{ DestinationCidrBlock: '0.0.0.0/0' }]],
  ['the default route of IPv6', [{ DestinationIpv6CidrBlock: '::/0' }]],
  ['two halves', [{ DestinationCidrBlock: '0.0.0.0/1' }, { DestinationCidrBlock: '128.0.0.0/1' }]],
];

describe('a network without internet, and what somebody routes out of it by hand', () => {
  for (const [name, destinations] of byHand)
    test(`${name}: drift of the network and of its subnet`, async (t) => {
      const stage = await openAwsStage();
      t.after(() => stage.close());
      const session = await stage.open();
      const network = await createOne(session, networkOf('core'));
      await createOne(session, subnetOf('core.app', network.id, { internet: false }));
      const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
      const client = new EC2Client({ endpoint: stage.sandbox.url, region, credentials, maxAttempts: 1 });
      t.after(() => client.destroy());
      const { InternetGateway } = await client.send(new CreateInternetGatewayCommand({}));
      const GatewayId = InternetGateway?.InternetGatewayId;
      await client.send(new AttachInternetGatewayCommand({ InternetGatewayId: GatewayId, VpcId: network.id }));
      const { RouteTables } = await client.send(
        new DescribeRouteTablesCommand({ Filters: [{ Name: 'vpc-id', Values: [network.id] }] }),
      );
      const RouteTableId = RouteTables?.[0]?.RouteTableId;
      for (const destination of destinations)
        await client.send(new CreateRouteCommand({ RouteTableId, GatewayId, ...destination }));
      const looked = await stage.open();
      for (const kind of ['network', 'subnet'] as const) {
        const [seen] = await listOf(looked, kind);
        assert.ok(seen);
        assert.deepEqual(
          diff({ internet: false }, seen.attributes).map(({ field }) => field),
          ['internet'],
          kind,
        );
        const [read] = await looked.actuators[kind].read([seen.id], recordedCall());
        assert.deepEqual(read?.ok && read.value?.attributes, seen.attributes, kind);
      }
    });
});
