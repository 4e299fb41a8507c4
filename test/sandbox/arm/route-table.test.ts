import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Bench, bench, collect, GROUP, LOCATION, NETWORK, outcome, QUICK, subnetBody } from './bench.ts';
import { CORE, put } from './networks.ts';

const TABLE = `${NETWORK}/routeTables/rt`;
const hop = (addressPrefix: string, nextHopType = 'None', more: object = {}) => ({
  properties: { addressPrefix, nextHopType, ...more },
});
const named = (name: string, route: object) => ({ name, ...route });
const routed = subnetBody('app', '10.0.1.0/24', { routeTable: { id: TABLE } });

async function putTable(made: Bench, ...routes: readonly object[]): Promise<string> {
  return outcome(await made.send('PUT', TABLE, { body: { location: LOCATION, properties: { routes } } }));
}

const destinations = async ({ network }: Bench) =>
  (await network.routeTables.get('rg', 'rt')).routes?.map(({ name, addressPrefix }) => [name, addressPrefix]);

describe('route tables', () => {
  it('are made, read, listed, tagged and deleted as the SDK does', async () => {
    await using made = await bench();
    const { routeTables } = made.network;
    const asked = {
      location: 'West Europe',
      disableBgpRoutePropagation: true,
      routes: [
        { name: 'Out', addressPrefix: '0.0.0.0/0', nextHopType: 'VirtualAppliance', nextHopIpAddress: '10.0.0.4' },
      ],
    };
    const created = await routeTables.createOrUpdate('RG', 'Rt', asked, QUICK);
    assert.deepEqual(
      [created.id, created.location, created.disableBgpRoutePropagation, created.provisioningState],
      [`${NETWORK}/routeTables/Rt`, LOCATION, true, 'Succeeded'],
    );
    const [route] = created.routes ?? [];
    assert.deepEqual(
      [route?.id, route?.addressPrefix, route?.nextHopType, route?.nextHopIpAddress, route?.hasBgpOverride],
      [`${created.id}/routes/Out`, '0.0.0.0/0', 'VirtualAppliance', '10.0.0.4', false],
    );
    assert.deepEqual(await routeTables.get('rg', 'RT'), created);
    assert.deepEqual(await collect(routeTables.list('rG')), [created]);
    assert.deepEqual(await collect(routeTables.listAll()), [created]);
    const tagged = await routeTables.updateTags('rg', 'rt', { tags: { a: 'b' } });
    assert.deepEqual([tagged.tags, tagged.routes?.length], [{ a: 'b' }, 1]);
    await routeTables.delete('rg', 'rt', QUICK);
    assert.deepEqual(await collect(routeTables.listAll()), []);
    await routeTables.delete('rg', 'rt', QUICK);
  });

  it('a PUT replaces the list of routes', async () => {
    await using made = await bench();
    assert.equal(await putTable(made, named('a', hop('10.8.0.0/16')), named('b', hop('10.9.0.0/16'))), '201');
    assert.equal(await putTable(made, named('b', hop('10.9.0.0/16'))), '200');
    assert.deepEqual(await destinations(made), [['b', '10.9.0.0/16']]);
    const twins = [named('a', hop('10.8.0.0/16')), named('A', hop('10.9.0.0/16'))];
    assert.equal(await putTable(made, ...twins), '400 DuplicateResourceName');
  });

  it('list the subnets that use them, and stay while there is one', async () => {
    await using made = await bench();
    assert.equal(await put(made, [routed]), '400 InvalidResourceReference');
    await putTable(made);
    assert.equal(await put(made, [routed]), '201');
    const table = await made.network.routeTables.get('rg', 'rt');
    assert.deepEqual(
      table.subnets?.map(({ id }) => id),
      [`${CORE}/subnets/app`],
    );
    const [subnet] = (await made.network.virtualNetworks.get('rg', 'core')).subnets ?? [];
    assert.equal(subnet?.routeTable?.id, TABLE);
    assert.equal(outcome(await made.send('DELETE', TABLE)), '400 InUseRouteTableCannotBeDeleted');
    await put(made, [subnetBody('app', '10.0.1.0/24')]);
    assert.equal(outcome(await made.send('DELETE', TABLE)), '202');
    assert.equal(outcome(await made.send('GET', TABLE)), '404 ResourceNotFound');
  });

  it('go with their resource group', async () => {
    await using made = await bench();
    await putTable(made);
    await made.send('DELETE', GROUP);
    assert.deepEqual(await collect(made.network.routeTables.listAll()), []);
  });
});

describe('a route', () => {
  it('lives by its own URL in its table', async () => {
    await using made = await bench();
    const { routes } = made.network;
    await putTable(made, named('a', hop('10.8.0.0/16')));
    const route = { addressPrefix: 'AzureCloud', nextHopType: 'Internet' };
    assert.equal((await routes.createOrUpdate('rg', 'rt', 'Cloud', route, QUICK)).id, `${TABLE}/routes/Cloud`);
    await routes.createOrUpdate('rg', 'rt', 'A', { addressPrefix: '10.9.0.0/16', nextHopType: 'None' }, QUICK);
    assert.deepEqual(await destinations(made), [
      ['a', '10.9.0.0/16'],
      ['Cloud', 'AzureCloud'],
    ]);
    assert.equal((await routes.get('rg', 'rt', 'cloud')).etag, (await made.network.routeTables.get('rg', 'rt')).etag);
    assert.equal((await collect(routes.list('rg', 'rt'))).length, 2);
    await routes.delete('rg', 'rt', 'a', QUICK);
    assert.deepEqual(await destinations(made), [['Cloud', 'AzureCloud']]);
    assert.equal(outcome(await made.send('DELETE', `${TABLE}/routes/a`)), '204');
    assert.equal(outcome(await made.send('GET', `${TABLE}/routes/a`)), '404 NotFound');
  });

  it('needs a table', async () => {
    await using made = await bench();
    const body = hop('10.8.0.0/16');
    assert.equal(outcome(await made.send('PUT', `${TABLE}/routes/a`, { body })), '404 ParentResourceNotFound');
  });

  const rows: readonly (readonly [name: string, route: object, want: string])[] = [
    ['to a block with host bits', hop('10.7.0.9/16'), '201'],
    ['to IPv6', hop('fd00::/64', 'VirtualAppliance', { nextHopIpAddress: 'fd00::4' }), '201'],
    ['to a service tag with a region', hop('Storage.WestEurope', 'internet'), '201'],
    ['without an address, as an empty text', hop('10.7.0.0/16', 'VnetLocal', { nextHopIpAddress: '' }), '201'],
    [
      'to several appliances',
      hop('10.7.0.0/16', 'VirtualApplianceEcmp', { nextHop: { nextHopIpAddresses: ['10.0.0.4', '10.0.0.5'] } }),
      '201',
    ],
    ['to the prefix of another', hop('10.8.0.0/16'), '400 RouteConflict'],
    ['to the prefix of another with host bits', hop('10.8.0.7/16'), '400 RouteConflict'],
    ['to no prefix', hop('10.8.0.0'), '400 InvalidAddressPrefixFormat'],
    ['by an unknown hop', hop('10.7.0.0/16', 'Gateway'), '400 InvalidRequestFormat'],
    ['by an appliance without an address', hop('10.7.0.0/16', 'VirtualAppliance'), '400 NextHopIpAddressMissing'],
    [
      'with an address for no appliance',
      hop('10.7.0.0/16', 'Internet', { nextHopIpAddress: '10.0.0.4' }),
      '400 NextHopIpAddressNotAllowed',
    ],
    [
      'by an appliance at no address',
      hop('10.7.0.0/16', 'VirtualAppliance', { nextHopIpAddress: 'fw' }),
      '400 InvalidNextHopIpAddress',
    ],
  ];
  for (const [name, route, want] of rows)
    it(`${name}: ${want}`, async () => {
      await using made = await bench();
      await putTable(made, named('a', hop('10.8.0.0/16')));
      assert.equal(outcome(await made.send('PUT', `${TABLE}/routes/x`, { body: route })), want);
    });
});
