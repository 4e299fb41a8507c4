import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dialect as aws } from '../../../providers/aws/dialect.ts';
import { dialect as azure } from '../../../providers/azure/dialect.ts';
import { dialect as gcp } from '../../../providers/gcp/dialect.ts';
import { compile } from '../../../src/core/compile/compile.ts';
import type { Desired } from '../../../src/core/desired.ts';
import { ofKind } from '../../../src/core/documents/spec-set.ts';
import type { InstanceAttributes } from '../../../src/core/resource.ts';
import { parseSpecs } from '../../../src/source/parse-specs.ts';

/** The forms that a rule document takes: several protocols, any side, and one existing object. */
const base = `
apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme }
spec: {}
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: aws }
spec: { provider: aws, account: "111122223333", region: eu-west-1 }
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: gcp }
spec: { provider: gcp, account: acme-prod, region: europe-west1, zone: europe-west1-b }
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: azure }
spec: { provider: azure, account: 00000000-0000-0000-0000-000000000001, region: westeurope, resourceGroup: acme }
---
apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: core }
spec:
  targets: [aws, gcp, azure]
  cidr: 10.20.0.0/16
  subnets: [{ name: app, cidr: 10.20.1.0/24 }]
  groups: [{ name: web, adopt: { gcp: http-server, aws: sg-1 } }]
---
apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: spoke, adopt: { azure: /vnet } }
spec: { targets: [azure], cidr: 10.30.0.0/16, filter: unmanaged, subnets: [{ name: app, cidr: 10.30.1.0/24, adopt: { azure: /vnet/app } }] }
---
apiVersion: setpoint.dev/v1
kind: FirewallRule
`;

function compiled(rule: string): readonly Desired[] {
  const { documents, problems } = parseSpecs([{ path: 'specs/a.yaml', text: base + rule }], '2026-01-01');
  assert.deepEqual(
    problems.filter(({ severity }) => severity === 'error').map(({ message }) => message),
    [],
  );
  const [estate] = ofKind(documents, 'Estate');
  assert.ok(estate);
  const hashes = { userData: () => '', access: () => '' };
  const dialects = { aws, gcp, azure };
  const { scopes } = compile({ estate: estate.value, documents, dialects, hashes, today: '2026-01-01' });
  return scopes.flatMap(({ wanted }) => wanted.desired);
}

/** Rules of the document `r`, in short. */
const rulesIn = (all: readonly Desired[]): readonly string[] =>
  all.flatMap(({ kind, address, attributes, documents }) => {
    if (kind !== 'firewall-rule' || !('match' in attributes)) return [];
    if (!documents.some((document) => /[/.]r$/.test(document.address))) return [];
    const { match, group, order } = attributes;
    const { protocol, ports, targets = [group ?? ''], peers } = match;
    const sides = [targets, peers].map((side) => side.map((item) => item.replace(/^(?:aws|azure)\/.*\/group\//, '')));
    return `${address.split('/')[0]} ${protocol} ${ports} on ${sides[0]?.join('+') || 'all'} from ${sides[1]?.map((peer) => peer.replace(/group:.*\//, 'group:')).join('+')}${order === undefined ? '' : ` at ${order.priority}`}`;
  });

const cases: readonly { readonly name: string; readonly rule: string; readonly want: readonly string[] }[] = [
  {
    name: 'several protocols are a rule each, and a group may have another name on a cloud',
    rule: `metadata: { name: r }
spec: { network: core, protocols: [{ protocol: tcp, ports: [80, 443] }, { protocol: icmp }], group: web, peers: { cidrs: [10.0.0.0/8] } }`,
    want: [
      'aws tcp 80 on core.web from 10.0.0.0/8',
      'aws tcp 443 on core.web from 10.0.0.0/8',
      'aws icmp all on core.web from 10.0.0.0/8',
      'azure tcp 80,443 on core.web from 10.0.0.0/8 at 1000',
      'azure icmp all on core.web from 10.0.0.0/8 at 1000',
      'gcp tcp 80,443 on tag:http-server from 10.0.0.0/8 at 1000',
      'gcp icmp all on tag:http-server from 10.0.0.0/8 at 1000',
    ],
  },
  {
    name: 'a rule for several groups',
    rule: `metadata: { name: r }
spec: { network: core, targets: [aws, gcp], protocol: tcp, ports: [22], appliesTo: { groups: [web, db] }, peers: { groups: [web] } }`,
    want: [
      'aws tcp 22 on core.db from group:core.web',
      'aws tcp 22 on core.web from group:core.web',
      'gcp tcp 22 on tag:core-db from tag:http-server at 1000',
      'gcp tcp 22 on tag:http-server from tag:http-server at 1000',
    ],
  },
  {
    name: 'a rule for a whole network',
    rule: `metadata: { name: r }
spec: { network: core, targets: [gcp, azure], protocol: udp, appliesTo: { network: true }, peers: { any: true } }`,
    want: [
      'azure udp all on all from any at 1000',
      'gcp udp all on all from 0.0.0.0/0 at 1000',
      'gcp udp all on all from ::/0 at 1000',
    ],
  },
  {
    name: 'a rule for subnets and blocks: on Google Cloud they narrow the rule',
    rule: `metadata: { name: r }
spec: { network: core, targets: [gcp, azure], protocol: tcp, appliesTo: { subnets: [app], cidrs: [10.20.9.0/24] }, peers: { cidrs: [10.0.0.0/8] } }`,
    want: [
      'azure tcp all on 10.20.1.0/24 from 10.0.0.0/8 at 1000',
      'azure tcp all on 10.20.9.0/24 from 10.0.0.0/8 at 1000',
      'gcp tcp all on range:10.20.1.0/24 from 10.0.0.0/8 at 1000',
      'gcp tcp all on range:10.20.9.0/24 from 10.0.0.0/8 at 1000',
    ],
  },
  {
    name: 'a group that is a service account, by its name or adopted; elsewhere it is a group like any other',
    rule: `metadata: { name: r }
spec: { network: core, targets: [aws, gcp], protocol: tcp, ports: [5432], group: db, peers: { groups: [app] } }
---
apiVersion: setpoint.dev/v1
kind: Group
metadata: { name: db }
spec: { network: core, names: { gcp: db-app@acme-prod.iam.gserviceaccount.com } }
---
apiVersion: setpoint.dev/v1
kind: Group
metadata: { name: app, adopt: { gcp: 1234-compute@developer.gserviceaccount.com } }
spec: { network: core }`,
    want: [
      'aws tcp 5432 on core.db from group:core.app',
      'gcp tcp 5432 on service-account:db-app@acme-prod.iam.gserviceaccount.com from service-account:1234-compute@developer.gserviceaccount.com at 1000',
    ],
  },
  {
    name: 'service accounts on both sides',
    rule: `metadata: { name: r }
spec: { network: core, targets: [gcp], protocol: tcp, appliesTo: { serviceAccounts: [a@acme.iam.gserviceaccount.com] }, peers: { serviceAccounts: [b@acme.iam.gserviceaccount.com] } }`,
    want: [
      'gcp tcp all on service-account:a@acme.iam.gserviceaccount.com from service-account:b@acme.iam.gserviceaccount.com at 1000',
    ],
  },
  {
    name: 'groups of other networks and accounts, by id',
    rule: `metadata: { name: r }
spec: { network: core, targets: [aws], protocol: tcp, ports: [5432], group: web, peers: { groupIds: [sg-0abc, 111122223333/sg-0def] } }`,
    want: ['aws tcp 5432 on core.web from group:sg-0def', 'aws tcp 5432 on core.web from group:sg-0abc'],
  },
  {
    name: 'an adopted firewall is one, with all of its protocols and targets',
    rule: `metadata: { name: r, adopt: { gcp: projects/acme-prod/global/firewalls/any-text#1 } }
spec: { network: core, targets: [gcp], protocols: [{ protocol: udp }, { protocol: tcp, ports: [80] }], appliesTo: { groups: [web, db] }, peers: { groups: [web], cidrs: [10.0.0.0/8] }, priority: 65534 }`,
    want: ['gcp tcp,udp tcp:80;udp:all on tag:core-db+tag:http-server from 10.0.0.0/8+tag:http-server at 65534'],
  },
  {
    name: 'an adopted rule of Azure has its own priority, and ports of every protocol',
    rule: `metadata: { name: r, adopt: { azure: /nsg/rules/any } }
spec: { targets: [azure], protocol: all, ports: [22, 88-90], appliesTo: { serviceTags: [VirtualNetwork] }, peers: { cidrs: [10.0.0.0/8], serviceTags: [Internet] }, priority: 117 }`,
    want: ['azure all 22,88-90 on service-tag:VirtualNetwork from 10.0.0.0/8+service-tag:Internet at 117'],
  },
];

for (const { name, rule, want } of cases) test(name, () => assert.deepEqual(rulesIn(compiled(rule)), want));

describe('a rule that adopts', () => {
  const [rule] = compiled(`metadata: { name: r, adopt: { azure: /nsg/rules/any } }
spec: { targets: [azure], protocol: tcp, appliesTo: { network: true }, peers: { any: true } }`).filter(
    ({ terms }) => terms.claim?.adopt === '/nsg/rules/any',
  );

  test('bears the name of its document alone: its content is no part of its address', () => {
    assert.equal(rule?.address, 'azure/00000000-0000-0000-0000-000000000001/westeurope/acme/firewall-rule/r');
  });

  test('leaves a description that its document does not state as it is', () => {
    assert.deepEqual(rule?.terms.ignore, ['description']);
    const [stated] = compiled(`metadata: { name: r, adopt: { azure: /nsg/rules/any } }
spec: { targets: [azure], protocol: tcp, appliesTo: { network: true }, peers: { any: true }, description: by us }`).filter(
      ({ terms }) => terms.claim?.adopt === '/nsg/rules/any',
    );
    assert.equal(stated?.terms.ignore, undefined);
  });
});

test('a network with filter: unmanaged asks for no security group, neither of its own nor on its subnets', () => {
  const inSpoke = compiled(`metadata: { name: r }
spec: { network: core, targets: [gcp], protocol: tcp, peers: { any: true } }`).filter(
    ({ address }) => address.startsWith('azure/') && address.includes('spoke'),
  );
  assert.deepEqual(
    inSpoke.map(({ kind, attributes }) => [kind, 'filter' in attributes]),
    [
      ['network', false],
      ['subnet', false],
      ['group', false],
    ],
  );
});

test('two blocks are two rules of Azure, whatever their first digits', () => {
  const addresses = compiled(`metadata: { name: r }
spec: { network: core, targets: [azure], protocol: tcp, appliesTo: { cidrs: [10.0.0.0/24, 11.0.0.0/24] }, peers: { any: true } }`)
    .filter(({ documents }) => documents.some(({ address }) => address.endsWith('core.r')))
    .map(({ address }) => address);
  assert.equal(new Set(addresses).size, 2);
});

test('a machine is in a group that is a service account by running as it', () => {
  const all = compiled(`metadata: { name: r }
spec: { network: core, targets: [aws], protocol: tcp, peers: { any: true } }
---
apiVersion: setpoint.dev/v1
kind: Group
metadata: { name: db }
spec: { network: core, names: { gcp: db-app@acme-prod.iam.gserviceaccount.com } }
---
apiVersion: setpoint.dev/v1
kind: Instance
metadata: { name: m }
spec:
  targets: [aws, gcp]
  network: core
  subnet: app
  groups: [db, web]
  on:
    aws: { image: ami-0abc, size: t3.small }
    gcp: { image: projects/debian-cloud/global/images/family/debian-12, size: e2-small }`);
  const machines = all.flatMap(({ kind, attributes }) =>
    // why: the kind is checked
    kind === 'instance' ? [attributes as InstanceAttributes] : [],
  );
  assert.deepEqual(
    machines.map(({ groups, machine }) => [groups?.map((one) => one.replace(/^.*\//, '')), machine.identity]),
    [
      [['core.all', 'core.db', 'core.web'], undefined],
      [['tag:core-all', 'tag:http-server'], 'db-app@acme-prod.iam.gserviceaccount.com'],
    ],
  );
});
