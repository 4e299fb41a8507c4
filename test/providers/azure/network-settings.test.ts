import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Route, Subnet, VirtualNetwork, VirtualNetworkPeering } from '@azure/arm-network';
import { matchSpelling } from '../../../providers/azure/match-spelling.ts';
import { observeVnet } from '../../../providers/azure/network.ts';
import { type ListedRoutes, noRoutesListed, routesOf } from '../../../providers/azure/network-settings.ts';
import { observeSubnet } from '../../../providers/azure/subnet.ts';
import { diff } from '../../../src/core/diff.ts';
import type { NetworkSettings, Route as Stated, SubnetSettings } from '../../../src/core/resource.ts';
import { account, location, prefix } from '../../support/azure-session.ts';
import { desiredOf } from '../../support/fixtures.ts';

const inside = (group: string, path: string): string =>
  `/subscriptions/${account}/resourceGroups/${group}/providers/Microsoft.Network/${path}`;
const id = inside('Rg', 'virtualNetworks/Core');
const vnet: VirtualNetwork = { id, name: 'Core', location, addressSpace: { addressPrefixes: ['10.0.0.0/16'] } };
const plain: NetworkSettings = { secondaryCidrs: [], ipv6Cidrs: [], peerings: [] };
const hub = inside('Hub', 'virtualNetworks/Hub');
const link = (name: string, more: Partial<VirtualNetworkPeering> = {}): VirtualNetworkPeering => ({
  name,
  remoteVirtualNetwork: { id: hub },
  peeringState: 'Connected',
  provisioningState: 'Succeeded',
  ...more,
});
const toHub = (name: string) => ({ name, network: hub.toLowerCase() });

describe('settings of a virtual network', () => {
  const rows: readonly (readonly [string, Partial<VirtualNetwork>, NetworkSettings])[] = [
    ['a plain one', { virtualNetworkPeerings: [] }, plain],
    ['without the list', {}, plain],
    [
      'further blocks, in any order and spelling',
      {
        addressSpace: {
          addressPrefixes: ['2001:DB8:0:0::/56', '100.64.0.0/16', 'FD00::/48', '10.0.0.0/16', '10.1.0.0/16'],
        },
      },
      { ...plain, secondaryCidrs: ['10.1.0.0/16', '100.64.0.0/16'], ipv6Cidrs: ['2001:db8::/56', 'fd00::/48'] },
    ],
    [
      'peerings in any order and case',
      {
        virtualNetworkPeerings: [
          link('To-Hub', { remoteVirtualNetwork: { id: hub.toUpperCase() } }),
          link('away', { remoteVirtualNetwork: { id: `${id}/` } }),
        ],
      },
      { ...plain, peerings: [{ name: 'away', network: id.toLowerCase() }, toHub('to-hub')] },
    ],
    [
      'one that waits for the other side, changes, or failed at its last write',
      {
        virtualNetworkPeerings: [
          link('a', { peeringState: 'Initiated' }),
          link('b', { provisioningState: 'Updating' }),
          link('c', { provisioningState: 'Failed' }),
        ],
      },
      { ...plain, peerings: ['a', 'b', 'c'].map(toHub) },
    ],
    [
      'one without its other side, in any case, or that goes',
      {
        virtualNetworkPeerings: [
          link('a', { peeringState: 'Disconnected' }),
          link('b', { peeringState: 'disconnected' }),
          link('c', { provisioningState: 'Deleting' }),
        ],
      },
      plain,
    ],
  ];
  for (const [name, more, want] of rows)
    test(name, () => {
      const { attributes, condition } = observeVnet({ ...vnet, ...more }, undefined);
      assert.deepEqual([attributes.cidr, attributes.settings], ['10.0.0.0/16', want]);
      const further = [...(want.secondaryCidrs ?? []), ...(want.ipv6Cidrs ?? [])];
      assert.deepEqual((condition.furtherBlocks ?? []).toSorted(), further.toSorted());
    });
});

const subnet: Subnet = { id: `${id}/subnets/App`, name: 'App', addressPrefix: '10.0.1.0/24' };
const tableId = inside('Rg', 'routeTables/Rt');
const out: readonly Stated[] = [{ destination: '0.0.0.0/0', nextHop: '10.0.0.4' }];
const listed: ListedRoutes = { byTable: new Map([[tableId.toLowerCase(), out]]), unlisted: [] };
const denied: ListedRoutes = { unlisted: [{ setting: 'routes', code: 'AuthorizationFailed', reason: 'no' }] };
const bare: SubnetSettings = { secondaryCidrs: [], ipv6Cidrs: [] };
const none: SubnetSettings = { ...bare, routes: [] };

describe('settings of a subnet', () => {
  const rows: readonly (readonly [string, Partial<Subnet>, ListedRoutes, SubnetSettings, string?])[] = [
    ['without a table has no routes, listed or not', {}, noRoutesListed, none],
    ['without a table has none where the listing is denied', {}, denied, none],
    ['without a table has none where others have some', {}, listed, none],
    ['with a table that nobody asked for', { routeTable: { id: tableId } }, noRoutesListed, bare],
    ['has the routes of its table', { routeTable: { id: tableId } }, listed, { ...bare, routes: out }],
    [
      'has them whatever the case of the id',
      { routeTable: { id: tableId.toUpperCase() } },
      listed,
      { ...bare, routes: out },
    ],
    [
      'with a table of another resource group, which the listing lacks',
      { routeTable: { id: inside('Other', 'routeTables/Rt') } },
      listed,
      bare,
      'NoRouteTable',
    ],
    [
      'with a table that an empty listing lacks',
      { routeTable: { id: tableId } },
      { byTable: new Map(), unlisted: [] },
      bare,
      'NoRouteTable',
    ],
    ['with a table, and a denied listing', { routeTable: { id: tableId } }, denied, bare, 'AuthorizationFailed'],
    [
      'with blocks of both families',
      { addressPrefix: '', addressPrefixes: ['FD00:0::/64', '10.0.2.0/24', '10.0.1.0/24'] },
      listed,
      { ...none, secondaryCidrs: ['10.0.2.0/24'], ipv6Cidrs: ['fd00::/64'] },
    ],
    [
      'with a NAT gateway of its own resource group',
      { natGateway: { id: inside('RG', 'natGateways/Nat') } },
      listed,
      { ...none, natGateway: 'nat' },
    ],
    [
      'with a NAT gateway of the same name in another one',
      { natGateway: { id: inside('Rg-2', 'natGateways/Nat') } },
      listed,
      { ...none, natGateway: inside('Rg-2', 'natGateways/Nat').toLowerCase() },
    ],
  ];
  for (const [name, more, routes, want, unlisted] of rows)
    test(name, () => {
      const { attributes, condition } = observeSubnet({ ...subnet, ...more }, vnet, routes);
      assert.deepEqual([attributes.cidr, attributes.settings], ['10.0.1.0/24', want]);
      assert.equal(condition.unlisted?.[0]?.code, unlisted);
      assert.equal('unlisted' in condition, unlisted !== undefined);
    });

  test('the reason names the table and the subnet', () => {
    const { condition } = observeSubnet({ ...subnet, routeTable: { id: tableId } }, vnet, {
      byTable: new Map(),
      unlisted: [],
    });
    const reason = condition.unlisted?.[0]?.reason ?? '';
    assert.ok(reason.includes(tableId.toLowerCase()) && reason.includes(`${id}/subnets/App`.toLowerCase()), reason);
  });
});

describe('the routes of a table', () => {
  const rows: readonly (readonly [string, Route, Stated])[] = [
    [
      'to nowhere',
      { addressPrefix: '10.9.0.0/16', nextHopType: 'None' },
      { destination: '10.9.0.0/16', nextHop: 'none' },
    ],
    [
      'with an empty address',
      { addressPrefix: '10.9.0.0/16', nextHopType: 'VnetLocal', nextHopIpAddress: '' },
      { destination: '10.9.0.0/16', nextHop: 'vnetlocal' },
    ],
    [
      'to no appliance, though with an address',
      { addressPrefix: '10.9.0.0/16', nextHopType: 'Internet', nextHopIpAddress: '10.0.0.4' },
      { destination: '10.9.0.0/16', nextHop: 'internet' },
    ],
    [
      'to an appliance in capitals, with host bits',
      { addressPrefix: '10.9.0.7/16', nextHopType: 'VIRTUALAPPLIANCE', nextHopIpAddress: '10.0.0.4' },
      { destination: '10.9.0.0/16', nextHop: '10.0.0.4' },
    ],
    [
      'of IPv6',
      { addressPrefix: 'FD00:0:0:9::/64', nextHopType: 'VirtualAppliance', nextHopIpAddress: 'FD00:0::4' },
      { destination: 'fd00:0:0:9::/64', nextHop: 'fd00::4' },
    ],
    [
      'to one address without its mask',
      { addressPrefix: '192.0.2.7', nextHopType: 'VirtualNetworkGateway' },
      { destination: '192.0.2.7/32', nextHop: 'virtualnetworkgateway' },
    ],
    [
      'to a service tag',
      { addressPrefix: 'STORAGE.WestEurope', nextHopType: 'Internet' },
      { destination: 'storage.westeurope', nextHop: 'internet' },
    ],
    [
      'to several appliances in any order',
      {
        addressPrefix: '10.9.0.0/16',
        nextHopType: 'VirtualApplianceEcmp',
        nextHop: { nextHopIpAddresses: ['10.0.0.5', '10.0.0.4'] },
      },
      { destination: '10.9.0.0/16', nextHop: '10.0.0.4,10.0.0.5' },
    ],
  ];
  for (const [name, route, want] of rows) test(name, () => assert.deepEqual(routesOf({ routes: [route] }), [want]));

  test('are in one order, and none without a list', () => {
    const to = (addressPrefix: string): Route => ({ addressPrefix, nextHopType: 'None' });
    const routes = ['AzureCloud', '10.9.0.0/16', '10.10.0.0/16'].map(to);
    assert.deepEqual(routesOf({ routes }), routesOf({ routes: routes.toReversed() }));
    assert.deepEqual(routesOf({}), []);
  });
});

describe('stated settings in another spelling', () => {
  const subnetRows: readonly (readonly [string, SubnetSettings, SubnetSettings, readonly string[]])[] = [
    [
      'a service tag and an address of IPv6',
      { routes: [{ destination: 'Storage.WestEurope', nextHop: 'FD00:0::4' }] },
      { routes: [{ destination: 'storage.westeurope', nextHop: 'fd00::4' }] },
      [],
    ],
    [
      'routes in an order that the spelling moves',
      {
        routes: [
          { destination: 'Sql', nextHop: 'none' },
          { destination: 'fd00::/64', nextHop: 'none' },
        ],
      },
      {
        routes: [
          { destination: 'fd00::/64', nextHop: 'none' },
          { destination: 'sql', nextHop: 'none' },
        ],
      },
      [],
    ],
    [
      'several appliances in another order',
      { routes: [{ destination: '10.9.0.0/16', nextHop: '10.0.0.5,10.0.0.4' }] },
      { routes: [{ destination: '10.9.0.0/16', nextHop: '10.0.0.4,10.0.0.5' }] },
      [],
    ],
    [
      'another hop',
      { routes: [{ destination: '10.9.0.0/16', nextHop: 'none' }] },
      { routes: [{ destination: '10.9.0.0/16', nextHop: 'internet' }] },
      ['settings.routes'],
    ],
    ['no routes', { routes: [] }, { routes: [] }, []],
    ['a NAT gateway by its id', { natGateway: inside('RG', 'natGateways/NAT') }, { natGateway: 'nat' }, []],
    ['a NAT gateway by its name', { natGateway: 'nat' }, { natGateway: 'nat' }, []],
    [
      'one of the same name elsewhere',
      { natGateway: 'nat' },
      { natGateway: inside('Rg-2', 'natGateways/Nat').toLowerCase() },
      ['settings.natGateway'],
    ],
  ];
  const core = `${id.toLowerCase()}#guid`;
  const shared = { network: core, cidr: '10.0.1.0/24', labels: {} };
  for (const [name, settings, seen, want] of subnetRows)
    test(`subnet: ${name}`, () => {
      const desired = desiredOf('subnet', {
        address: `${prefix}/subnet/core.app`,
        name: 'App',
        attributes: { ...shared, settings },
      });
      const observed = observeSubnet(subnet, { ...vnet, resourceGuid: 'guid' }, noRoutesListed);
      const there = { ...observed, attributes: { ...shared, settings: seen } };
      const changes = diff(matchSpelling(desired, there).attributes, there.attributes);
      assert.deepEqual(
        changes.map(({ field }) => field),
        want,
      );
    });

  test('network: the other one by our id of it, or with capitals', () => {
    const observed = observeVnet({ ...vnet, virtualNetworkPeerings: [link('hub')] }, undefined);
    for (const network of [`${hub.toLowerCase()}#guid`, hub, `${hub}/`]) {
      const attributes = { settings: { peerings: [{ name: 'hub', network }] }, labels: {} };
      const desired = desiredOf('network', { address: `${prefix}/network/core`, name: 'Core', attributes });
      assert.deepEqual(diff(matchSpelling(desired, observed).attributes, observed.attributes), []);
    }
  });
});
