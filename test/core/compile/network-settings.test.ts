import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialect as aws } from '../../../providers/aws/dialect.ts';
import { dialect as azure } from '../../../providers/azure/dialect.ts';
import { dialect as gcp } from '../../../providers/gcp/dialect.ts';
import { compile } from '../../../src/core/compile/compile.ts';
import { settingsOf } from '../../../src/core/desired.ts';
import { ofKind } from '../../../src/core/documents/spec-set.ts';
import { parseSpecs } from '../../../src/source/parse-specs.ts';

/** A document may list and spell settings as people like: they compare in the one form that providers report. */
const targets = {
  aws: 'provider: aws, account: "111122223333", region: eu-west-1',
  gcp: 'provider: gcp, account: acme-prod, region: europe-west1, zone: europe-west1-b',
  azure: 'provider: azure, account: 00000000-0000-0000-0000-000000000001, region: westeurope, resourceGroup: acme',
} as const;

interface Row {
  readonly on: keyof typeof targets;
  readonly network?: string;
  readonly subnet?: string;
  readonly want: object;
}

const rows: readonly Row[] = [
  {
    on: 'aws',
    network: '{ secondaryCidrs: [10.3.0.9/16, 10.2.0.0/16], ipv6Cidrs: ["2001:DB8:0:0::/56"] }',
    want: { secondaryCidrs: ['10.2.0.0/16', '10.3.0.0/16'], ipv6Cidrs: ['2001:db8::/56'] },
  },
  {
    on: 'aws',
    network:
      '{ natGateways: [nat-2, nat-1], peerings: [{ name: pcx-2, network: vpc-B }, { name: pcx-1, network: vpc-c }] }',
    want: {
      natGateways: ['nat-1', 'nat-2'],
      peerings: [
        { name: 'pcx-1', network: 'vpc-c' },
        { name: 'pcx-2', network: 'vpc-B' },
      ],
    },
  },
  {
    on: 'aws',
    subnet:
      '{ publicIpOnLaunch: false, routes: [{ destination: pl-1, nextHop: vpce-1 }, { destination: 10.9.0.7/16, nextHop: tgw-1 }] }',
    want: {
      publicIpOnLaunch: false,
      routes: [
        { destination: '10.9.0.0/16', nextHop: 'tgw-1' },
        { destination: 'pl-1', nextHop: 'vpce-1' },
      ],
    },
  },
  {
    on: 'gcp',
    network:
      '{ natGateways: [us-east1/hub/nat, europe-west1/hub/nat], peerings: [{ name: Far, network: projects/acme-prod/global/networks/far#77 }], routes: [{ destination: 10.9.0.7/16, nextHop: projects/acme-prod/zones/europe-west1-b/instances/fw#9, priority: 1000, tags: [web, app] }, { destination: 10.9.0.0/16, nextHop: 10.1.0.9, priority: 1000 }, { destination: 10.9.0.0/16, nextHop: 10.1.0.9, priority: 90 }] }',
    want: {
      natGateways: ['europe-west1/hub/nat', 'us-east1/hub/nat'],
      peerings: [{ name: 'Far', network: 'projects/acme-prod/global/networks/far' }],
      routes: [
        { destination: '10.9.0.0/16', nextHop: '10.1.0.9', priority: 90 },
        { destination: '10.9.0.0/16', nextHop: '10.1.0.9' },
        {
          destination: '10.9.0.0/16',
          nextHop: 'projects/acme-prod/zones/europe-west1-b/instances/fw',
          tags: ['app', 'web'],
        },
      ],
    },
  },
  {
    on: 'gcp',
    subnet:
      '{ privateGoogleAccess: true, secondaryRanges: [{ name: pods, cidr: 10.8.0.1/16 }, { name: a, cidr: 10.7.0.0/16 }] }',
    want: {
      privateGoogleAccess: true,
      secondaryRanges: [
        { name: 'a', cidr: '10.7.0.0/16' },
        { name: 'pods', cidr: '10.8.0.0/16' },
      ],
    },
  },
  {
    on: 'azure',
    network:
      '{ peerings: [{ name: Hub, network: /subscriptions/1/resourceGroups/Net/providers/Microsoft.Network/virtualNetworks/Hub }] }',
    want: {
      peerings: [
        {
          name: 'hub',
          network: '/subscriptions/1/resourcegroups/net/providers/microsoft.network/virtualnetworks/hub',
        },
      ],
    },
  },
  {
    on: 'azure',
    subnet: '{ natGateway: NAT, routes: [{ destination: 0.0.0.0/0, nextHop: Internet }] }',
    want: { natGateway: 'nat', routes: [{ destination: '0.0.0.0/0', nextHop: 'internet' }] },
  },
];

for (const { on, network, subnet, want } of rows)
  test(`${on}: ${network ?? subnet}`, () => {
    const adopt = `adopt: { ${on}: x }`;
    const spec = `targets: [${on}], cidr: 10.1.0.0/16, internet: unmanaged${network ? `, settings: ${network}` : ''}`;
    const entry = `{ name: app, cidr: 10.1.1.0/24, adopt: { ${on}: y }${subnet ? `, settings: ${subnet}` : ''} }`;
    const documents = [
      'kind: Estate\nmetadata: { name: acme }\nspec: {}',
      `kind: Target\nmetadata: { name: ${on} }\nspec: { ${targets[on]} }`,
      `kind: Network\nmetadata: { name: core, ${adopt} }\nspec: { ${spec}, subnets: [${entry}] }`,
    ].map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`);
    const read = parseSpecs([{ path: 'a.yaml', text: documents.join('---\n') }], '2026-11-24');
    assert.deepEqual(
      read.problems.filter(({ severity }) => severity === 'error'),
      [],
    );
    const [estate] = ofKind(read.documents, 'Estate');
    assert.ok(estate);
    const { scopes } = compile({
      estate: estate.value,
      documents: read.documents,
      dialects: { aws, gcp, azure },
      hashes: { userData: () => '', access: () => '' },
      today: '2026-11-24',
    });
    const kind = network === undefined ? 'subnet' : 'network';
    const found = scopes.flatMap(({ wanted }) => wanted.desired).find((one) => one.kind === kind);
    assert.deepEqual(found && settingsOf(found), want);
  });
