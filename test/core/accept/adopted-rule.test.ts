import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Address } from '../../../src/core/resource.ts';
import { editSpecFile } from '../../../src/source/edit-specs.ts';
import { accepting, after, type Change } from './fixture.ts';

const google = (spec: string): string => `kind: FirewallRule
metadata: { name: https, adopt: { google: fw-1, google-east: fw-1 } }
spec:
  network: edge
${spec}`;
const azure = (spec: string): string => `kind: FirewallRule
metadata: { name: ssh, adopt: { azure: nsg/edge/ssh } }
spec:
  network: lab
${spec}`;
const firewall: Address = 'gcp/acme-prod/global/firewall-rule/edge.https';
const place = 'azure/11112222-3333-4444-8555-666677778888/westeurope/acme';
const security: Address = `${place}/firewall-rule/lab.ssh`;
const asg = (name: string): string => `${place}/group/lab.${name}`;
const tcp = `  protocol: tcp # web
  ports: [443, 8000-8100]
  group: front
  peers:
    cidrs:
      - 10.0.0.0/8 # office
      # home
      - 11.0.0.0/8
`;
const both = `  protocols:
    - { protocol: tcp, ports: [80, 443] } # web
    # names
    - { protocol: udp, ports: [53] }
  appliesTo: { network: true }
  peers: { cidrs: [10.0.0.0/8] }
`;
const inLab = `  protocol: tcp
  ports: [22]
  appliesTo:
    groups: [web, db] # ours
  peers:
    groups: [jump]
    serviceTags: [VirtualNetwork]
`;
const rows: readonly {
  readonly name: string;
  readonly before: string;
  readonly has: Change['has'];
  readonly after: string;
  readonly fields: readonly string[];
  /** The cloud spells something in another way, which a plan knows. */
  readonly respelled?: true;
}[] = [
  {
    name: 'a peer more and a peer less',
    before: google(tcp),
    has: { 'match.peers': ['10.0.0.0/8', '12.0.0.0/8', 'tag:edge-jobs'] },
    after: google(
      tcp.replace('      # home\n      - 11.0.0.0/8\n', '      # home\n      - 12.0.0.0/8\n    groups: [jobs]\n'),
    ),
    fields: ['peers'],
  },
  {
    name: 'a list of peers that goes, and one that comes',
    before: google(tcp),
    has: { 'match.peers': ['service-account:web@acme.iam.gserviceaccount.com'], 'match.targets': [] },
    after: google(
      tcp
        .replace('  group: front\n', '')
        .replace(/ {4}cidrs:\n(?: {6}.*\n)+/, '      # home\n    serviceAccounts: [web@acme.iam.gserviceaccount.com]\n')
        .concat('  appliesTo: { network: true }\n'),
    ),
    fields: ['peers', 'appliesTo'],
  },
  {
    name: 'ports: one in another form, one more and one less',
    before: google(tcp),
    has: { 'match.ports': '8000-8200,9000' },
    after: google(tcp.replace('[443, 8000-8100]', '[8000-8200, 9000]')),
    fields: ['ports'],
  },
  {
    name: 'ports that two entries state together stay',
    before: google(tcp.replace('[443, 8000-8100]', '[8000-8050, 443, 8051-8100]')),
    has: { 'match.ports': '8000-8100,9000' },
    after: google(tcp.replace('[443, 8000-8100]', '[8000-8050, 8051-8100, 9000]')),
    fields: ['ports'],
  },
  {
    name: 'every port',
    before: google(tcp),
    has: { 'match.ports': 'all' },
    after: google(tcp.replace('  ports: [443, 8000-8100]\n', '')),
    fields: ['ports'],
  },
  {
    name: 'ports where there were all, and another protocol',
    before: google(tcp.replace('  ports: [443, 8000-8100]\n', '')),
    has: { 'match.protocol': 'udp', 'match.ports': '53' },
    after: `${google(tcp.replace('  ports: [443, 8000-8100]\n', '')).replace('tcp #', 'udp #')}  ports: [53]\n`,
    fields: ['protocol', 'ports'],
  },
  {
    name: 'a second protocol takes the field `protocols`',
    before: google(tcp),
    has: { 'match.protocol': 'icmp,tcp', 'match.ports': 'icmp:all;tcp:443' },
    after: google(
      `${tcp.replace(/ {2}protocol.*\n {2}ports.*\n/, '')}  protocols:\n    - { protocol: icmp }\n    - { protocol: tcp, ports: [443] }\n`,
    ),
    fields: ['protocol', 'ports'],
  },
  {
    name: 'protocols: one more, one less, and other ports of a third',
    before: google(both),
    has: { 'match.protocol': '50,tcp', 'match.ports': '50:all;tcp:80,8443' },
    after: google(
      both.replace('[80, 443]', '[80, 8443]').replace('    - { protocol: udp, ports: [53] }', '    - { protocol: 50 }'),
    ),
    fields: ['protocol', 'ports'],
  },
  {
    name: 'the tag of its machines: a group that states a tag, and one whose name makes it',
    before: google(tcp),
    has: { 'match.targets': ['tag:edge-db'] },
    after: google(tcp.replace('group: front', 'group: db')),
    fields: ['appliesTo'],
  },
  {
    name: 'service accounts: of a group, and of nobody',
    before: google(tcp.replace('group: front', 'appliesTo: { serviceAccounts: [a@b.iam.gserviceaccount.com] }')),
    has: {
      'match.targets': [
        'service-account:batch@acme-prod.iam.gserviceaccount.com',
        'service-account:c@b.iam.gserviceaccount.com',
      ],
    },
    after: google(
      tcp.replace('group: front', 'appliesTo: { serviceAccounts: [c@b.iam.gserviceaccount.com], groups: [batch] }'),
    ),
    fields: ['appliesTo'],
  },
  {
    name: 'a service account that the document lists stays where it is, and a group gives way',
    before: google(
      tcp.replace(
        'group: front',
        'appliesTo: { groups: [batch], serviceAccounts: [batch@acme-prod.iam.gserviceaccount.com, a@b.iam.gserviceaccount.com] }',
      ),
    ),
    has: { 'match.targets': ['service-account:batch@acme-prod.iam.gserviceaccount.com'] },
    after: google(
      tcp.replace('group: front', 'appliesTo: { serviceAccounts: [batch@acme-prod.iam.gserviceaccount.com] }'),
    ),
    fields: ['appliesTo'],
  },
  {
    name: 'several tags instead of everyone',
    before: google(both),
    has: { 'match.targets': ['tag:edge-db', 'tag:http-server'] },
    after: google(both.replace('network: true', 'groups: [db, front]')),
    fields: ['appliesTo'],
  },
  {
    name: 'a subnet stays where its block does',
    before: google(both.replace('network: true', 'subnets: [app], cidrs: [10.9.0.0/16]')),
    has: { 'match.targets': ['range:10.1.1.0/24', 'range:10.8.0.0/16'] },
    after: google(both.replace('network: true', 'subnets: [app], cidrs: [10.8.0.0/16]')),
    fields: ['appliesTo'],
  },
  {
    name: 'the action and the priority',
    before: google(`${tcp}  action: deny\n`),
    has: { 'match.action': 'allow', 'order.priority': 900 },
    after: google(`${tcp}  action: allow\n  priority: 900\n`),
    fields: ['action', 'priority'],
  },
  {
    name: 'application security groups and service tags of Azure, and its priority',
    before: azure(inLab),
    has: {
      'match.targets': [asg('web'), asg('api')],
      'match.peers': ['service-tag:virtualnetwork', 'service-tag:Internet'],
      'order.priority': 117,
    },
    after: azure(
      `${inLab.replace('[web, db]', '[web, api]').replace('    groups: [jump]\n', '').replace('[VirtualNetwork]', '[VirtualNetwork, Internet]')}  priority: 117\n`,
    ),
    fields: ['peers', 'appliesTo', 'priority'],
    respelled: true,
  },
  {
    name: 'anyone instead of lists, and lists instead of everyone',
    before: azure(inLab),
    has: { 'match.peers': ['any'], 'match.targets': [] },
    after: azure(
      `${inLab.replace('    groups: [web, db] # ours\n', '    network: true\n').replace('    groups: [jump]\n    serviceTags: [VirtualNetwork]\n', '    any: true\n')}`,
    ),
    fields: ['peers', 'appliesTo'],
  },
  {
    name: 'a list instead of anyone',
    before: azure(inLab.replace(/ {2}peers:\n(?: {4}.*\n)+/, '  peers: { any: true }\n')),
    has: { 'match.peers': ['10.0.0.0/8'] },
    after: azure(inLab.replace(/ {2}peers:\n(?: {4}.*\n)+/, '  peers: { cidrs: [10.0.0.0/8] }\n')),
    fields: ['peers'],
  },
];

describe('traffic of adopted rules of Google Cloud and Azure', () => {
  for (const { name, before, has, after: want, fields, respelled } of rows)
    test(name, () => {
      const address = before.includes('google') ? firewall : security;
      const all = accepting(before, [{ address, has }]);
      assert.equal(after(all), want);
      assert.deepEqual(
        all.found.accepted.map(({ field }) => field),
        fields,
        'each once, though two targets share the rule',
      );
      if (respelled !== true)
        assert.deepEqual(accepting(want, [{ address, has }]).found.accepted, [], 'it says the same');
    });
});

test('a list that an overlay states is edited there, and all else in the base', () => {
  const over = `kind: FirewallRule
metadata: { name: https }
spec:
  peers: { cidrs: [11.0.0.0/8] } # ours
`;
  const has = { 'match.peers': ['12.0.0.0/8', 'tag:edge-jobs'], 'match.ports': '443' };
  const all = accepting(google(tcp), [{ address: firewall, has }], { overlay: over });
  const [base, own] = ['all.yaml', all.overlay.path].map((path) =>
    all.found.edits.filter(({ at }) => at.file === path),
  );
  assert.equal(editSpecFile(all.overlay, own ?? []).text, over.replace('cidrs: [11.0.0.0/8]', 'cidrs: [12.0.0.0/8]'));
  assert.equal(
    editSpecFile(all.file, base ?? []).text,
    `${all.text.replace('[443, 8000-8100]', '[443]')}    groups: [jobs]\n`,
  );
});

const refusals: readonly (readonly [name: string, before: string, has: Change['has'], why: RegExp])[] = [
  [
    'another direction, and with it all traffic',
    azure(inLab),
    { 'match.direction': 'egress', 'match.peers': ['any'] },
    /direction of the rule was changed: it is egress on the cloud/,
  ],
  [
    'a tag of no group',
    google(tcp),
    { 'match.targets': ['tag:other'] },
    /names tag:other, which is no group of the network edge/,
  ],
  [
    'a group of nobody',
    azure(inLab),
    { 'match.peers': ['group:asg-9'] },
    /names asg-9, which is no group of the network lab/,
  ],
  [
    'a group, by a rule of no network',
    azure(inLab.replace(/ {2}appliesTo:\n.*\n/, '').replace('    groups: [jump]\n', '')).replace(
      'network: lab',
      'appliesTo: { network: true }\n  targets: [azure]',
    ),
    { 'match.peers': [`group:${asg('web')}`] },
    /which is no group of a network in these specs/,
  ],
  [
    'source ports',
    azure(inLab),
    { 'match.ports': '22 from 1024-65535' },
    /names source ports, which no document states: 22 from 1024-65535/,
  ],
  [
    'a rule that Setpoint made',
    google(tcp).replace(/, adopt: \{.*?\}/, ''),
    { 'match.peers': ['12.0.0.0/8'] },
    /the traffic of the rule was changed: peers is \["12\.0\.0\.0\/8"\] on the cloud/,
  ],
  [
    'the priority of one that Setpoint made on Azure',
    azure(inLab).replace(/, adopt: \{.*?\}/, ''),
    { 'order.priority': 117 },
    /Setpoint numbers the rules itself/,
  ],
];

test('a turned rule gets a new document, by its id', () => {
  const { found } = accepting(azure(inLab), [{ address: security, has: { 'match.direction': 'egress' } }]);
  assert.match(found.refused[0]?.next ?? '', /setpoint import --id id-1$/);
});

describe('what no document of a rule states is refused', () => {
  for (const [name, before, has, why] of refusals)
    test(name, () => {
      const network = before.includes('google') || before.includes('name: https') ? firewall : security;
      const address = before.includes('targets: [azure]') ? network.replace('lab.', '') : network;
      const { found } = accepting(before, [{ address, has }]);
      assert.deepEqual(found.edits, []);
      assert.match(found.refused[0]?.reason ?? '', why);
      assert.ok(found.refused.every(({ next, at }) => next !== '' && (at?.line ?? 0) > 1));
    });
});
