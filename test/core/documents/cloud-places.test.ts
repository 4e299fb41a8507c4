import assert from 'node:assert/strict';
import { test } from 'node:test';
import { document, problemsOf, problemsReadAsBefore } from './problems-of.ts';

const network = (targets: string, cidr: string, subnets: readonly string[] = [], more = ''): string =>
  document(
    'Network',
    '{ name: net }',
    `{ targets: [${targets}], cidr: ${cidr}, subnets: [${subnets.map((one) => `{ ${one} }`).join(', ')}]${more} }`,
  );
const block = (targets: string, cidr: string): string => network(targets, cidr, [`name: a, cidr: ${cidr}`]);
const gcp = (name: string, region: string, more = ''): string =>
  document('Target', `{ name: ${name} }`, `{ provider: gcp, account: acme-prod, region: ${region}${more} }`);
const rule = (spec: string): string =>
  document('FirewallRule', '{ name: r }', `{ network: net, protocol: tcp, peers: { any: true }, ${spec} }`);
const machine = (targets: string, more = ''): string =>
  document(
    'Instance',
    '{ name: web }',
    `{ targets: [${targets}], network: net, image: global/images/web, size: e2-small${more} }`,
  );

const rows: readonly { name: string; given: readonly string[]; want: string }[] = [
  { name: 'aws: /16', given: [block('aws', '10.9.0.0/16')], want: '' },
  { name: 'aws: /15', given: [network('aws', '10.8.0.0/15')], want: 'aws takes no /15 here' },
  { name: 'aws: /28', given: [block('aws', '10.9.0.0/28')], want: '' },
  { name: 'aws: /29', given: [network('aws', '10.9.0.0/29')], want: 'aws takes no /29 here' },
  { name: 'gcp: /29', given: [block('gcp', '10.9.0.0/29')], want: '' },
  { name: 'gcp: a network of any size', given: [network('gcp', '10.9.0.0/30')], want: '' },
  { name: 'gcp: /30', given: [block('gcp', '10.9.0.0/30')], want: 'gcp takes no /30 here' },
  { name: 'gcp: class E', given: [block('gcp', '240.0.0.0/5')], want: '' },
  {
    name: 'gcp: of Google APIs',
    given: [block('gcp', '199.36.153.8/29')],
    want: 'gcp keeps 199.36.153.8/30 for itself',
  },
  { name: 'gcp: link-local', given: [block('gcp', '169.254.8.0/24')], want: 'gcp keeps 169.254.0.0/16 for itself' },
  { name: 'azure: /29', given: [block('azure', '10.9.0.0/29')], want: '' },
  { name: 'azure: /30', given: [network('azure', '10.9.0.0/30')], want: 'azure takes no /30 here' },
  { name: 'azure: /3', given: [block('azure', '32.0.0.0/3')], want: '' },
  { name: 'azure: /1', given: [network('azure', '128.0.0.0/1')], want: 'azure takes no /1 here' },
  {
    name: 'azure: around its own resolver',
    given: [network('azure', '168.63.0.0/16')],
    want: 'azure keeps 168.63.129.16/32 for itself',
  },
  { name: 'azure: IPv6', given: [network('azure', '"2001:db8::/48"')], want: 'azure networks begin with IPv4' },

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
    want: 'warning not-here: nothing on aws is placed by the zone of its target',
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
    given: [network('aws, gcp', '10.9.0.0/16', ['name: a, cidr: 10.9.0.0/24, zone: eu-west-1a'])],
    want: '',
  },
  {
    name: 'aws: a subnet in a zone of another region',
    given: [network('aws', '10.9.0.0/16', ['name: a, cidr: 10.9.0.0/24, zone: eu-west-2a'])],
    want: 'error bad-value: the zone `eu-west-2a` is not in eu-west-1 (aws)',
  },
  {
    name: 'gcp and azure: a subnet in a zone',
    given: [network('gcp, azure', '10.9.0.0/16', ['name: a, cidr: 10.9.0.0/24, zone: "1"'])],
    want: 'warning not-here: GCP and Azure subnets span all zones',
  },

  {
    name: 'one project, two regions: one block twice',
    given: [gcp('us', 'us-east1'), network('gcp, us', '10.9.0.0/16', ['name: a, cidr: 10.9.0.0/24'])],
    want: 'subnet a would stand twice in the one network of gcp/acme-prod',
  },
  {
    name: 'one project, two regions: one block each',
    given: [
      gcp('us', 'us-east1'),
      network('gcp, us', '10.9.0.0/16', [
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
      network('gcp, c', '10.9.0.0/16', ['name: a, cidr: 10.9.0.0/28']),
      machine('gcp, c', ', subnet: a, replicas: 6'),
    ],
    want: '',
  },
  {
    name: 'and its addresses are for both',
    given: [
      gcp('c', 'europe-west1', ', zone: europe-west1-c'),
      network('gcp, c', '10.9.0.0/16', ['name: a, cidr: 10.9.0.0/28, target: c']),
      machine('gcp, c', ', subnet: a, replicas: 7'),
    ],
    want: 'error subnet-full: 14 machines are to be in this subnet on c, and it has 12 addresses: gcp keeps 4',
  },
  {
    name: 'one project, two regions: a subnet of the other is none',
    given: [
      gcp('us', 'us-east1', ', zone: us-east1-b'),
      network('gcp, us', '10.9.0.0/16', ['name: a, cidr: 10.9.0.0/24, target: us']),
      machine('gcp', ', subnet: a'),
    ],
    want: '`a` is no subnet of net on gcp',
  },
  {
    name: 'one project, two modes',
    given: [gcp('us', 'us-east1', ', mode: observe'), network('gcp, us', '10.9.0.0/16')],
    want: 'error scope-conflict: net is one network in all of gcp/acme-prod, and gcp',
  },
  {
    name: 'one project, a mode said and the same unsaid',
    given: [gcp('us', 'us-east1', ', mode: plan'), network('gcp, us', '10.9.0.0/16')],
    want: '',
  },
  {
    name: 'one project, two modes, two networks',
    given: [gcp('us', 'us-east1', ', mode: observe'), network('us', '10.9.0.0/16')],
    want: '',
  },
  {
    name: 'one project, two credentials',
    given: [gcp('us', 'us-east1', ', credentials: { env: SETPOINT_SECRET_GCP }')],
    want: 'error scope-conflict: targets of one scope (gcp/acme-prod) with different credentials',
  },
  {
    name: 'one project: a rule on one of two targets holds on both',
    given: [gcp('us', 'us-east1'), network('aws, gcp, us', '10.9.0.0/16'), rule('targets: [aws, gcp]')],
    want: 'error shared-network: net is one network in all of gcp/acme-prod: this rule would hold on us as well',
  },
  {
    name: 'one project: a rule on both, and one on neither',
    given: [gcp('us', 'us-east1'), network('aws, gcp, us', '10.9.0.0/16'), rule('targets: [gcp, us]')],
    want: '',
  },
  {
    name: 'one project: a rule on neither',
    given: [gcp('us', 'us-east1'), network('aws, gcp, us', '10.9.0.0/16'), rule('targets: [aws]')],
    want: '',
  },
];

for (const { name, given, want } of rows) {
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
