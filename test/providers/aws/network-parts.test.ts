import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import {
  AssociateRouteTableCommand,
  AttachInternetGatewayCommand,
  CreateInternetGatewayCommand,
  CreateRouteTableCommand,
  DescribeInternetGatewaysCommand,
  DescribeRouteTablesCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { markTags } from '../../../providers/aws/marks.ts';
import { tagList } from '../../../providers/aws/tags.ts';
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

  test('that could not be written on the parts is not on the network: the next pass writes it again', async () => {
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
