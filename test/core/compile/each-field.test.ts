import { test } from 'node:test';
import { dialect as aws } from '../../../providers/aws/dialect.ts';
import { dialect as azure } from '../../../providers/azure/dialect.ts';
import { dialect as gcp } from '../../../providers/gcp/dialect.ts';
import { dialect as memory } from '../../../providers/memory/dialect.ts';
import { compile } from '../../../src/core/compile/compile.ts';
import { ofKind } from '../../../src/core/documents/spec-set.ts';
import { parseSpecs } from '../../../src/source/parse-specs.ts';
import { assertGolden } from '../../support/golden.ts';

type Spec = Readonly<Record<string, unknown>>;
type Kind = 'Estate' | 'Target' | 'Network' | 'Group' | 'FirewallRule' | 'Instance';

/** As little as may be said of each kind, and the network has a second subnet. */
const targets: Readonly<Record<string, Spec>> = {
  aws: { provider: 'aws', account: '111122223333', region: 'eu-west-1' },
  gcp: { provider: 'gcp', account: 'acme-prod', region: 'europe-west1', zone: 'europe-west1-b' },
  azure: {
    provider: 'azure',
    account: '00000000-0000-0000-0000-000000000001',
    region: 'westeurope',
    resourceGroup: 'acme',
  },
  memory: { provider: 'memory', account: 'acme', region: 'north' },
};
const least: Readonly<Record<Exclude<Kind, 'Target'>, Spec>> = {
  Estate: {},
  Network: {
    targets: Object.keys(targets),
    cidr: '10.20.0.0/16',
    subnets: [
      { name: 'app', cidr: '10.20.1.0/24' },
      { name: 'db', cidr: '10.20.2.0/24' },
    ],
  },
  Group: { network: 'core' },
  FirewallRule: { network: 'core', protocol: 'tcp', peers: { cidrs: ['192.0.2.0/24'] } },
  Instance: {
    targets: Object.keys(targets),
    network: 'core',
    subnet: 'app',
    on: {
      aws: { image: 'ami-0abc1234', size: 't3.small' },
      gcp: { image: 'projects/debian-cloud/global/images/family/debian-12', size: 'e2-small' },
      azure: {
        image: 'Debian:debian-12:12-gen2:latest',
        size: 'Standard_B2s',
        access: { user: 'ops', sshKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxhbW9yZQ'] },
      },
      memory: { image: 'img-1', size: 'small' },
    },
  },
};
const names: Readonly<Record<Exclude<Kind, 'Target'>, string>> = {
  Estate: 'acme',
  Network: 'core',
  Group: 'db',
  FirewallRule: 'web-in',
  Instance: 'web',
};

/** One field more, or another value of one; `metadata` beside the spec. */
const more: readonly (readonly [Kind, Spec, metadata?: Spec])[] = [
  ['Estate', { mode: 'plan' }],
  ['Estate', { mode: 'enforce' }],
  ['Estate', { mode: 'observe' }],
  ['Target', { mode: 'enforce' }],
  ['Target', { mode: 'observe' }],
  ['Target', { rollout: { canary: 1 } }],
  ['Network', {}, { owner: 'team-net', labels: { team: 'net' } }],
  ['Network', {}, { adopt: { aws: 'vpc-1' }, was: ['old'] }],
  ['Network', { internet: true }],
  ['Network', { mode: 'enforce' }],
  ['Network', { protect: true }],
  ['Network', { deletionPolicy: 'delete' }],
  ['Network', { rules: 'additive' }],
  ['Network', { default: { ingress: 'allow' } }],
  ['Network', { default: { egress: 'deny' } }],
  ['Network', { ignore: [{ field: 'labels.x', owner: 'ops', reason: 'theirs', until: '2027-03-01' }] }],
  ['Network', { rollout: { canary: 1 } }],
  ['Group', {}, { owner: 'team-db', labels: { tier: 'db' } }],
  ['Group', {}, { adopt: { aws: 'sg-1', gcp: 'data' }, was: ['sql'] }],
  ['Group', { targets: ['aws'] }],
  ['Group', { names: { aws: 'databases', gcp: 'data', azure: 'asg-db', memory: 'data' } }],
  ['Group', { description: 'the databases' }],
  ['Group', { mode: 'enforce' }],
  ['Group', { protect: true }],
  ['Group', { deletionPolicy: 'delete' }],
  ['Group', { ignore: [{ field: 'description', owner: 'ops', reason: 'theirs', until: '2027-03-01' }] }],
  ['FirewallRule', {}, { owner: 'team-web', labels: { tier: 'web' } }],
  ['FirewallRule', {}, { was: ['old-in'] }],
  ['FirewallRule', { targets: ['gcp'] }],
  ['FirewallRule', { targets: ['azure'] }],
  ['FirewallRule', { direction: 'egress' }],
  ['FirewallRule', { action: 'deny', targets: ['gcp', 'azure'] }],
  ['FirewallRule', { protocol: 'udp' }],
  ['FirewallRule', { protocol: 'all' }],
  ['FirewallRule', { protocol: 47, targets: ['aws', 'gcp'] }],
  ['FirewallRule', { protocol: 'icmp', icmp: { type: 8, code: 0 }, targets: ['aws'] }],
  ['FirewallRule', { ports: [443] }],
  ['FirewallRule', { ports: [443, 22, '8000-8080'] }],
  ['FirewallRule', { group: 'web' }],
  ['FirewallRule', { peers: { any: true } }],
  ['FirewallRule', { peers: { cidrs: ['192.0.2.0/24', '2001:db8::/32'] } }],
  ['FirewallRule', { peers: { groups: ['app', 'web'] } }],
  ['FirewallRule', { peers: { prefixLists: ['pl-0abc'] }, targets: ['aws'] }],
  ['FirewallRule', { peers: { serviceTags: ['VirtualNetwork'] }, targets: ['azure'] }],
  ['FirewallRule', { priority: 107, targets: ['gcp', 'azure'] }],
  ['FirewallRule', { description: 'for the web' }],
  ['FirewallRule', { disabled: true, targets: ['gcp'] }],
  ['FirewallRule', { log: true, targets: ['gcp'] }],
  ['FirewallRule', { mode: 'enforce' }],
  ['FirewallRule', { protect: true }],
  ['FirewallRule', { deletionPolicy: 'delete' }],
  ['Instance', {}, { owner: 'team-web', labels: { tier: 'web' } }],
  ['Instance', {}, { adopt: { aws: 'i-1' }, was: ['shop'] }],
  ['Instance', { names: { aws: 'legacy db 01', gcp: 'legacy-db', azure: 'Legacy-DB', memory: 'legacy' } }],
  ['Instance', { replicas: 0 }],
  ['Instance', { replicas: 3 }],
  ['Instance', { subnet: 'db' }],
  ['Instance', { groups: ['web', 'app'] }],
  ['Instance', { power: 'stopped' }],
  ['Instance', { disk: { size: 20 } }],
  ['Instance', { identity: 'web-role' }],
  ['Instance', { userData: { file: 'boot.sh' } }],
  ['Instance', { minReady: 0 }],
  ['Instance', { replace: { strategy: 'surge' } }],
  ['Instance', { replace: { strategy: 'recreate' } }],
  ['Instance', { mode: 'enforce' }],
  ['Instance', { protect: true }],
  ['Instance', { deletionPolicy: 'delete' }],
  ['Instance', { rollout: { canary: 1 } }],
];

function documentsWith(kind?: Kind, spec: Spec = {}, metadata: Spec = {}): readonly object[] {
  const made = (one: Kind, name: string, said: Spec) => ({
    apiVersion: 'setpoint.dev/v1',
    kind: one,
    metadata: { name, ...(one === kind ? metadata : {}) },
    spec: { ...said, ...(one === kind ? spec : {}) },
  });
  return [
    ...Object.entries(targets).map(([name, said]) => made('Target', name, said)),
    ...(['Estate', 'Network', 'Group', 'FirewallRule', 'Instance'] as const).map((one) =>
      made(one, names[one], least[one]),
    ),
  ];
}

/** All compiled resources, by their keys; or the reasons why there are none. */
function compiledOf(documents: readonly object[]): ReadonlyMap<string, unknown> {
  const files = [
    ...documents.map((one, at) => ({ path: `${at}.json`, text: JSON.stringify(one) })),
    { path: 'boot.sh', text: '#!/bin/sh\n' },
  ];
  const parsed = parseSpecs(files, '2027-01-31');
  const errors = parsed.problems.filter(({ severity }) => severity === 'error');
  const [estate] = ofKind(parsed.documents, 'Estate');
  if (errors.length > 0 || estate === undefined) return new Map([['refused', errors.map(({ message }) => message)]]);
  const { scopes, guards } = compile({
    estate: estate.value,
    documents: parsed.documents,
    dialects: { aws, azure, gcp, memory },
    hashes: { userData: (_, file) => `hash of ${file}`, access: (access) => `hash of ${JSON.stringify(access)}` },
    today: '2027-01-31',
  });
  return new Map<string, unknown>([
    ...scopes.flatMap(({ scope, wanted: { desired, documents: spoken, additive, ...rest }, launches }) => [
      [`scope ${scope}`, { ...rest, additive: [...additive] }] as const,
      ...desired.map((one) => [one.address, one] as const),
      ...[...spoken].map(([address, one]) => [`document ${address}`, one] as const),
      ...[...launches].map(([address, one]) => [`launch ${address}`, one] as const),
    ]),
    ['guards', guards],
  ]);
}

/** Each value at the end of its path. */
function flat(value: unknown, path = ''): readonly (readonly [path: string, value: string])[] {
  const isBranch = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (!isBranch) return [[path, JSON.stringify(value) ?? 'undefined']];
  return Object.entries(value).flatMap(([key, below]) => flat(below, path === '' ? key : `${path}.${key}`));
}

/** The changes since before, each with the number of changed resources. */
function otherwise(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): readonly string[] {
  if (after.has('refused')) return [`refused: ${JSON.stringify(after.get('refused'))}`];
  const gone = [...before.keys()].filter((name) => !after.has(name)).map((name) => `- ${name}`);
  const made = [...after]
    .filter(([name]) => !before.has(name))
    .map(([name, one]) => `+ ${name} ${JSON.stringify(one)}`);
  const changes = [...after].flatMap(([name, one]) => {
    if (!before.has(name)) return [];
    const [was, is] = [new Map(flat(before.get(name))), new Map(flat(one))];
    return [...new Set([...was.keys(), ...is.keys()])]
      .filter((path) => was.get(path) !== is.get(path))
      .map((path) => `${path}: ${was.get(path) ?? 'nothing'} → ${is.get(path) ?? 'nothing'}`);
  });
  const counts = [...Map.groupBy(changes, (change) => change)].map(([change, { length }]) => `~ ${change} (${length})`);
  return [...gone, ...made, ...counts];
}

test('each field, said once, changes what is compiled for four clouds as in golden/compiled.txt', () => {
  const base = compiledOf(documentsWith());
  const told = more.map(([kind, spec, metadata = {}]) => [
    `# ${kind} ${JSON.stringify(spec)} ${JSON.stringify(metadata)}`,
    ...otherwise(base, compiledOf(documentsWith(kind, spec, metadata))),
    '',
  ]);
  const whole = [...base].map(([name, one]) => `${name} ${JSON.stringify(one)}`);
  assertGolden([...whole, '', ...told.flat()].join('\n'), 'compiled.txt');
});
