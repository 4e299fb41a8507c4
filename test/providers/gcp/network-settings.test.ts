import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Network, Route, Router, Subnetwork } from '../../../providers/gcp/messages.ts';
import { observeNetwork } from '../../../providers/gcp/network.ts';
import { observeSubnet } from '../../../providers/gcp/subnet.ts';
import type { NetworkSettings, SubnetSettings } from '../../../src/core/resource.ts';

const project = 'acme';
const base = 'https://www.googleapis.com/compute/v1/';
const beta = 'https://www.googleapis.com/compute/beta/';
const core = `projects/${project}/global/networks/core`;
const far = `projects/${project}/global/networks/far`;
const region = `projects/${project}/regions/europe-west1`;
const zone = `projects/${project}/zones/europe-west1-b`;

const network: Network = { id: '3912', name: 'core', selfLink: base + core };
const route = (over: Route): Route => ({ name: 'r', network: base + core, destRange: '10.9.0.0/16', ...over });
const router = (name: string, at: string, nats: readonly string[], of = core): Router => ({
  name,
  region: `${base}projects/${project}/regions/${at}`,
  network: base + of,
  nats: nats.map((nat) => ({ name: nat })),
});
const plain: NetworkSettings = { ipv6Cidrs: [], peerings: [], routes: [] };
const nine = (nextHop: string, more: object = {}): NetworkSettings => ({
  ...plain,
  routes: [{ destination: '10.9.0.0/16', nextHop, ...more }],
});

interface Given {
  readonly network?: Network;
  readonly routes?: readonly Route[] | undefined;
  readonly routers?: readonly Router[];
}

const hops: readonly (readonly [want: string, hop: Route])[] = [
  ['default-internet-gateway', { nextHopGateway: `${base}projects/acme/global/gateways/default-internet-gateway` }],
  [`${zone}/instances/fw`, { nextHopInstance: `${base}${zone}/instances/fw` }],
  [`${zone}/instances/fw`, { nextHopInstance: `${base}${zone}/instances/fw`, nextHopIp: '10.1.0.9' }],
  [`${zone}/instances/fw`, { nextHopInstance: `${zone}/instances/fw` }],
  [`${region}/forwardingRules/ilb`, { nextHopIlb: `${base}${region}/forwardingRules/ilb` }],
  ['10.1.0.7', { nextHopIlb: '10.1.0.7' }],
  [`${region}/vpnTunnels/hq`, { nextHopVpnTunnel: `${beta}${region}/vpnTunnels/hq` }],
  ['10.1.0.9', { nextHopIp: '10.1.0.9' }],
  ['fd20::9', { nextHopIp: 'FD20:0:0::9' }],
  ['unknown', {}],
];

const made: readonly (readonly [name: string, route: Route])[] = [
  ['of a subnet', { nextHopNetwork: base + core }],
  ['of a subnet, by its type', { routeType: 'SUBNET' }],
  ['of a peering', { nextHopPeering: 'to-far' }],
  ['of a hub', { nextHopHub: 'projects/acme/locations/global/hubs/hub' }],
  ['learnt by a router', { routeType: 'BGP', nextHopVpnTunnel: `${base}${region}/vpnTunnels/hq` }],
  ['that a router passes on', { routeType: 'TRANSIT', nextHopIp: '10.1.0.9' }],
  ['of an attachment', { nextHopInterconnectAttachment: `${base}${region}/interconnectAttachments/a` }],
  ['of a node of Kubernetes', { nextHopInstance: `${base}${zone}/instances/n`, description: 'k8s-node-route' }],
];

const rows: readonly (readonly [name: string, given: Given, want: NetworkSettings])[] = [
  ['a plain one', {}, plain],
  ['routes that are not known', { routes: undefined }, { ipv6Cidrs: [], peerings: [] }],
  [
    'an internal IPv6 block, in any spelling',
    { network: { internalIpv6Range: 'FD20:EB5:88A:0:0:0:0:0/48' } },
    { ...plain, ipv6Cidrs: ['fd20:eb5:88a::/48'] },
  ],
  [
    'peerings of both states, of any project, in any order',
    {
      network: {
        peerings: [
          { name: 'z', network: `${beta}projects/partner/global/networks/hub`, state: 'INACTIVE' },
          { name: 'a', network: base + far, state: 'ACTIVE' },
        ],
      },
    },
    {
      ...plain,
      peerings: [
        { name: 'a', network: far },
        { name: 'z', network: 'projects/partner/global/networks/hub' },
      ],
    },
  ],
  ['no NAT gateway', { routers: [router('hub', 'europe-west1', [])] }, { ...plain, natGateways: [] }],
  [
    'NAT gateways of two regions, one of another network',
    {
      routers: [
        router('hub', 'us-east1', ['out']),
        router('other', 'us-east1', ['out'], far),
        router('hub', 'europe-west1', ['out', 'in']),
      ],
    },
    { ...plain, natGateways: ['europe-west1/hub/in', 'europe-west1/hub/out', 'us-east1/hub/out'] },
  ],
  [
    'a router without the list, named by another host',
    {
      routers: [
        { name: 'hub', region: 'regions/us-east1', network: `https://compute.googleapis.com/compute/v1/${core}` },
      ],
    },
    { ...plain, natGateways: [] },
  ],
  ['routes of another network', { routes: [route({ network: base + far, nextHopIp: '10.1.0.9' })] }, plain],
  [
    'routes in order, each once',
    {
      routes: [
        route({ nextHopIp: '10.1.0.9', priority: 1000 }),
        route({ nextHopIp: '10.1.0.9' }),
        route({ nextHopIp: '10.1.0.9', priority: 0 }),
        route({ nextHopIp: '10.1.0.9', tags: ['web', 'app'], priority: 1000 }),
        route({ nextHopIp: '10.1.0.8', tags: [] }),
        route({ destRange: '2001:DB8::/32', nextHopIp: 'fd20::9' }),
      ],
    },
    {
      ...plain,
      routes: [
        { destination: '10.9.0.0/16', nextHop: '10.1.0.8' },
        { destination: '10.9.0.0/16', nextHop: '10.1.0.9', priority: 0 },
        { destination: '10.9.0.0/16', nextHop: '10.1.0.9' },
        { destination: '10.9.0.0/16', nextHop: '10.1.0.9', tags: ['app', 'web'] },
        { destination: '2001:db8::/32', nextHop: 'fd20::9' },
      ],
    },
  ],
  ...hops.map(([want, hop]) => [`a route to ${JSON.stringify(hop)}`, { routes: [route(hop)] }, nine(want)] as const),
  ...made.map(([name, one]) => [`a route ${name}`, { routes: [route(one)] }, plain] as const),
];

for (const [name, given, want] of rows)
  test(`network: ${name}`, () => {
    const routes = 'routes' in given ? given.routes : [];
    const settings = { ...(given.routers === undefined ? {} : { routers: given.routers }), unlisted: [] };
    const { attributes } = observeNetwork({ ...network, ...given.network }, routes, settings);
    assert.deepEqual(attributes.settings, want);
  });

test('the default route of a network is one of its routes, whoever made it', () => {
  const gateway = `${base}projects/acme/global/gateways/default-internet-gateway`;
  const born = { name: 'default-route-896c4dea71047e56', description: 'Default route to the Internet.' };
  for (const more of [born, { name: 'out' }]) {
    const { attributes } = observeNetwork(network, [
      route({ ...more, destRange: '0.0.0.0/0', nextHopGateway: gateway }),
    ]);
    assert.equal(attributes.internet, true);
    assert.deepEqual(attributes.settings?.routes, [{ destination: '0.0.0.0/0', nextHop: 'default-internet-gateway' }]);
  }
});

const subnetwork: Subnetwork = {
  id: '9',
  name: 'app',
  selfLink: `${base}${region}/subnetworks/app`,
  region: base + region,
  network: base + core,
  ipCidrRange: '10.1.0.0/24',
};
const bare: SubnetSettings = { ipv6Cidrs: [], secondaryRanges: [], privateGoogleAccess: false };

const subnetRows: readonly (readonly [name: string, given: Subnetwork, want: SubnetSettings])[] = [
  ['a plain one', { privateIpGoogleAccess: false, secondaryIpRanges: [] }, bare],
  ['an answer without these fields', {}, bare],
  ['access to Google', { privateIpGoogleAccess: true }, { ...bare, privateGoogleAccess: true }],
  [
    'secondary ranges, in any order',
    {
      secondaryIpRanges: [
        { rangeName: 'services', ipCidrRange: '10.9.0.0/20' },
        { rangeName: 'pods', ipCidrRange: '10.8.0.0/16' },
      ],
    },
    {
      ...bare,
      secondaryRanges: [
        { name: 'pods', cidr: '10.8.0.0/16' },
        { name: 'services', cidr: '10.9.0.0/20' },
      ],
    },
  ],
  [
    'an IPv6 secondary range',
    { secondaryIpRanges: [{ rangeName: 'six', ipCidrRange: 'FD20:0:1:0::/64' }] },
    { ...bare, secondaryRanges: [{ name: 'six', cidr: 'fd20:0:1::/64' }] },
  ],
  ['internal IPv6', { internalIpv6Prefix: 'fd20:0:1:0:0:0:0:0/64' }, { ...bare, ipv6Cidrs: ['fd20:0:1::/64'] }],
  [
    'external IPv6, whose inner range is no block of its own',
    { externalIpv6Prefix: '2600:1900:4000:1::/64', ipv6CidrRange: '2600:1900:4000:1::/96' },
    { ...bare, ipv6Cidrs: ['2600:1900:4000:1::/64'] },
  ],
];

for (const [name, given, want] of subnetRows)
  test(`subnet: ${name}`, () => {
    const { attributes } = observeSubnet({ ...subnetwork, ...given }, (link) => link ?? '', { project });
    assert.deepEqual(attributes.settings, want);
  });

test('IPv6 blocks are further blocks, of which a plan tells where no document states them', () => {
  const own = observeNetwork({ ...network, internalIpv6Range: 'fd20:0:1::/48' }, []);
  assert.deepEqual(own.condition.furtherBlocks, ['fd20:0:1::/48']);
  const dual = observeSubnet({ ...subnetwork, internalIpv6Prefix: 'fd20:0:1::/64' }, (link) => link ?? '', { project });
  assert.deepEqual(dual.condition.furtherBlocks, ['fd20:0:1::/64']);
  assert.ok(!('furtherBlocks' in observeNetwork(network, []).condition));
  assert.ok(!('furtherBlocks' in observeSubnet(subnetwork, (link) => link ?? '', { project }).condition));
});
