import assert from 'node:assert/strict';
import { test } from 'node:test';
import { document, problemsOf } from './problems-of.ts';

interface Row {
  readonly on: string;
  readonly settings: string;
  /** Of the subnet; else of the network. */
  readonly ofSubnet?: true;
  readonly adopts?: false;
  /** Default: the language's own, which is false. */
  readonly internet?: string;
  /** Part of the one problem; '' for none. */
  readonly want: string;
}

const routing = (on: string, routes: string, want: string): Row => ({
  on,
  settings: `{ routes: [${routes}] }`,
  internet: 'unmanaged',
  want,
  ...(on === 'gcp' ? {} : { ofSubnet: true as const }),
});

const rows: readonly Row[] = [
  { on: 'aws', settings: '{ secondaryCidrs: [10.1.0.0/16], ipv6Cidrs: ["2001:db8::/56"] }', want: '' },
  { on: 'aws', settings: '{ natGateways: [nat-1], peerings: [{ name: pcx-1, network: vpc-2 }] }', want: '' },
  { on: 'aws', settings: '{ routes: [] }', want: 'of this cloud has no such setting (aws)' },
  {
    on: 'gcp',
    settings: '{ routes: [{ destination: 10.9.0.0/16, nextHop: 10.1.0.9 }] }',
    internet: 'unmanaged',
    want: '',
  },
  {
    on: 'gcp',
    settings: '{ routes: [] }',
    want: '`internet: false` states the default route, which is one of these routes (gcp)',
  },
  { on: 'gcp', settings: '{ routes: [] }', internet: 'true', want: '`internet: true` states the default route' },
  { on: 'gcp', settings: '{ natGateways: [europe-west1/hub/nat], ipv6Cidrs: ["fd20::/48"] }', want: '' },
  {
    on: 'gcp',
    settings: '{ routes: [{ destination: 0.0.0.0/0, nextHop: 10.1.0.9, priority: 90, tags: [web] }] }',
    internet: 'unmanaged',
    want: '',
  },
  {
    on: 'aws',
    ofSubnet: true,
    settings: '{ routes: [{ destination: 0.0.0.0/0, nextHop: nat-1, priority: 90 }] }',
    internet: 'unmanaged',
    want: 'unknown field `priority`',
  },
  { on: 'gcp', settings: '{ secondaryCidrs: [] }', want: 'of this cloud has no such setting (gcp)' },
  { on: 'azure', settings: '{ natGateways: [] }', want: 'of this cloud has no such setting (azure)' },
  { on: 'aws', settings: '{ peerings: [] }', adopts: false, want: 'Setpoint makes no network with these settings yet' },
  { on: 'aws', settings: '{ peerings: [pcx-1] }', want: '`spec.settings.peerings[0]` is "pcx-1"' },
  { on: 'aws', settings: '{ natGateways: [nat-1, nat-1] }', want: 'has an entry twice' },
  { on: 'aws', settings: '{ secondaryCidrs: [10.1.0.0/16, 10.1.0.1/16] }', want: 'has an entry twice' },
  { on: 'aws', settings: '{ ipv6Cidrs: [10.1.0.0/16] }', want: 'this is an IPv4 block' },
  { on: 'gcp', settings: '{ ipv6Cidrs: [10.1.0.0/16] }', want: 'this is an IPv4 block' },
  { on: 'aws', settings: '{ secondaryCidrs: ["2001:db8::/56"] }', want: 'this is an IPv6 block' },
  { on: 'aws', settings: '{ secondaryCidrs: [10.90.2.0/24] }', want: '10.90.2.0/24 overlaps 10.90.0.0/16 of the same' },
  { on: 'aws', settings: '{ secondaryCidrs: [10.0.0.0/8] }', want: '10.0.0.0/8 overlaps 10.90.0.0/16' },
  {
    on: 'aws',
    settings: '{ secondaryCidrs: [100.64.0.0/16, 100.64.9.0/24] }',
    want: '100.64.9.0/24 overlaps 100.64.0.0/16',
  },
  { on: 'azure', settings: '{ secondaryCidrs: [10.90.2.0/24] }', want: '' },
  { on: 'aws', settings: '{ natGateways: [foo] }', want: 'this is no NAT gateway of AWS' },
  { on: 'gcp', settings: '{ natGateways: [hub] }', want: 'this is no NAT gateway of Google Cloud' },
  { on: 'gcp', settings: '{ natGateways: [nat-1] }', want: 'this is no NAT gateway of Google Cloud' },
  { on: 'aws', settings: '{ peerings: [{ name: far, network: vpc-2 }] }', want: 'this is no peering of AWS' },
  { on: 'aws', settings: '{ peerings: [{ name: pcx-1, network: core }] }', want: 'this is no VPC' },
  { on: 'gcp', settings: '{ peerings: [{ name: far, network: core }] }', want: 'this is no network of Google Cloud' },
  {
    on: 'gcp',
    settings: '{ peerings: [{ name: far, network: "projects/acme.com:hub/global/networks/hub#7" }] }',
    want: '',
  },
  { on: 'azure', settings: '{ peerings: [{ name: far, network: hub }] }', want: 'this is no virtual network of Azure' },
  {
    on: 'azure',
    settings:
      '{ peerings: [{ name: Far, network: /subscriptions/9/RESOURCEGROUPS/n/providers/Microsoft.Network/VirtualNetworks/Hub }] }',
    want: '',
  },
  ...['10.9.0.0/16', '"2001:db8::/32"', '10.9.0.1/16'].flatMap((to) => [
    routing('aws', `{ destination: ${to}, nextHop: tgw-1 }`, ''),
    routing('gcp', `{ destination: ${to}, nextHop: 10.1.0.9 }`, ''),
    routing('azure', `{ destination: ${to}, nextHop: none }`, ''),
  ]),
  routing('aws', '{ destination: foo, nextHop: tgw-1 }', 'this is no destination of a route of AWS'),
  routing('aws', '{ destination: 10.9.0.1, nextHop: tgw-1 }', 'this is no destination of a route of AWS'),
  routing('aws', '{ destination: pl-1, nextHop: "arn:aws:networkmanager::1:core-network/core-network-1" }', ''),
  routing('gcp', '{ destination: Storage, nextHop: 10.1.0.9 }', 'this is no destination of a route of Google Cloud'),
  routing('azure', '{ destination: pl/1, nextHop: none }', 'this is no destination of a route of Azure'),
  routing('azure', '{ destination: AzureCloud.WestEurope, nextHop: VirtualNetworkGateway }', ''),
  routing('azure', '{ destination: storage, nextHop: "10.0.0.4,10.0.0.5" }', ''),
  routing('azure', '{ destination: 10.9.0.4, nextHop: 10.0.0.4 }', ''),
  routing(
    'gcp',
    '{ destination: 10.9.0.0/16, nextHop: 10.1.0.9 }, { destination: 10.9.0.1/16, nextHop: 10.1.0.9, priority: 1000 }',
    'this route is in the list already',
  ),
  routing(
    'gcp',
    '{ destination: 10.9.0.0/16, nextHop: 10.1.0.9 }, { destination: 10.9.0.0/16, nextHop: 10.1.0.9, priority: 90 }',
    '',
  ),
  routing(
    'azure',
    '{ destination: 0.0.0.0/0, nextHop: None }, { destination: 0.0.0.0/0, nextHop: none }',
    'this route is in the list already',
  ),
  { on: 'aws', settings: '{ vpn: true }', want: 'unknown field `vpn`' },

  { on: 'aws', ofSubnet: true, settings: '{ publicIpOnLaunch: true }', want: '' },
  { on: 'aws', ofSubnet: true, settings: '{ routes: [] }', internet: 'unmanaged', want: '' },
  {
    on: 'aws',
    ofSubnet: true,
    settings: '{ routes: [] }',
    want: '`internet: false` would put the subnet on a route table without these routes (aws)',
  },
  { on: 'aws', ofSubnet: true, settings: '{ routes: [] }', internet: 'true', want: '`internet: true` would put' },
  { on: 'azure', ofSubnet: true, settings: '{ routes: [] }', internet: 'true', want: '' },
  { on: 'aws', ofSubnet: true, settings: '{ natGateway: nat }', want: 'of this cloud has no such setting (aws)' },
  {
    on: 'gcp',
    ofSubnet: true,
    settings: '{ privateGoogleAccess: false, secondaryRanges: [{ name: pods, cidr: 10.8.0.0/16 }] }',
    want: '',
  },
  {
    on: 'gcp',
    ofSubnet: true,
    settings: '{ publicIpOnLaunch: false }',
    want: 'of this cloud has no such setting (gcp)',
  },
  { on: 'azure', ofSubnet: true, settings: '{ natGateway: nat, secondaryCidrs: [10.1.1.0/24] }', want: '' },
  {
    on: 'azure',
    ofSubnet: true,
    adopts: false,
    settings: '{ natGateway: nat }',
    want: 'Setpoint makes no subnet with these settings yet',
  },
];

for (const { on, settings, ofSubnet, adopts, internet, want } of rows)
  test(`${on}, ${ofSubnet ? 'subnet' : 'network'}: ${settings}, ${(adopts ?? true) ? 'adopted' : 'new'}, internet ${internet ?? 'unstated'}: ${want || 'sound'}`, () => {
    const adopt = adopts === false ? '' : `, adopt: { ${on}: x }`;
    const [ofNetwork, inSubnet] = ofSubnet ? ['', `, settings: ${settings}${adopt}`] : [`, settings: ${settings}`, ''];
    const metadata = `{ name: lone${ofSubnet ? '' : adopt} }`;
    const subnets = `[{ name: app, cidr: 10.90.1.0/24${inSubnet} }]`;
    const way = internet === undefined ? '' : `, internet: ${internet}`;
    const found = problemsOf(
      document('Network', metadata, `{ targets: [${on}], cidr: 10.90.0.0/16, subnets: ${subnets}${ofNetwork}${way} }`),
    );
    assert.equal(found.length, want === '' ? 0 : 1, found.join('\n') || 'nothing was found');
    assert.ok(
      found.every((problem) => problem.includes(want)),
      found.join('\n'),
    );
  });

const further: readonly (readonly [settings: string, want: string])[] = [
  ['{ secondaryCidrs: [100.64.0.0/16] }', ''],
  ['{ secondaryCidrs: [100.65.0.0/16] }', 'subnet app (100.64.1.0/24) is not inside its network'],
  ['{}', 'subnet app (100.64.1.0/24) is not inside its network'],
];

for (const [settings, want] of further)
  test(`a subnet in a further block, where the network states ${settings}: ${want || 'sound'}`, () => {
    const spec = `{ targets: [aws], cidr: 10.90.0.0/16, settings: ${settings}, subnets: [{ name: app, cidr: 100.64.1.0/24 }] }`;
    const found = problemsOf(document('Network', '{ name: lone, adopt: { aws: x } }', spec));
    assert.equal(found.length, want === '' ? 0 : 1, found.join('\n'));
    assert.ok(found.every((problem) => problem.includes(want)));
  });
