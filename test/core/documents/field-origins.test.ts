import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceDoc } from '../../../src/core/documents/effective-terms.ts';
import { type Asked, fieldOrigins } from '../../../src/core/documents/field-origins.ts';
import { ofKind } from '../../../src/core/documents/spec-set.ts';
import type { Located } from '../../../src/core/documents/tree.ts';
import { parseSpecs } from '../../../src/source/parse-specs.ts';

const head = 'apiVersion: setpoint.dev/v1\n';
const base = [
  `${head}kind: Estate\nmetadata: { name: acme }\nspec: {}\n`,
  `${head}kind: Target\nmetadata: { name: m }\nspec: { provider: memory, account: a, region: r }\n`,
  `${head}kind: Target\nmetadata: { name: n }\nspec: { provider: memory, account: b, region: r }\n`,
  `${head}kind: Network
metadata: { name: core, labels: { tier: net } }
spec:
  targets: [m, n]
  cidr: 10.0.0.0/16
  subnets:
    - { name: app, cidr: 10.0.0.0/24 }
    - { name: db, cidr: 10.0.1.0/24 }
`,
  `${head}kind: Instance
metadata: { name: web }
spec:
  targets: [m, n]
  network: core
  subnet: app
  image: i
  size: small
  disk: { size: 20, type: fast }
  on:
    n: { size: big }
  names: { n: legacy }
`,
  `${head}kind: FirewallRule
metadata: { name: https }
spec:
  network: core
  protocol: tcp
  ports: [443, 8000-8100]
  peers: { any: true }
`,
  `${head}kind: Group
metadata: { name: db, labels: { tier: db } }
spec:
  network: core
  names: { m: databases, n: data }
`,
].join('---\n');
const over = `kind: Instance
metadata: { name: web, labels: { env: prod } }
spec:
  size: medium
  disk: { type: slow }
  on:
    n: { disk: { size: 40 } }
---
kind: Network
metadata: { name: core }
spec:
  internet: true
---
kind: FirewallRule
metadata: { name: https }
spec: { description: prod, ttl: 36h }
`;
const { documents } = parseSpecs(
  [
    { path: 'a.yaml', text: base },
    { path: 'overlays/prod/b.yaml', text: over },
  ],
  '2027-01-31',
);

function told(kind: ResourceDoc['kind'], asked: Asked): Readonly<Record<string, string>> {
  const document: Located<ResourceDoc> = ofKind(documents, kind)[0] ?? assert.fail(kind);
  return Object.fromEntries(
    fieldOrigins(document, asked).map(({ field, value, layer, at }) => [
      field,
      [value, layer, ...(at ? [`${at.file}:${at.line}`] : [])].join(' '),
    ]),
  );
}

const machine = {
  targets: 'm,n base a.yaml:30',
  network: 'core base a.yaml:31',
  subnet: 'app base a.yaml:32',
  image: 'i base a.yaml:33',
  replicas: '1 default',
  publicIp: 'false default',
  power: 'running default',
  protect: 'false default',
  'disk.type': 'slow overlay prod overlays/prod/b.yaml:5',
  'labels.env': 'prod overlay prod overlays/prod/b.yaml:2',
};

const rows: readonly { name: string; kind: ResourceDoc['kind']; asked: Asked; want: object }[] = [
  {
    name: 'an instance where the document speaks for every target',
    kind: 'Instance',
    asked: { kind: 'instance', name: 'web-0', target: 'm' },
    want: { ...machine, size: 'medium overlay prod overlays/prod/b.yaml:4', 'disk.size': '20 base a.yaml:35' },
  },
  {
    name: 'an instance where `on` speaks for its target: nearer than any layer',
    kind: 'Instance',
    asked: { kind: 'instance', name: 'web-0', target: 'n' },
    want: {
      ...machine,
      'names.n': 'legacy base a.yaml:38',
      size: 'big base a.yaml:37',
      'disk.size': '40 overlay prod overlays/prod/b.yaml:7',
    },
  },
  {
    name: 'a subnet: its own entry, and what it has of its network',
    kind: 'Network',
    asked: { kind: 'subnet', name: 'core.db', target: 'm' },
    want: {
      name: 'db base a.yaml:24',
      cidr: '10.0.1.0/24 base a.yaml:24',
      internet: 'true overlay prod overlays/prod/b.yaml:12',
      'labels.tier': 'net base a.yaml:18',
    },
  },
  {
    name: 'a network: no subnets',
    kind: 'Network',
    asked: { kind: 'network', name: 'core', target: 'm' },
    want: {
      targets: 'm,n base a.yaml:20',
      cidr: '10.0.0.0/16 base a.yaml:21',
      internet: 'true overlay prod overlays/prod/b.yaml:12',
      'default.ingress': 'deny default',
      'default.egress': 'allow default',
      filter: 'managed default',
      allGroup: 'true default',
      rules: 'authoritative default',
      protect: 'false default',
      'labels.tier': 'net base a.yaml:18',
    },
  },
  {
    name: 'a group, or an atom that says the default',
    kind: 'Network',
    asked: { kind: 'group', name: 'core.all', target: 'm' },
    want: {
      'default.ingress': 'deny default',
      'default.egress': 'allow default',
      'labels.tier': 'net base a.yaml:18',
    },
  },
  {
    name: 'a group by its network, where its own document states the labels',
    kind: 'Network',
    asked: { kind: 'group', name: 'core.db', target: 'm', ownLabels: true },
    want: { 'default.ingress': 'deny default', 'default.egress': 'allow default' },
  },
  {
    name: 'a group by its own document: the name on its target',
    kind: 'Group',
    asked: { kind: 'group', name: 'core.db', target: 'n' },
    want: {
      'names.n': 'data base a.yaml:54',
      network: 'core base a.yaml:53',
      protect: 'false default',
      'labels.tier': 'db base a.yaml:51',
    },
  },
  {
    name: 'a rule, its ports as people write them',
    kind: 'FirewallRule',
    asked: { kind: 'firewall-rule', name: 'core.https', target: 'm' },
    want: {
      network: 'core base a.yaml:44',
      direction: 'ingress default',
      action: 'allow default',
      protocol: 'tcp base a.yaml:45',
      ports: '443,8000-8100 base a.yaml:46',
      'peers.any': 'true base a.yaml:47',
      priority: '1000 default',
      description: 'prod overlay prod overlays/prod/b.yaml:16',
      ttl: '36 h overlay prod overlays/prod/b.yaml:16',
      disabled: 'false default',
      log: 'false default',
      protect: 'false default',
    },
  },
];

for (const { name, kind, asked, want } of rows)
  test(`origin of each field: ${name}`, () => assert.deepEqual(told(kind, asked), want));
