import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Effect } from '../../../sandbox/faults.ts';
import { maxAttempts } from '../../../src/core/failure.ts';
import type { ListedSetting } from '../../../src/core/resource.ts';
import type { Call, Session } from '../../../src/ports/provider.ts';
import { type AzureStage, account, location, openAzureStage, resourceGroup } from '../../support/azure-session.ts';
import { everyPage } from '../../support/every-page.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { byHand, createOne, inGroup, must, networkOf, revisionTo, seen, subnetOf } from './estate.ts';

let stage: AzureStage;
let session: Session;
const vnet = inGroup('virtualNetworks/core');
const table = inGroup('routeTables/rt');
const foreign = `/subscriptions/${account}/resourceGroups/other/providers/Microsoft.Network/routeTables/rt`;
const to = (addressPrefix: string, nextHopType = 'None') => ({ addressPrefix, nextHopType });
const named = (name: string, properties: object) => ({ name, properties });

beforeEach(async () => {
  stage = await openAzureStage();
  stage.sandbox.control.arm.load({
    subscriptions: [
      {
        id: account,
        groups: [{ name: resourceGroup, location }],
        outside: [foreign],
        resources: [
          {
            type: 'Microsoft.Network/routeTables',
            group: resourceGroup,
            name: 'rt',
            properties: { routes: [named('out', to('0.0.0.0/0'))] },
          },
          ...Array.from({ length: 7 }, (_, i) => ({
            type: 'Microsoft.Network/routeTables',
            group: resourceGroup,
            name: `other-${i}`,
            location: i === 6 ? 'northeurope' : location,
          })),
          { type: 'Microsoft.Network/natGateways', group: resourceGroup, name: 'nat' },
          {
            type: 'Microsoft.Network/virtualNetworks',
            group: resourceGroup,
            name: 'core',
            properties: {
              addressSpace: { addressPrefixes: ['10.20.0.0/16'] },
              subnets: [
                named('app', {
                  addressPrefix: '10.20.1.0/24',
                  routeTable: { id: table },
                  natGateway: { id: inGroup('natGateways/nat') },
                }),
                named('bare', { addressPrefix: '10.20.2.0/24' }),
                named('far', { addressPrefix: '10.20.3.0/24', routeTable: { id: foreign } }),
              ],
            },
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
  new Map((await everyPage(session.actuators.subnet, call)).map((one) => [one.name, one]));
const extraCalls = (): number => stage.sandbox.control.log.counts()['routeTables.listAll'] ?? 0;
const fail = (effect: Effect, times?: number): void => {
  const match = { action: 'routeTables.listAll', ...(times === undefined ? {} : { times }) };
  stage.sandbox.control.faults.add({ match, effect });
};
const routes = [{ destination: '0.0.0.0/0', nextHop: 'none' }];

test('no document states routes: nobody lists them', async () => {
  const found = await list(recordedCall());
  assert.deepEqual(found.get('app')?.attributes.settings, { secondaryCidrs: [], ipv6Cidrs: [], natGateway: 'nat' });
  assert.deepEqual(found.get('bare')?.attributes.settings?.routes, []);
  for (const { condition } of found.values()) assert.ok(!('unlisted' in condition));
  await list(asking('peerings', 'natGateways'));
  assert.equal(extraCalls(), 0);
});

test('a subnet has the routes of its table, of every page', async () => {
  fail({ kind: 'short-page', items: 5 });
  const call = asking('routes');
  const found = await list(call);
  assert.deepEqual(found.get('app')?.attributes.settings?.routes, routes);
  assert.deepEqual(found.get('bare')?.attributes.settings?.routes, []);
  assert.equal(extraCalls(), 2, 'two pages');
  const { attributes, condition } = found.get('far') ?? assert.fail();
  assert.ok(!('routes' in (attributes.settings ?? {})), 'an unlisted table is not gone');
  assert.deepEqual(
    condition.unlisted?.map(({ setting, code }) => [setting, code]),
    [['routes', 'NoRouteTable']],
  );
});

test('a read by id has the same', async () => {
  const call = asking('routes');
  const listed = [...(await list(call)).values()];
  const read = await session.actuators.subnet.read(
    listed.map(({ id }) => id),
    call,
  );
  assert.deepEqual(read.map(must), listed);
});

test('a read by id of subnets without a table asks for none', async () => {
  await byHand(stage, 'DELETE', `${vnet}/subnets/app`);
  await byHand(stage, 'DELETE', `${vnet}/subnets/far`);
  const { id } = await seen(session, 'subnet', 'bare');
  const [found] = await session.actuators.subnet.read([id], asking('routes'));
  assert.deepEqual([must(found)?.attributes.settings?.routes, extraCalls()], [[], 0]);
});

test('a denied listing is unlisted on each subnet with a table, and stops nothing else', async () => {
  fail({ kind: 'access-denied' });
  const call = asking('routes');
  const found = await list(call);
  assert.equal(found.size, 3);
  for (const name of ['app', 'far']) {
    const { attributes, condition } = found.get(name) ?? assert.fail();
    assert.ok(!('routes' in (attributes.settings ?? {})));
    assert.deepEqual(
      condition.unlisted?.map(({ setting, code }) => [setting, code]),
      [['routes', 'AuthorizationFailed']],
    );
    assert.match(
      condition.unlisted?.[0]?.reason ?? '',
      /does not have authorization .*Microsoft\.Network\/routeTables/,
    );
  }
  const bare = found.get('bare') ?? assert.fail();
  assert.deepEqual([bare.attributes.settings?.routes, 'unlisted' in bare.condition], [[], false]);
  assert.equal(found.get('app')?.attributes.settings?.natGateway, 'nat');
  const [read] = await session.actuators.subnet.read([found.get('app')?.id ?? ''], call);
  assert.equal(must(read)?.condition.unlisted?.[0]?.setting, 'routes');
});

test('a throttled listing alone is asked again, and is unlisted only where it never answers', async () => {
  const call = asking('routes');
  fail({ kind: 'throttle' }, 1);
  const { id, attributes } = (await list(call)).get('app') ?? assert.fail();
  assert.deepEqual(attributes.settings?.routes, routes);
  assert.deepEqual([extraCalls(), stage.sandbox.control.log.counts()['virtualNetworks.listAll']], [2, 1]);
  session = await stage.open();
  fail({ kind: 'throttle' });
  assert.equal((await list(call)).get('app')?.condition.unlisted?.[0]?.setting, 'routes');
  assert.equal(extraCalls(), 2 + maxAttempts);
  const [read] = await session.actuators.subnet.read([id], call);
  assert.equal(must(read)?.condition.unlisted?.[0]?.setting, 'routes');
});

test('an abort is no failure of a listing', async () => {
  const reason = new Error('stopped');
  const call: Call = {
    ...asking('routes'),
    admit: async ({ action }) => {
      if (action === 'RouteTables_ListAll') throw reason;
    },
  };
  await assert.rejects(list(call), reason);
});

test('a new network and a new subnet have the settings that the next listing shows', async () => {
  const network = await createOne(session, networkOf('made', { cidr: '10.30.0.0/16' }));
  assert.deepEqual(network.attributes.settings, { secondaryCidrs: [], ipv6Cidrs: [], peerings: [] });
  const made = await createOne(session, subnetOf('made.one', network.id, { cidr: '10.30.1.0/24' }));
  assert.deepEqual(made.attributes.settings, (await seen(session, 'subnet', 'one')).attributes.settings);
});

test('no write of ours loses a table, a gateway, a block or a peering that people set', async () => {
  const far = inGroup('virtualNetworks/far');
  await byHand(stage, 'PUT', far, { location, properties: { addressSpace: { addressPrefixes: ['10.40.0.0/16'] } } });
  const network = await createOne(session, networkOf('made', { cidr: '10.30.0.0/16' }));
  const own = inGroup('virtualNetworks/made');
  const first = await createOne(session, subnetOf('made.one', network.id, { cidr: '10.30.1.0/24' }));
  const peering = { properties: { remoteVirtualNetwork: { id: far }, allowForwardedTraffic: true } };
  await byHand(stage, 'PUT', `${own}/virtualNetworkPeerings/link`, peering);
  const { properties } = (await byHand(stage, 'GET', own)).properties?.subnets?.[0] ?? {};
  await byHand(stage, 'PUT', `${own}/subnets/one`, {
    properties: { ...properties, routeTable: { id: table }, natGateway: { id: inGroup('natGateways/nat') } },
  });
  const { status: _, ...before } = await byHand(stage, 'GET', own);
  await byHand(stage, 'PUT', own, {
    ...before,
    properties: { ...before.properties, addressSpace: { addressPrefixes: ['10.30.0.0/16', 'fd00:30::/48'] } },
  });
  session = await stage.open();
  const call = recordedCall();
  const more = ['two', 'three'].map((name, i) => subnetOf(`made.${name}`, network.id, { cidr: `10.30.${i + 2}.0/24` }));
  for (const result of await session.actuators.subnet.create(more, call)) must(result);
  assert.ok(stage.sandbox.control.log.entries({ mutating: true }).at(-1)?.action === 'virtualNetworks.createOrUpdate');
  const revision = revisionTo(
    subnetOf('made.one', network.id),
    { ...first, attributes: { ...first.attributes, filter: false } },
    { filter: true },
  );
  must((await session.actuators.subnet.update([revision], call))[0]);
  const after = await byHand(stage, 'GET', own);
  assert.deepEqual(JSON.parse(JSON.stringify(after)).properties.addressSpace.addressPrefixes, [
    '10.30.0.0/16',
    'fd00:30::/48',
  ]);
  assert.match(JSON.stringify(after), /"allowForwardedTraffic":true/);
  const settings = (await everyPage(session.actuators.network, call)).find(({ name }) => name === 'made')?.attributes
    .settings;
  assert.deepEqual(settings?.peerings, [{ name: 'link', network: far.toLowerCase() }]);
  const subnet = (await list(asking('routes'))).get('one');
  assert.deepEqual([subnet?.attributes.settings?.natGateway, subnet?.attributes.settings?.routes], ['nat', routes]);
});
