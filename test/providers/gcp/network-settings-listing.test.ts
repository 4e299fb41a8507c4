import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Effect } from '../../../sandbox/faults.ts';
import { maxAttempts } from '../../../src/core/failure.ts';
import type { ListedSetting } from '../../../src/core/resource.ts';
import { compareText } from '../../../src/core/text.ts';
import type { Call, Session } from '../../../src/ports/provider.ts';
import { everyPage } from '../../support/every-page.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { type GcpStage, openGcpStage, project } from '../../support/gcp-session.ts';
import { actionsOf } from './estate.ts';

const listing = 'routers.aggregatedList';
const far = `projects/${project}/global/networks/far`;
const nat = (name: string) => ({
  name,
  natIpAllocateOption: 'AUTO_ONLY',
  sourceSubnetworkIpRangesToNat: 'ALL_SUBNETWORKS_ALL_PRIMARY_IP_RANGES',
});

let stage: GcpStage;
let session: Session;
beforeEach(async () => {
  stage = await openGcpStage();
  stage.sandbox.control.compute.load({
    projects: [
      {
        project,
        networks: [
          {
            name: 'core',
            internalIpv6Range: 'fd20:0:1::/48',
            subnetworks: [
              {
                name: 'app',
                region: 'europe-west1',
                cidr: '10.1.0.0/24',
                privateGoogleAccess: true,
                secondaryRanges: [
                  { name: 'pods', cidr: '10.8.0.0/16' },
                  { name: 'more', cidr: '10.7.0.0/16' },
                ],
                internalIpv6Prefix: 'fd20:0:1::/64',
              },
            ],
            routes: [{ name: 'to-fw', destRange: '10.9.0.0/16', nextHopIp: '10.1.0.9', priority: 90, tags: ['web'] }],
            routers: [
              ...Array.from({ length: 7 }, (_, i) => ({
                name: `hub-${i}`,
                region: 'europe-west1',
                nats: [nat('out')],
              })),
              { name: 'hub-0', region: 'us-central1', nats: [nat('a'), nat('b')] },
            ],
            peerings: [{ name: 'to-far', network: far }],
          },
          {
            name: 'far',
            subnetworks: [{ name: 'db', region: 'europe-west1', cidr: '10.2.0.0/24' }],
            peerings: [{ name: 'back', network: `projects/${project}/global/networks/core` }],
          },
        ],
      },
    ],
  });
  session = await stage.open();
});
afterEach(() => stage.close());

const asking = (...settings: readonly ListedSetting[]): Call => ({ ...recordedCall(), settings: new Set(settings) });
const list = async (call: Call) =>
  new Map((await everyPage(session.actuators.network, call)).map((one) => [one.name, one]));
const extraCalls = () => actionsOf(stage).filter((action) => action === listing);
const fail = (effect: Effect, times?: number): void => {
  const match = { action: `compute.${listing}`, ...(times === undefined ? {} : { times }) };
  stage.sandbox.control.faults.add({ match, effect });
};
const gateway = { destination: '0.0.0.0/0', nextHop: 'default-internet-gateway' };
const ofCore = {
  ipv6Cidrs: ['fd20:0:1::/48'],
  peerings: [{ name: 'to-far', network: far }],
  routes: [gateway, { destination: '10.9.0.0/16', nextHop: '10.1.0.9', priority: 90, tags: ['web'] }],
};
const natGateways = [
  ...Array.from({ length: 7 }, (_, i) => `europe-west1/hub-${i}/out`),
  'us-central1/hub-0/a',
  'us-central1/hub-0/b',
];

test('nobody asks for what no document states, and the rest comes with other listings', async () => {
  const found = await list(recordedCall());
  assert.deepEqual(found.get('core')?.attributes.settings, ofCore, 'without routes of subnets and of the peering');
  await list(asking('routes', 'peerings'));
  assert.deepEqual([...new Set(actionsOf(stage))], ['networks.list', 'routes.list']);
});

test('each network has its own NAT gateways, of every region and page', async () => {
  fail({ kind: 'short-page', items: 5 });
  const found = await list(asking('natGateways'));
  assert.deepEqual(found.get('core')?.attributes.settings, { ...ofCore, natGateways });
  assert.deepEqual(found.get('far')?.attributes.settings?.natGateways, []);
  assert.deepEqual(found.get('far')?.attributes.settings?.peerings, [
    { name: 'back', network: `projects/${project}/global/networks/core` },
  ]);
  assert.equal(extraCalls().length, 2, 'two pages');
});

test('a read by id has the same', async () => {
  const call = asking('natGateways');
  const listed = (await list(call)).get('core');
  const [result] = await session.actuators.network.read([listed?.id ?? ''], call);
  assert.deepEqual(result?.ok && result.value?.attributes, listed?.attributes);
});

test('in each spelling of the cloud they are the same', async () => {
  const want = [...(await list(asking('natGateways'))).values()].map(({ attributes }) => attributes);
  const ofSubnets = async () =>
    (await everyPage(session.actuators.subnet, recordedCall()))
      .map(({ attributes }) => attributes)
      .toSorted((a, b) => compareText(a.cidr, b.cidr));
  const subnets = await ofSubnets();
  assert.deepEqual(subnets[0]?.settings, {
    ipv6Cidrs: ['fd20:0:1::/64'],
    secondaryRanges: [
      { name: 'more', cidr: '10.7.0.0/16' },
      { name: 'pods', cidr: '10.8.0.0/16' },
    ],
    privateGoogleAccess: true,
  });
  for (let way = 0; way < 6; way += 1) {
    stage.sandbox.control.spellings.set({ kind: 'way', number: way });
    session = await stage.open();
    const found = [...(await list(asking('natGateways'))).values()].map(({ attributes }) => attributes);
    assert.deepEqual(found, want, `way ${way}`);
    assert.deepEqual(await ofSubnets(), subnets, `way ${way}`);
  }
});

test('a denied listing is unlisted on every network, and stops nothing else', async () => {
  fail({ kind: 'access-denied' });
  const call = asking('natGateways');
  const found = await list(call);
  assert.equal(found.size, 2);
  for (const { attributes, condition } of found.values()) {
    assert.ok(!('natGateways' in (attributes.settings ?? {})));
    assert.equal(attributes.settings?.peerings?.length, 1);
    assert.deepEqual(
      condition.unlisted?.map(({ setting, code }) => [setting, code]),
      [['natGateways', 'forbidden']],
    );
    assert.match(condition.unlisted?.[0]?.reason ?? '', /Required 'compute\.routers\.\w+' permission/);
  }
  const [result] = await session.actuators.network.read([found.get('core')?.id ?? ''], call);
  assert.equal(result?.ok && result.value?.condition.unlisted?.[0]?.setting, 'natGateways');
});

for (const [name, effect, code] of [
  ['throttled', { kind: 'throttle' }, 'rateLimitExceeded'],
  ['short', { kind: 'unreachable', scope: 'regions/us-central1' }, 'UNREACHABLE'],
] as const satisfies readonly (readonly [string, Effect, string])[])
  test(`a ${name} listing alone is asked again, and is unlisted, never none, where it stays so`, async () => {
    const call = asking('natGateways');
    fail(effect, 1);
    assert.deepEqual((await list(call)).get('core')?.attributes.settings?.natGateways, natGateways);
    assert.deepEqual(actionsOf(stage).toSorted(), [listing, listing, 'networks.list', 'routes.list'].toSorted());
    fail(effect);
    const found = (await list(call)).get('core');
    assert.equal(extraCalls().length, 2 + maxAttempts);
    assert.equal(found?.condition.unlisted?.[0]?.code, code);
    assert.ok(!('natGateways' in (found?.attributes.settings ?? {})));
    const [result] = await session.actuators.network.read([found?.id ?? ''], call);
    assert.equal(result?.ok && result.value?.condition.unlisted?.[0]?.code, code);
  });

test('an abort is no failure of a listing', async () => {
  const reason = new Error('stopped');
  const call: Call = {
    ...asking('natGateways'),
    admit: async ({ action }) => {
      if (action === listing) throw reason;
    },
  };
  await assert.rejects(list(call), reason);
});
