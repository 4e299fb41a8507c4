import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialect as aws } from '../../../providers/aws/dialect.ts';
import { dialect as azure } from '../../../providers/azure/dialect.ts';
import { dialect as gcp } from '../../../providers/gcp/dialect.ts';
import { compile } from '../../../src/core/compile/compile.ts';
import { ofKind } from '../../../src/core/documents/spec-set.ts';
import { opens, type RuleView, viewsOf } from '../../../src/core/policy/view.ts';
import { parseSpecs } from '../../../src/source/parse-specs.ts';
import { document } from '../documents/problems-of.ts';

const targets = [
  document('Target', '{ name: aws }', '{ provider: aws, account: "111122223333", region: eu-west-1 }'),
  document(
    'Target',
    '{ name: gcp }',
    '{ provider: gcp, account: acme-prod, region: europe-west1, zone: europe-west1-b }',
  ),
  document(
    'Target',
    '{ name: azure }',
    '{ provider: azure, account: 00000000-0000-0000-0000-000000000001, region: westeurope, resourceGroup: acme }',
  ),
];

const network = document(
  'Network',
  '{ name: core, owner: team-net, labels: { tier: base } }',
  '{ targets: [aws, gcp, azure], cidr: 10.0.0.0/16, internet: true, subnets: [{ name: app, cidr: 10.0.0.0/22 }] }',
);

const rule = (name: string, spec: string): string => document('FirewallRule', `{ name: ${name} }`, spec);

/** Views by cloud, of the documents beside the base. */
function viewsOn(...documents: readonly string[]) {
  const text = [document('Estate', '{ name: acme }', '{}'), ...targets, network, ...documents].join('---\n');
  const specs = parseSpecs([{ path: 'x.yaml', text }], '2027-01-31');
  assert.deepEqual(
    specs.problems.filter(({ severity }) => severity === 'error'),
    [],
  );
  const [estate] = ofKind(specs.documents, 'Estate');
  assert.ok(estate);
  const { scopes } = compile({
    ...{ estate: estate.value, documents: specs.documents, dialects: { aws, gcp, azure } },
    ...{ hashes: { userData: () => 'hash', access: () => 'hash' }, today: '2027-01-31' },
  });
  return (['aws', 'gcp', 'azure'] as const).map((cloud) =>
    scopes
      .flatMap((scope) => viewsOf(scope, specs.documents))
      .map(({ view }) => view)
      .filter((view) => view.cloud === cloud),
  );
}

const placed = ['address', 'cloud', 'target', 'account', 'region', 'priority'];

/** The fields of a view that are the same in every place. */
const plain = (view: object): object =>
  Object.fromEntries(Object.entries(view).filter(([key]) => !placed.includes(key)));

const base = {
  ...{ kind: 'firewall-rule', labels: {}, network: 'core', action: 'allow', disabled: false, log: false },
  ...{ networkDefault: false, appliesTo: ['group:core.web'] },
};

const common = '{ network: core, direction: ingress, group: web, description: ops';

const alike: readonly (readonly [name: string, spec: string, want: readonly object[]])[] = [
  [
    'two ports from anyone',
    `${common}, protocol: tcp, ports: [22, 8000-8100], peers: { any: true } }`,
    [
      {
        ...{
          direction: 'ingress',
          protocol: 'tcp',
          ports: [
            { from: 22, to: 22 },
            { from: 8000, to: 8100 },
          ],
        },
        ...{ peers: ['0.0.0.0/0', '::/0'], description: 'ops', fromAnyone: true },
      },
    ],
  ],
  [
    'all protocols from a block of each family',
    `${common}, protocol: all, peers: { cidrs: [10.0.0.0/8, "2001:db8::/32"] } }`,
    [
      {
        ...{ direction: 'ingress', protocol: 'all', ports: [{ from: 0, to: 65535 }] },
        ...{ peers: ['10.0.0.0/8', '2001:db8::/32'], description: 'ops', fromAnyone: false },
      },
    ],
  ],
  [
    'ICMP from a group and a half of the world',
    `${common}, protocol: icmp, peers: { groups: [bastion], cidrs: [0.0.0.0/1] } }`,
    [
      {
        ...{ direction: 'ingress', protocol: 'icmp', ports: [], icmp: ['all'] },
        ...{ peers: ['0.0.0.0/1', 'group:core.bastion'], description: 'ops', fromAnyone: true },
      },
    ],
  ],
  [
    'out to a block',
    `{ network: core, direction: egress, group: web, description: ops, protocol: udp, ports: [53], peers: { cidrs: [0.0.0.0/0] } }`,
    [
      {
        ...{ direction: 'egress', protocol: 'udp', ports: [{ from: 53, to: 53 }] },
        ...{ peers: ['0.0.0.0/0'], description: 'ops', fromAnyone: false },
      },
    ],
  ],
];

describe('a rule of one document has one view on three clouds', () => {
  for (const [name, spec, want] of alike)
    it(name, () => {
      const views = viewsOn(rule('r', spec)).map((all) =>
        all.filter((view) => view.kind === 'firewall-rule' && view.name === 'core.r').map(plain),
      );
      const wanted = want.map((one) => plain({ ...base, name: 'core.r', ...one }));
      assert.deepEqual(views, [wanted, wanted, wanted]);
    });
});

it('a rule has the address of its document, and where rules have one a priority', () => {
  const [onAws, onGcp, onAzure] = viewsOn(
    rule('r', `${common}, protocol: tcp, ports: [22], peers: { any: true } }`),
  ).map((all) => all.find(({ name }) => name === 'core.r'));
  assert.deepEqual(
    [onAws, onGcp, onAzure].map((view) => view && { ...view, priority: 'priority' in view }),
    [onAws, onGcp, onAzure].map((view, index) => ({
      ...view,
      address: [
        'aws/111122223333/eu-west-1/firewall-rule/core.r',
        'gcp/acme-prod/global/firewall-rule/core.r',
        'azure/00000000-0000-0000-0000-000000000001/westeurope/acme/firewall-rule/core.r',
      ][index],
      priority: index > 0,
    })),
  );
});

const machine = document(
  'Instance',
  '{ name: web, owner: team-web, labels: { tier: web } }',
  `{ targets: [aws, gcp, azure], network: core, subnet: app, groups: [web], publicIp: true, replicas: 2,
     access: { user: ops, sshKeys: [ssh-ed25519 AAAA] }, disk: { size: 40 }, on: {
       aws: { image: ami-0abc1234, size: t3.small },
       gcp: { image: projects/debian-cloud/global/images/family/debian-12, size: e2-small },
       azure: { image: "Canonical:ubuntu:server:latest", size: Standard_B2s } } }`,
);

it('a machine has the words of its document on three clouds', () => {
  const views = viewsOn(machine).map((all) =>
    all
      .filter(({ kind }) => kind === 'instance')
      .map((view) => ({ ...plain(view), image: 'image' in view, size: 'size' in view })),
  );
  const want = ['web-0', 'web-1'].map((name) => ({
    ...{ kind: 'instance', name, owner: 'team-web', labels: { tier: 'web' }, network: 'core', subnet: 'core.app' },
    ...{ image: true, size: true, power: 'running', publicIp: true, groups: ['core.all', 'core.web'] },
    ...{ disk: { size: 40 }, settings: {} },
  }));
  assert.deepEqual(views, [want, want, want]);
});

it('a network, its subnet and its groups have its owner and labels', () => {
  const [onAws = []] = viewsOn();
  const own = { owner: 'team-net', labels: { tier: 'base' } };
  assert.deepEqual(onAws.filter(({ kind }) => kind !== 'firewall-rule').map(plain), [
    { kind: 'network', name: 'core', ...own, cidr: '10.0.0.0/16', internet: true, settings: {} },
    { kind: 'subnet', name: 'core.app', ...own, network: 'core', cidr: '10.0.0.0/22', internet: true, settings: {} },
    { kind: 'group', name: 'core.all', ...own, network: 'core' },
  ]);
});

const opening: readonly (readonly [RuleView['ports'], Partial<RuleView>, port: number, string | undefined, boolean])[] =
  [
    [[{ from: 20, to: 25 }], {}, 22, undefined, true],
    [[{ from: 20, to: 25 }], {}, 20, 'tcp', true],
    [[{ from: 20, to: 25 }], {}, 25, 'tcp', true],
    [[{ from: 20, to: 25 }], {}, 26, 'tcp', false],
    [[{ from: 20, to: 25 }], {}, 22, 'udp', false],
    [[{ from: 0, to: 65535 }], { protocol: 'all' }, 22, 'udp', true],
    [[{ from: 20, to: 25 }], { action: 'deny' }, 22, undefined, false],
    [[{ from: 20, to: 25 }], { disabled: true }, 22, undefined, false],
    [[], { protocol: 'icmp' }, 22, undefined, false],
  ];

for (const [ports, changed, port, protocol, want] of opening)
  it(`${JSON.stringify({ ports, ...changed })} ${want ? 'opens' : 'does not open'} ${port}/${protocol ?? 'any'}`, () =>
    assert.equal(
      opens({ action: 'allow', disabled: false, protocol: 'tcp', ports, ...changed }, port, protocol),
      want,
    ));
