import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import {
  AssociateRouteTableCommand,
  AttachInternetGatewayCommand,
  CreateInternetGatewayCommand,
  CreateRouteCommand,
  CreateRouteTableCommand,
  DescribeInternetGatewaysCommand,
  DescribeRouteTablesCommand,
  EC2Client,
  type Route,
} from '@aws-sdk/client-ec2';
import { internetRouteOf } from '../../../providers/aws/internet/signs.ts';
import { markTags } from '../../../providers/aws/marks.ts';
import { tagList } from '../../../providers/aws/tags.ts';
import { diff } from '../../../src/core/diff.ts';
import type { Mark, Observed } from '../../../src/core/observed.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Session } from '../../../src/ports/provider.ts';
import { type AwsStage, openAwsStage, region } from '../../support/aws-session.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { codes, createOne, listOf, networkOf, revise, subnetOf } from './estate.ts';

let stage: AwsStage;
let session: Session;
let byHand: EC2Client;
beforeEach(async () => {
  stage = await openAwsStage();
  session = await stage.open();
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  byHand = new EC2Client({ endpoint: stage.sandbox.url, region, credentials, maxAttempts: 1 });
});
afterEach(async () => {
  byHand.destroy();
  await stage.close();
});

const core = networkOf('core', { internet: true });
const closed = networkOf('core');
const only = async (): Promise<Observed<'network'>> =>
  (await listOf(session, 'network'))[0] ?? assert.fail('no network');

/** A table that says of itself that it is the part of a network with this mark; a subnet goes by it. */
async function tableByHand(VpcId: CloudId, mark: Mark): Promise<CloudId> {
  const Tags = tagList(markTags(mark, { part: 'route-table' }));
  const TagSpecifications = [{ ResourceType: 'route-table' as const, Tags }];
  const { RouteTable } = await byHand.send(new CreateRouteTableCommand({ VpcId, TagSpecifications }));
  const subnet = await createOne(session, subnetOf('core.theirs', VpcId));
  const RouteTableId = RouteTable?.RouteTableId ?? '';
  await byHand.send(new AssociateRouteTableCommand({ RouteTableId, SubnetId: subnet.id }));
  return RouteTableId;
}

async function gatewayByHand(VpcId: CloudId, mark: Mark): Promise<CloudId> {
  const Tags = tagList(markTags(mark, { part: 'internet-gateway' }));
  const TagSpecifications = [{ ResourceType: 'internet-gateway' as const, Tags }];
  const { InternetGateway } = await byHand.send(new CreateInternetGatewayCommand({ TagSpecifications }));
  const InternetGatewayId = InternetGateway?.InternetGatewayId ?? '';
  await byHand.send(new AttachInternetGatewayCommand({ InternetGatewayId, VpcId }));
  return InternetGatewayId;
}

/** Every gateway and table with its tags, routes and associations. */
const standing = async () => ({
  gateways: (await byHand.send(new DescribeInternetGatewaysCommand({}))).InternetGateways ?? [],
  tables: (await byHand.send(new DescribeRouteTablesCommand({}))).RouteTables ?? [],
});

const toInternet = async (internet: boolean) => {
  const observed = await only();
  const revision = revise(internet ? core : closed, observed, {
    attributes: { ...core.desired.attributes, internet },
    changes: [{ field: 'internet', from: observed.attributes.internet, to: internet }],
  });
  return codes(await session.actuators.network.update([revision], recordedCall()));
};
const remark = async (mark: Mark, labels: Readonly<Record<string, string>> = {}) => {
  const changes = Object.entries(labels).map(([key, to]) => ({ field: `labels.${key}`, to }));
  const revision = { ...revise(core, await only(), { attributes: core.desired.attributes, changes }), mark };
  return codes(await session.actuators.network.update([revision], recordedCall()));
};
const remove = async () => {
  const observed = await only();
  return codes(await session.actuators.network.delete([{ id: observed.id, observed }], recordedCall()));
};

const others = { estate: 'other', store: 'store-9', address: `${core.mark.address}-9` };
const foreign: Mark = { ...core.mark, ...others };

describe('a route table with a copied mark', () => {
  test('of another estate stays, with its subnets, when the way to the internet goes', async () => {
    const { id } = await createOne(session, core);
    const theirs = await tableByHand(id, { ...core.mark, estate: others.estate });
    const before = (await standing()).tables.find(({ RouteTableId }) => RouteTableId === theirs);
    assert.deepEqual(await toInternet(false), ['ok']);
    const after = await standing();
    assert.deepEqual(
      after.tables.find(({ RouteTableId }) => RouteTableId === theirs),
      before,
    );
    assert.deepEqual([after.gateways.length, after.tables.length], [0, 2]);
  });

  const doubts = [
    { name: 'of another store', mark: { ...core.mark, store: others.store } },
    { name: 'of another address', mark: { ...core.mark, address: others.address } },
    { name: 'of this very network', mark: core.mark },
  ];
  for (const { name, mark } of doubts) {
    test(`${name} is in doubt: nothing is touched`, async () => {
      const { id } = await createOne(session, core);
      await tableByHand(id, mark);
      const before = await standing();
      assert.deepEqual(await toInternet(false), ['DoubtfulPart']);
      assert.deepEqual(await standing(), before);
    });
  }

  test('is no part of a network without internet, and not its way there', async () => {
    const { id } = await createOne(session, closed);
    const theirs = await tableByHand(id, { ...core.mark, estate: others.estate });
    const { attributes, condition } = await only();
    assert.deepEqual([attributes.internet, condition.parts], [false, undefined]);
    assert.deepEqual(await toInternet(true), ['ok']);
    const parts = (await only()).condition.parts ?? [];
    assert.ok(parts.length === 2 && parts.every((part) => part.id !== theirs));
  });

  test('keeps its network whole', async () => {
    const { id } = await createOne(session, core);
    const TagSpecifications = [
      { ResourceType: 'route-table' as const, Tags: tagList(markTags(foreign, { part: 'route-table' })) },
    ];
    await byHand.send(new CreateRouteTableCommand({ VpcId: id, TagSpecifications }));
    const before = await standing();
    assert.deepEqual(await remove(), ['DependencyViolation']);
    assert.deepEqual(await standing(), before);
  });
});

for (const field of ['estate', 'store', 'address'] as const) {
  test(`a gateway whose ${field} differs is somebody else's: it stays attached, and its tags stay`, async () => {
    const { id } = await createOne(session, closed);
    await gatewayByHand(id, { ...core.mark, [field]: others[field] });
    await toInternet(true);
    const before = await standing();
    assert.deepEqual(await toInternet(false), ['ForeignGateway']);
    assert.deepEqual(await remove(), ['DependencyViolation']);
    assert.deepEqual(await standing(), before);
    assert.deepEqual(await remark({ ...core.mark, deletionPolicy: 'retain' }), ['ok']);
    assert.deepEqual((await standing()).gateways, before.gateways);
  });
}

describe('a new mark', () => {
  const renamed: Mark = { ...core.mark, address: others.address };
  const taken: Mark = { ...core.mark, store: others.store };

  for (const [name, mark] of Object.entries({ renamed, taken })) {
    test(`goes with the parts: a network ${name} closes, and goes`, async () => {
      await createOne(session, core);
      assert.deepEqual(await remark(mark), ['ok']);
      assert.deepEqual(await toInternet(false), ['ok']);
      assert.equal((await standing()).gateways.length, 0);
      assert.deepEqual(await remove(), ['ok']);
    });
  }

  test('that could not be written on the parts is not on the network: the next reconcile writes it again', async () => {
    await createOne(session, core);
    const fault = { match: { action: 'CreateTags', times: 1 }, effect: { kind: 'throttle' } } as const;
    stage.sandbox.control.faults.add(fault);
    assert.deepEqual(await remark(renamed, { tier: 'a' }), ['RequestLimitExceeded']);
    assert.deepEqual((await only()).signs.mark, core.mark);
    assert.deepEqual(await remark(renamed, { tier: 'a' }), ['ok']);
    assert.deepEqual((await only()).signs.mark, renamed);
    assert.deepEqual(await toInternet(false), ['ok']);
  });

  test('that came to the parts alone makes no part twice', async () => {
    await createOne(session, core);
    const fault = { match: { action: 'CreateTags', nth: 2 }, effect: { kind: 'throttle' } } as const;
    stage.sandbox.control.faults.add(fault);
    assert.deepEqual(await remark(renamed, { tier: 'a' }), ['RequestLimitExceeded']);
    const { attributes, condition, signs } = await only();
    assert.deepEqual(signs.mark, core.mark);
    assert.deepEqual([attributes.internet, condition.parts?.length], [true, 2]);
    assert.deepEqual(await toInternet(true), ['ok']);
    assert.deepEqual([(await standing()).gateways.length, (await standing()).tables.length], [1, 2]);
    assert.deepEqual(await remark(renamed, { tier: 'a' }), ['ok']);
    assert.deepEqual(await toInternet(false), ['ok']);
  });
});

let lateStage: AwsStage;
let lateSession: Session;
let late: EC2Client;
beforeEach(async () => {
  lateStage = await openAwsStage();
  lateSession = await lateStage.open();
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  late = new EC2Client({ endpoint: lateStage.sandbox.url, region, credentials, maxAttempts: 1 });
});
afterEach(async () => {
  late.destroy();
  await lateStage.close();
});

const lateCore = networkOf('core', { internet: true });
const lateOnly = async (): Promise<Observed<'network'>> =>
  (await listOf(lateSession, 'network'))[0] ?? assert.fail('no network');
const gateways = async () => (await late.send(new DescribeInternetGatewaysCommand({}))).InternetGateways ?? [];

/** As a process sends it that was stopped right before. */
async function secondGateway(mark: Mark): Promise<string> {
  const Tags = tagList(markTags(mark, { part: 'internet-gateway' }));
  const TagSpecifications = [{ ResourceType: 'internet-gateway' as const, Tags }];
  const { InternetGateway } = await late.send(new CreateInternetGatewayCommand({ TagSpecifications }));
  return InternetGateway?.InternetGatewayId ?? '';
}

const lateToInternet = async (internet: boolean) => {
  const observed = await lateOnly();
  const revision = revise(lateCore, observed, {
    attributes: { ...lateCore.desired.attributes, internet },
    changes: [{ field: 'internet', from: observed.attributes.internet, to: internet }],
  });
  return codes(await lateSession.actuators.network.update([revision], recordedCall()));
};

test('a gateway that came late beside the attached one is seen as a part, and goes', async () => {
  await createOne(lateSession, lateCore);
  const [first] = await gateways();
  const second = await secondGateway(lateCore.mark);
  const { attributes, condition } = await lateOnly();
  assert.equal(attributes.internet, 'partial');
  assert.ok(condition.parts?.some(({ id }) => id === second));
  assert.deepEqual(condition.missing, ['one-gateway-only']);
  assert.deepEqual(await lateToInternet(true), ['ok']);
  assert.deepEqual(await gateways(), [first]);
  assert.equal((await lateOnly()).attributes.internet, true);
});

test('and with its network', async () => {
  await createOne(lateSession, lateCore);
  await secondGateway(lateCore.mark);
  const observed = await lateOnly();
  assert.deepEqual(codes(await lateSession.actuators.network.delete([{ id: observed.id, observed }], recordedCall())), [
    'ok',
  ]);
  assert.deepEqual(await gateways(), []);
});

test('and where the way to the internet goes', async () => {
  await createOne(lateSession, lateCore);
  await secondGateway(lateCore.mark);
  assert.deepEqual(await lateToInternet(false), ['ok']);
  assert.deepEqual(await gateways(), []);
});

for (const [strange, more] of Object.entries({
  'another intent': { intent: 'intent-9' },
  'another estate': { estate: 'other' },
  'another store': { store: 'store-9' },
})) {
  test(`one of ${strange} is no part of it, and stays`, async () => {
    await createOne(lateSession, lateCore);
    await secondGateway({ ...lateCore.mark, ...more });
    assert.equal((await lateOnly()).attributes.internet, true);
    assert.deepEqual(await lateToInternet(true), ['ok']);
    assert.equal((await gateways()).length, 2);
  });
}

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
      assert.equal(internetRouteOf({ Routes: [...routes] }), want);
      assert.equal(internetRouteOf({ Routes: [...routes] }, 'igw-1'), want);
      assert.equal(internetRouteOf({ Routes: [...routes] }, 'igw-2'), false);
    });
});

const waysByHand: readonly (readonly [name: string, destinations: readonly object[]])[] = [
  ['the default route', [{ DestinationCidrBlock: '0.0.0.0/0' }]],
  ['the default route of IPv6', [{ DestinationIpv6CidrBlock: '::/0' }]],
  ['two halves', [{ DestinationCidrBlock: '0.0.0.0/1' }, { DestinationCidrBlock: '128.0.0.0/1' }]],
];

describe('a network without internet, and what somebody routes out of it by hand', () => {
  for (const [name, destinations] of waysByHand)
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
