import assert from 'node:assert/strict';
import { test } from 'node:test';
import { document, problemsOf, problemsReadAsBefore } from './problems-of.ts';

const x = (length: number): string => 'x'.repeat(length);

const network = (on: string, name: string, subnet = 'app'): string =>
  document(
    'Network',
    `{ name: ${name} }`,
    `{ targets: [${on}], cidr: 10.9.0.0/16, subnets: [{ name: ${subnet}, cidr: 10.9.0.0/24 }] }`,
  );
const rule = (on: string, name: string, more = ''): string =>
  document('FirewallRule', `{ name: ${name} }`, `{ network: core, targets: [${on}], protocol: tcp${more} }`);
const peers = ', peers: { any: true }';

const machines: Readonly<Record<string, string>> = {
  aws: 'image: ami-0abc1234, size: t3.small',
  gcp: 'image: global/images/web, size: e2-small',
  azure: 'image: "a:b:c:latest", size: Standard_B2s, access: { user: ops, sshKeys: ["ssh-ed25519 AAAA"] }',
};
const instance = (on: string, name: string, more = ''): string =>
  document('Instance', `{ name: ${name} }`, `{ targets: [${on}], network: core, subnet: app, ${machines[on]}${more} }`);

/** `core-` is five letters, `-all` four, an ordinal two or more, `-1a2b3c4d` nine. */
const rows: readonly { name: string; given: string; want: string }[] = [
  { name: 'gcp: a network whose group of all has 63', given: network('gcp', x(59), 'a'), want: '' },
  {
    name: 'gcp: one letter more',
    given: network('gcp', x(60), 'a'),
    want: `gcp takes no group named \`${x(60)}-all\``,
  },
  { name: 'gcp: capitals', given: network('gcp', 'Main'), want: 'gcp takes no network named `Main`' },
  { name: 'gcp: a digit first', given: network('gcp', '1st'), want: 'gcp takes no network named `1st`' },
  { name: 'gcp: a subnet of 63', given: network('gcp', 'net', x(59)), want: '' },
  { name: 'gcp: a subnet of 64', given: network('gcp', 'net', x(60)), want: `no subnet named \`net-${x(60)}\`` },
  { name: 'gcp: a rule of 54 with its network', given: rule('gcp', x(49), peers), want: '' },
  { name: 'gcp: a rule of 55', given: rule('gcp', x(50), peers), want: `gcp takes no rule named \`core-${x(50)}\`` },
  { name: 'gcp: a group of 63', given: instance('gcp', 'web', `, groups: [${x(58)}]`), want: '' },
  { name: 'gcp: a group of 64', given: instance('gcp', 'web', `, groups: [${x(59)}]`), want: 'gcp takes no group' },
  {
    name: 'gcp: a group in peers',
    given: rule('gcp', 'r', ', peers: { groups: [Web] }'),
    want: 'gcp takes no group named `core-Web`',
  },
  {
    name: 'gcp: a group of one target',
    given: instance('gcp', 'web', ', on: { gcp: { groups: [a_b] } }'),
    want: 'gcp takes no group named `core-a_b`',
  },
  { name: 'gcp: a machine of 63', given: instance('gcp', x(61)), want: '' },
  { name: 'gcp: a machine of 64', given: instance('gcp', x(61), ', replicas: 11'), want: `named \`${x(61)}-10\`` },
  {
    name: 'gcp: replicas elsewhere lengthen no name',
    given: instance('gcp', x(61), ', on: { gcp: { replicas: 1 } }, replicas: 11'),
    want: '',
  },
  { name: 'azure: a network of one letter', given: network('azure', 'n'), want: 'azure takes no network named `n`' },
  { name: 'azure: a network of 63 and its NSG', given: network('azure', x(63)), want: '' },
  { name: 'azure: a network that ends with -', given: network('azure', 'net-'), want: 'azure takes no network' },
  { name: 'azure: a subnet that ends with -', given: network('azure', 'net', 'a-'), want: 'no subnet named `a-`' },
  { name: 'azure: a subnet in capitals', given: network('azure', 'net', 'App_'), want: '' },
  {
    name: 'azure: a subnet of a gateway, in any case',
    given: network('azure', 'net', 'gatewaysubnet'),
    want: 'azure takes no subnet named `gatewaysubnet`',
  },
  { name: 'aws: that is no name of a subnet there', given: network('aws', 'net', 'GatewaySubnet'), want: '' },
  { name: 'azure: a group that ends with -', given: instance('azure', 'web', ', groups: [a-]'), want: 'core-a-' },
  { name: 'azure: the longest rule', given: rule('azure', x(63), peers), want: '' },
  { name: 'azure: a machine of 64', given: instance('azure', x(62)), want: '' },
  {
    name: 'azure: a machine of 65',
    given: instance('azure', x(63)),
    want: `azure takes no instance named \`${x(63)}-0\``,
  },
  { name: 'azure: a machine with _', given: instance('azure', 'a_b'), want: 'azure takes no instance named `a_b-0`' },
  { name: 'aws: a machine with _', given: instance('aws', 'a_b'), want: '' },
  { name: 'aws: a network like the id of a group', given: network('aws', 'sg-net'), want: 'aws takes no group' },
];

for (const { name, given, want } of rows) {
  test(`${name}: ${want === '' ? 'sound' : 'refused'}`, () => {
    const found = problemsOf(given);
    if (want === '') assert.deepEqual(found, []);
    else {
      const others = found.filter((one) => !one.startsWith('error refused-name: '));
      assert.deepEqual(others, []);
      assert.ok(found.join('\n').includes(want), found.join('\n') || 'nothing was found');
    }
  });
}

test('groups that differ in case only are refused where the second is named', () => {
  const found = problemsOf(instance('aws', 'web', ', groups: [web]'), rule('aws', 'r', ', peers: { groups: [Web] }'));
  assert.deepEqual(found, ['error group-case: the group `Web` differs in case only from web (x.yaml:29)']);
});

problemsReadAsBefore('cloud-names');

const placeNetwork = (targets: string, cidr: string, subnets: readonly string[] = [], more = ''): string =>
  document(
    'Network',
    '{ name: net }',
    `{ targets: [${targets}], cidr: ${cidr}, subnets: [${subnets.map((one) => `{ ${one} }`).join(', ')}]${more} }`,
  );
const block = (targets: string, cidr: string): string => placeNetwork(targets, cidr, [`name: a, cidr: ${cidr}`]);
const gcp = (name: string, region: string, more = ''): string =>
  document('Target', `{ name: ${name} }`, `{ provider: gcp, account: acme-prod, region: ${region}${more} }`);
const placeRule = (spec: string): string =>
  document('FirewallRule', '{ name: r }', `{ network: net, protocol: tcp, peers: { any: true }, ${spec} }`);
const machine = (targets: string, more = ''): string =>
  document(
    'Instance',
    '{ name: web }',
    `{ targets: [${targets}], network: net, image: global/images/web, size: e2-small${more} }`,
  );

const placeRows: readonly { name: string; given: readonly string[]; want: string }[] = [
  { name: 'aws: /16', given: [block('aws', '10.9.0.0/16')], want: '' },
  { name: 'aws: /15', given: [placeNetwork('aws', '10.8.0.0/15')], want: 'aws takes no /15 here' },
  { name: 'aws: /28', given: [block('aws', '10.9.0.0/28')], want: '' },
  { name: 'aws: /29', given: [placeNetwork('aws', '10.9.0.0/29')], want: 'aws takes no /29 here' },
  { name: 'gcp: /29', given: [block('gcp', '10.9.0.0/29')], want: '' },
  { name: 'gcp: a network of any size', given: [placeNetwork('gcp', '10.9.0.0/30')], want: '' },
  { name: 'gcp: /30', given: [block('gcp', '10.9.0.0/30')], want: 'gcp takes no /30 here' },
  { name: 'gcp: class E', given: [block('gcp', '240.0.0.0/5')], want: '' },
  {
    name: 'gcp: of Google APIs',
    given: [block('gcp', '199.36.153.8/29')],
    want: 'gcp keeps 199.36.153.8/30 for itself',
  },
  { name: 'gcp: link-local', given: [block('gcp', '169.254.8.0/24')], want: 'gcp keeps 169.254.0.0/16 for itself' },
  { name: 'azure: /29', given: [block('azure', '10.9.0.0/29')], want: '' },
  { name: 'azure: /30', given: [placeNetwork('azure', '10.9.0.0/30')], want: 'azure takes no /30 here' },
  { name: 'azure: /3', given: [block('azure', '32.0.0.0/3')], want: '' },
  { name: 'azure: /1', given: [placeNetwork('azure', '128.0.0.0/1')], want: 'azure takes no /1 here' },
  {
    name: 'azure: around its own resolver',
    given: [placeNetwork('azure', '168.63.0.0/16')],
    want: 'azure keeps 168.63.129.16/32 for itself',
  },
  { name: 'azure: IPv6', given: [placeNetwork('azure', '"2001:db8::/48"')], want: 'azure networks begin with IPv4' },

  { name: 'gcp: the zone of a region', given: [gcp('g', 'europe-west10', ', zone: europe-west10-a')], want: '' },
  {
    name: 'gcp: the zone of a region whose name begins alike',
    given: [gcp('g', 'europe-west1', ', zone: europe-west10-a')],
    want: 'the zone `europe-west10-a` is not in europe-west1',
  },
  {
    name: 'aws and azure: the zone of a target places nothing',
    given: [
      document(
        'Target',
        '{ name: a }',
        '{ provider: aws, account: "111122223333", region: us-east-1, zone: us-east-1a }',
      ),
    ],
    want: 'warning not-here: the zone of a target has no effect on aws',
  },
  {
    name: 'azure: a location in any case',
    given: [
      document(
        'Target',
        '{ name: z }',
        '{ provider: azure, account: 00000000-0000-0000-0000-000000000001, region: WestEurope, resourceGroup: other }',
      ),
    ],
    want: '',
  },

  {
    name: 'aws: a subnet in a zone',
    given: [placeNetwork('aws, gcp', '10.9.0.0/16', ['name: a, cidr: 10.9.0.0/24, zone: eu-west-1a'])],
    want: '',
  },
  {
    name: 'aws: a subnet in a zone of another region',
    given: [placeNetwork('aws', '10.9.0.0/16', ['name: a, cidr: 10.9.0.0/24, zone: eu-west-2a'])],
    want: 'error bad-value: the zone `eu-west-2a` is not in eu-west-1 (aws)',
  },
  {
    name: 'gcp and azure: a subnet in a zone',
    given: [placeNetwork('gcp, azure', '10.9.0.0/16', ['name: a, cidr: 10.9.0.0/24, zone: "1"'])],
    want: 'warning not-here: GCP and Azure subnets span all zones',
  },

  {
    name: 'one project, two regions: one block twice',
    given: [gcp('us', 'us-east1'), placeNetwork('gcp, us', '10.9.0.0/16', ['name: a, cidr: 10.9.0.0/24'])],
    want: 'subnet a would exist twice in the single network of gcp/acme-prod',
  },
  {
    name: 'one project, two regions: one block each',
    given: [
      gcp('us', 'us-east1'),
      placeNetwork('gcp, us', '10.9.0.0/16', [
        'name: a, cidr: 10.9.0.0/24, target: gcp',
        'name: b, cidr: 10.9.1.0/24, target: us',
      ]),
    ],
    want: '',
  },
  {
    name: 'one project, two zones of a region: one subnet for both',
    given: [
      gcp('c', 'europe-west1', ', zone: europe-west1-c'),
      placeNetwork('gcp, c', '10.9.0.0/16', ['name: a, cidr: 10.9.0.0/28']),
      machine('gcp, c', ', subnet: a, replicas: 6'),
    ],
    want: '',
  },
  {
    name: 'and its addresses are for both',
    given: [
      gcp('c', 'europe-west1', ', zone: europe-west1-c'),
      placeNetwork('gcp, c', '10.9.0.0/16', ['name: a, cidr: 10.9.0.0/28, target: c']),
      machine('gcp, c', ', subnet: a, replicas: 7'),
    ],
    want: 'error subnet-full: 14 machines belong to this subnet on c, and it has 12 addresses: gcp keeps 4',
  },
  {
    name: 'one project, two regions: a subnet of the other is none',
    given: [
      gcp('us', 'us-east1', ', zone: us-east1-b'),
      placeNetwork('gcp, us', '10.9.0.0/16', ['name: a, cidr: 10.9.0.0/24, target: us']),
      machine('gcp', ', subnet: a'),
    ],
    want: '`a` is no subnet of net on gcp',
  },
  {
    name: 'one project, two modes',
    given: [gcp('us', 'us-east1', ', mode: observe'), placeNetwork('gcp, us', '10.9.0.0/16')],
    want: 'error scope-conflict: net is one network in all of gcp/acme-prod, and gcp',
  },
  {
    name: 'one project, a mode said and the same unsaid',
    given: [gcp('us', 'us-east1', ', mode: plan'), placeNetwork('gcp, us', '10.9.0.0/16')],
    want: '',
  },
  {
    name: 'one project, two modes, two networks',
    given: [gcp('us', 'us-east1', ', mode: observe'), placeNetwork('us', '10.9.0.0/16')],
    want: '',
  },
  {
    name: 'one project, two credentials',
    given: [gcp('us', 'us-east1', ', credentials: { env: SETPOINT_SECRET_GCP }')],
    want: 'error scope-conflict: targets of one scope (gcp/acme-prod) with different credentials',
  },
  {
    name: 'one project: a rule on one of two targets holds on both',
    given: [gcp('us', 'us-east1'), placeNetwork('aws, gcp, us', '10.9.0.0/16'), placeRule('targets: [aws, gcp]')],
    want: 'error shared-network: net is one network in all of gcp/acme-prod: this rule would also apply on us',
  },
  {
    name: 'one project: a rule on both, and one on neither',
    given: [gcp('us', 'us-east1'), placeNetwork('aws, gcp, us', '10.9.0.0/16'), placeRule('targets: [gcp, us]')],
    want: '',
  },
  {
    name: 'one project: a rule on neither',
    given: [gcp('us', 'us-east1'), placeNetwork('aws, gcp, us', '10.9.0.0/16'), placeRule('targets: [aws]')],
    want: '',
  },
];

for (const { name, given, want } of placeRows) {
  test(`${name}: ${want === '' ? 'sound' : 'refused'}`, () => {
    const found = problemsOf(...given);
    if (want === '') assert.deepEqual(found, []);
    else {
      assert.equal(found.length, 1, found.join('\n') || 'nothing was found');
      assert.ok(found[0]?.includes(want), found[0]);
    }
  });
}

problemsReadAsBefore('cloud-places');
