import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Effect } from '../../../sandbox/faults.ts';
import { maxAttempts } from '../../../src/core/failure.ts';
import type { ListedSetting } from '../../../src/core/resource.ts';
import type { Call, Session } from '../../../src/ports/provider.ts';
import { type AwsStage, account, openAwsStage, region } from '../../support/aws-session.ts';
import { everyPage } from '../../support/every-page.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { actionsOf, createOne, networkOf, subnetOf } from './estate.ts';

let stage: AwsStage;
let session: Session;
beforeEach(async () => {
  stage = await openAwsStage();
  stage.sandbox.control.ec2.load({
    regions: [
      {
        account,
        region,
        vpcs: [
          { key: 'a', id: 'vpc-00000001', cidr: '10.1.0.0/16', subnets: [{ key: 's', cidr: '10.1.0.0/24' }] },
          { key: 'b', id: 'vpc-00000002', cidr: '10.2.0.0/16' },
        ],
        natGateways: Array.from({ length: 7 }, (_, i) => ({ id: `nat-0000000${i}`, subnet: 's' })),
        peerings: [{ id: 'pcx-00000001', requester: 'a', accepter: 'b' }],
      },
    ],
  });
  session = await stage.open();
});
afterEach(() => stage.close());

const asking = (...settings: readonly ListedSetting[]): Call => ({ ...recordedCall(), settings: new Set(settings) });
const list = async (call: Call) =>
  new Map((await everyPage(session.actuators.network, call)).map((one) => [one.id, one]));
const extra = ['DescribeNatGateways', 'DescribeVpcPeeringConnections'];
const extraCalls = () => actionsOf(stage).filter((action) => extra.includes(action));
const fail = (action: string, effect: Effect, times?: number): void => {
  stage.sandbox.control.faults.add({ match: { action, ...(times === undefined ? {} : { times }) }, effect });
};

test('nobody asks for what no document states', async () => {
  const found = await list(recordedCall());
  assert.deepEqual(extraCalls(), []);
  assert.deepEqual(found.get('vpc-00000001')?.attributes.settings, { secondaryCidrs: [], ipv6Cidrs: [] });
  await list(asking('routes'));
  assert.deepEqual(extraCalls(), [], 'routes cost nothing');
  await list(asking('peerings'));
  assert.deepEqual(extraCalls(), ['DescribeVpcPeeringConnections']);
});

test('both sides of a peering see it, and each VPC its own NAT gateways, of every page', async () => {
  fail('DescribeNatGateways', { kind: 'short-page', items: 5 });
  const found = await list(asking('natGateways', 'peerings'));
  assert.deepEqual(found.get('vpc-00000001')?.attributes.settings, {
    secondaryCidrs: [],
    ipv6Cidrs: [],
    natGateways: Array.from({ length: 7 }, (_, i) => `nat-0000000${i}`),
    peerings: [{ name: 'pcx-00000001', network: 'vpc-00000002' }],
  });
  assert.deepEqual(found.get('vpc-00000002')?.attributes.settings?.peerings, [
    { name: 'pcx-00000001', network: 'vpc-00000001' },
  ]);
  assert.deepEqual(found.get('vpc-00000002')?.attributes.settings?.natGateways, []);
  assert.equal(extraCalls().filter((action) => action === 'DescribeNatGateways').length, 2, 'two pages');
});

test('a read by id has the same', async () => {
  const call = asking('natGateways', 'peerings');
  const listed = await list(call);
  const [result] = await session.actuators.network.read(['vpc-00000001'], call);
  assert.deepEqual(result?.ok && result.value?.attributes, listed.get('vpc-00000001')?.attributes);
});

test('a denied listing is unlisted on every network, and stops nothing else', async () => {
  fail('DescribeNatGateways', { kind: 'access-denied' });
  const call = asking('natGateways', 'peerings');
  const found = await list(call);
  assert.equal(found.size, 2);
  for (const { attributes, condition } of found.values()) {
    assert.ok(!('natGateways' in (attributes.settings ?? {})));
    assert.equal(attributes.settings?.peerings?.length, 1);
    assert.deepEqual(
      condition.unlisted?.map(({ setting, code }) => [setting, code]),
      [['natGateways', 'UnauthorizedOperation']],
    );
    assert.match(condition.unlisted?.[0]?.reason ?? '', /not authorized to perform: ec2:DescribeNatGateways/);
  }
  const [result] = await session.actuators.network.read(['vpc-00000001'], call);
  assert.equal(result?.ok && result.value?.condition.unlisted?.[0]?.setting, 'natGateways');
});

test('a throttled listing alone is asked again, and is unlisted only where it never answers', async () => {
  const call = asking('peerings');
  fail('DescribeVpcPeeringConnections', { kind: 'throttle' }, 1);
  assert.equal((await list(call)).get('vpc-00000001')?.attributes.settings?.peerings?.length, 1);
  const others = actionsOf(stage).filter((action) => !extra.includes(action));
  assert.deepEqual([extraCalls().length, others.length], [2, new Set(others).size]);
  fail('DescribeVpcPeeringConnections', { kind: 'throttle' });
  const found = await list(call);
  assert.equal(extraCalls().length, 2 + maxAttempts);
  assert.equal(found.get('vpc-00000001')?.condition.unlisted?.[0]?.code, 'RequestLimitExceeded');
  const [result] = await session.actuators.network.read(['vpc-00000001'], call);
  assert.equal(result?.ok && result.value?.condition.unlisted?.[0]?.code, 'RequestLimitExceeded');
});

test('an abort is no failure of a listing', async () => {
  const reason = new Error('stopped');
  const call: Call = {
    ...asking('peerings'),
    admit: async ({ action }) => {
      if (action === 'DescribeVpcPeeringConnections') throw reason;
    },
  };
  await assert.rejects(list(call), reason);
});

test('what is made has the settings that its answer states', async () => {
  const network = await createOne(session, networkOf('core'));
  assert.deepEqual(network.attributes.settings, { secondaryCidrs: [], ipv6Cidrs: [] });
  const subnet = await createOne(session, subnetOf('core.app', network.id));
  assert.deepEqual(subnet.attributes.settings, { ipv6Cidrs: [], publicIpOnLaunch: false });
  assert.ok(!('unlisted' in subnet.condition));
});
