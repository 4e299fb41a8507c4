import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unlaunchable } from '../../../src/core/documents/checks/instances.ts';
import { instanceOn } from '../../../src/core/documents/document.ts';
import { instanceSchema } from '../../../src/core/documents/instance.ts';
import { targetSchema } from '../../../src/core/documents/target.ts';
import { document, problemsOf, problemsReadAsBefore } from './problems-of.ts';

const ED25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxhbW9yZQ';
const rsa = (digits: number): string => `ssh-rsa ${'A'.repeat(digits)}`;

/** Sound on its cloud; each row changes one thing. */
const sound: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  aws: { image: 'ami-0abc1234', size: 't3.small' },
  gcp: { image: 'projects/debian-cloud/global/images/family/debian-12', size: 'e2-small' },
  azure: {
    image: '"Debian:debian-12:12-gen2:latest"',
    size: 'Standard_B2s',
    access: `{ user: ops, sshKeys: ["${ED25519}"] }`,
  },
};

const SUBSCRIPTION = '/subscriptions/1/resourceGroups/acme/providers';
const groups = (count: number): string => `[${Array.from({ length: count }, (_, index) => `g${index}`).join(', ')}]`;

const fieldRows: readonly { on: string; field: string; value: string; want: string }[] = [
  { on: 'aws', field: 'image', value: 'ami-0abc1234', want: '' },
  { on: 'aws', field: 'image', value: 'debian-12', want: 'this is no AWS image' },
  { on: 'aws', field: 'identity', value: 'web-role', want: '' },
  { on: 'aws', field: 'identity', value: 'arn:aws:iam::111122223333:instance-profile/team/web', want: '' },
  { on: 'aws', field: 'identity', value: 'arn:aws:iam::111122223333:role/web', want: 'this is no instance profile' },
  { on: 'aws', field: 'groups', value: groups(4), want: '' },
  { on: 'aws', field: 'groups', value: groups(5), want: 'AWS takes five groups' },
  { on: 'aws', field: 'disk', value: '{ encrypted: false }', want: '' },
  { on: 'aws', field: 'access', value: `{ sshKeys: ["${ED25519}"] }`, want: 'keys need a login name' },
  { on: 'aws', field: 'access', value: '{ password: { env: SETPOINT_SECRET_X } }', want: 'AWS sets no passwords' },

  { on: 'gcp', field: 'image', value: 'projects/p/global/images/web-1', want: '' },
  { on: 'gcp', field: 'image', value: 'global/images/family/web', want: '' },
  {
    on: 'gcp',
    field: 'image',
    value: 'https://www.googleapis.com/compute/v1/projects/p/global/images/web',
    want: '',
  },
  { on: 'gcp', field: 'image', value: 'debian-cloud/debian-12', want: 'this is no GCP image' },
  { on: 'gcp', field: 'image', value: 'projects/p/global/images/Web', want: 'this is no GCP image' },
  { on: 'gcp', field: 'size', value: 'n2-custom-4-8192-ext', want: '' },
  { on: 'gcp', field: 'size', value: 'zones/europe-west1-b/machineTypes/e2-micro', want: '' },
  { on: 'gcp', field: 'size', value: 't3.small', want: 'this is no GCP machine type' },
  { on: 'gcp', field: 'disk', value: '{ type: pd-balanced, size: 10 }', want: '' },
  { on: 'gcp', field: 'disk', value: '{ size: 9 }', want: 'GCP makes no boot disk so small' },
  { on: 'gcp', field: 'disk', value: '{ type: hyperdisk-balanced, size: 4 }', want: '' },
  { on: 'gcp', field: 'disk', value: '{ type: hyperdisk-balanced, size: 3 }', want: 'GCP makes no boot disk so small' },
  { on: 'gcp', field: 'disk', value: '{ type: gp3 }', want: 'this is no GCP disk type' },
  { on: 'gcp', field: 'disk', value: '{ encrypted: false }', want: 'GCP encrypts every disk' },
  { on: 'gcp', field: 'disk', value: '{ encrypted: true }', want: '' },
  { on: 'gcp', field: 'identity', value: 'web-role', want: '' },
  { on: 'gcp', field: 'identity', value: 'web@acme-prod.iam.gserviceaccount.com', want: '' },
  { on: 'gcp', field: 'identity', value: '123-compute@developer.gserviceaccount.com', want: '' },
  { on: 'gcp', field: 'identity', value: 'other', want: 'this is no service account' },
  { on: 'gcp', field: 'identity', value: 'ops@example.com', want: 'this is no service account' },
  { on: 'gcp', field: 'access', value: `{ sshKeys: ["${ED25519}"] }`, want: 'keys need a login name' },
  { on: 'gcp', field: 'access', value: `{ user: ops, sshKeys: ["${ED25519}"] }`, want: '' },
  { on: 'gcp', field: 'access', value: '{ password: { env: SETPOINT_SECRET_X } }', want: 'GCP sets no passwords' },
  { on: 'gcp', field: 'groups', value: groups(63), want: '' },
  { on: 'gcp', field: 'groups', value: groups(64), want: 'GCP takes 64 tags' },

  { on: 'azure', field: 'image', value: '"Debian:debian-12:12-gen2:0.20240717.1811"', want: '' },
  { on: 'azure', field: 'image', value: '"Debian:debian-12:12-gen2"', want: 'this is no Azure image' },
  { on: 'azure', field: 'image', value: '"Debian:debian-12:12-gen2:newest"', want: 'this is no Azure image' },
  { on: 'azure', field: 'image', value: `${SUBSCRIPTION}/Microsoft.Compute/images/web`, want: '' },
  {
    on: 'azure',
    field: 'image',
    value: `${SUBSCRIPTION}/microsoft.compute/galleries/g/images/web/versions/1.0.0`,
    want: '',
  },
  { on: 'azure', field: 'image', value: '/CommunityGalleries/g/Images/web/Versions/latest', want: '' },
  { on: 'azure', field: 'image', value: `${SUBSCRIPTION}/Microsoft.Compute/disks/web`, want: 'this is no Azure image' },
  { on: 'azure', field: 'size', value: 'Standard_M416-208s_v2', want: '' },
  { on: 'azure', field: 'size', value: 't3.small', want: 'this is no Azure size' },
  { on: 'azure', field: 'disk', value: '{ type: standardssd_lrs, size: 4095 }', want: '' },
  { on: 'azure', field: 'disk', value: '{ type: UltraSSD_LRS }', want: 'Azure takes no such OS disk' },
  { on: 'azure', field: 'disk', value: '{ size: 4096 }', want: 'Azure makes no OS disk so large' },
  { on: 'azure', field: 'disk', value: '{ encrypted: false }', want: 'Azure encrypts every managed disk' },
  { on: 'azure', field: 'identity', value: 'web-role', want: '' },
  {
    on: 'azure',
    field: 'identity',
    value: `${SUBSCRIPTION}/Microsoft.ManagedIdentity/userAssignedIdentities/web`,
    want: '',
  },
  { on: 'azure', field: 'identity', value: 'me', want: 'this is no user-assigned identity' },
  { on: 'azure', field: 'access', value: '{ user: ops }', want: 'Azure needs a login at creation' },
  { on: 'azure', field: 'access', value: `{ sshKeys: ["${ED25519}"] }`, want: 'Azure needs a login at creation' },
  { on: 'azure', field: 'access', value: '{ user: ops, password: { env: SETPOINT_SECRET_X } }', want: '' },
  {
    on: 'azure',
    field: 'access',
    value: `{ user: root, sshKeys: ["${ED25519}"] }`,
    want: 'takes no login of this name',
  },
  { on: 'azure', field: 'access', value: `{ user: ops, sshKeys: ["${rsa(372)}"] }`, want: '' },
  { on: 'azure', field: 'access', value: `{ user: ops, sshKeys: ["${rsa(371)}"] }`, want: 'no key of this kind' },
  {
    on: 'azure',
    field: 'access',
    value: '{ user: ops, sshKeys: ["ecdsa-sha2-nistp256 AAAA"] }',
    want: 'no key of this kind',
  },
  { on: 'azure', field: 'groups', value: groups(19), want: '' },
  { on: 'azure', field: 'groups', value: groups(20), want: 'Azure takes 20 groups' },
];

for (const { on, field, value, want } of fieldRows) {
  const short = value.length > 60 ? `${value.slice(0, 57)}…` : value;
  test(`${on}, ${field}: ${short}: ${want || 'sound'}`, () => {
    const fields = Object.entries({ ...sound[on], [field]: value }).map(([key, text]) => `${key}: ${text}`);
    const found = problemsOf(
      document('Instance', '{ name: web }', `{ targets: [${on}], network: core, subnet: app, ${fields.join(', ')} }`),
    );
    if (want === '') assert.deepEqual(found, []);
    else {
      assert.equal(found.length, 1, found.join('\n') || 'nothing was found');
      assert.match(found[0] ?? '', /^error not-expressible: /);
      assert.ok(found[0]?.includes(want), found[0]);
    }
  });
}

test('a public address needs a network with internet, on every cloud', () => {
  const network = document(
    'Network',
    '{ name: inner }',
    '{ targets: [gcp], cidr: 10.9.0.0/16, subnets: [{ name: app, cidr: 10.9.0.0/24 }] }',
  );
  const machine = document(
    'Instance',
    '{ name: web }',
    '{ targets: [gcp], network: inner, subnet: app, publicIp: true, image: global/images/web, size: e2-small }',
  );
  assert.deepEqual(problemsOf(network, machine), [
    'error not-expressible: a public address without internet has no effect (gcp)',
  ]);
});

test('a machine on GCP needs a zone, and a network does not', () => {
  const target = document('Target', '{ name: far }', '{ provider: gcp, account: acme-test, region: us-east1 }');
  const network = document(
    'Network',
    '{ name: far }',
    '{ targets: [far], cidr: 10.9.0.0/16, subnets: [{ name: app, cidr: 10.9.0.0/24 }] }',
  );
  const machine = document(
    'Instance',
    '{ name: web }',
    '{ targets: [far], network: far, subnet: app, image: global/images/web, size: e2-small }',
  );
  assert.deepEqual(problemsOf(target, network), []);
  assert.deepEqual(problemsOf(target, network, machine), [
    'error not-expressible: GCP instances need a zone, and the target has none (far)',
  ]);
});

problemsReadAsBefore('instance-fields');

const machines: Readonly<Record<string, string>> = {
  aws: 'image: ami-0abc1234, size: t3.small',
  gcp: 'image: global/images/web, size: e2-small',
  azure: 'image: "a:b:c:latest", size: Standard_B2s, access: { user: ops, sshKeys: ["ssh-ed25519 AAAA"] }',
};
const instance = (on: string, labels: string): string =>
  document(
    'Instance',
    `{ name: web, labels: ${labels} }`,
    `{ targets: [${on}], network: core, subnet: app, ${machines[on]} }`,
  );
const network = (on: string, labels: string): string =>
  document('Network', `{ name: net, labels: ${labels} }`, `{ targets: [${on}], cidr: 10.9.0.0/16 }`);
const many = (count: number): string => `{ ${Array.from({ length: count }, (_, index) => `k${index}: v`).join(', ')} }`;

const labelRows: readonly { name: string; given: string; want: string }[] = [
  { name: 'gcp: a key of 63', given: instance('gcp', `{ ${'k'.repeat(63)}: ${'v'.repeat(63)} }`), want: '' },
  { name: 'gcp: a key of 64', given: instance('gcp', `{ ${'k'.repeat(64)}: v }`), want: 'gcp takes no label' },
  { name: 'gcp: a value of 64', given: instance('gcp', `{ k: ${'v'.repeat(64)} }`), want: 'gcp takes no label "k"' },
  { name: 'gcp: letters of other scripts', given: instance('gcp', '{ straße: größe }'), want: '' },
  { name: 'gcp: capitals', given: instance('gcp', '{ Team: a }'), want: 'gcp takes no label "Team"' },
  { name: 'gcp: a digit first', given: instance('gcp', '{ 1st: a }'), want: 'gcp takes no label "1st"' },
  { name: 'gcp: an empty value', given: instance('gcp', '{ k: "" }'), want: '' },
  { name: 'gcp: 54, the rest is for marks', given: instance('gcp', many(54)), want: '' },
  { name: 'gcp: 55', given: instance('gcp', many(55)), want: '55 labels are too many for gcp' },
  { name: 'azure: 41', given: instance('azure', many(41)), want: '41 labels are too many for azure' },
  ...['<', '>', '%', '&', '?', '/'].map((sign) => ({
    name: `azure: ${sign}`,
    given: instance('azure', `{ "a${sign}b": c }`),
    want: `azure takes no label "a${sign}b"`,
  })),
  { name: 'azure: \\', given: instance('azure', "{ 'a\\b': c }"), want: 'azure takes no label' },
  { name: 'azure: other signs', given: instance('azure', '{ "a:b #c": "<%>" }'), want: '' },
  {
    name: 'azure: keys in two cases',
    given: instance('azure', '{ Env: a, env: b }'),
    want: 'to azure the labels Env and env are one',
  },
  { name: 'aws: keys in two cases are two', given: instance('aws', '{ Env: a, env: b }'), want: '' },
  { name: 'azure: a prefix that it keeps', given: instance('azure', '{ AzureX: a }'), want: 'warning refused-label' },
  {
    name: 'aws: a prefix that it keeps, in any case',
    given: instance('aws', '{ "AWS:x": a }'),
    want: 'aws takes no label',
  },
  { name: 'aws: 39, the rest is for marks and the name', given: instance('aws', many(39)), want: '' },
  { name: 'aws: 40', given: instance('aws', many(40)), want: '40 labels are too many for aws' },
  { name: 'networks of aws and gcp: those of gcp bear none', given: network('aws, gcp', '{ Team: A B }'), want: '' },
  {
    name: 'networks of gcp alone',
    given: network('gcp', '{ team: a }'),
    want: 'warning not-here: networks on GCP have no labels',
  },
  {
    name: 'rules',
    given: document(
      'FirewallRule',
      '{ name: r, labels: { team: a } }',
      '{ network: core, targets: [azure], protocol: tcp, peers: { any: true } }',
    ),
    want: 'warning not-here: rules have no labels',
  },
];

for (const { name, given, want } of labelRows) {
  test(`${name}: ${want === '' ? 'sound' : 'told'}`, () => {
    const found = problemsOf(given);
    if (want === '') assert.deepEqual(found, []);
    else {
      assert.equal(found.length, 1, found.join('\n') || 'nothing was found');
      assert.ok(found[0]?.includes(want), found[0]);
    }
  });
}

problemsReadAsBefore('labels');

/** `settings` of a document that adopts one machine on `on`, or none. */
const settingRows: readonly { on: string; settings: string; adopts: boolean; want: string }[] = [
  { on: 'aws', settings: '{ keyPair: ops, spot: true, metadataTokens: required }', adopts: true, want: '' },
  { on: 'aws', settings: '{ ipForwarding: true, dataDisks: [vol-1], interfaces: [eni-1] }', adopts: true, want: '' },
  {
    on: 'aws',
    settings: '{ spot: true }',
    adopts: false,
    want: 'Setpoint launches no machine with these settings yet',
  },
  {
    on: 'gcp',
    settings: '{ spot: false }',
    adopts: false,
    want: 'Setpoint launches no machine with these settings yet',
  },
  { on: 'gcp', settings: '{ scopes: ["https://www.googleapis.com/auth/cloud-platform"] }', adopts: true, want: '' },
  { on: 'gcp', settings: '{ keyPair: ops }', adopts: true, want: 'this cloud has no such setting' },
  { on: 'azure', settings: '{ availabilitySet: web, bootDiagnostics: true }', adopts: true, want: '' },
  { on: 'azure', settings: '{ metadataTokens: required }', adopts: true, want: 'this cloud has no such setting' },
  { on: 'aws', settings: '{ bootDiagnostics: true }', adopts: true, want: 'this cloud has no such setting' },
  { on: 'aws', settings: '{ metadataTokens: maybe }', adopts: true, want: '`spec.settings.metadataTokens` is "maybe"' },
  { on: 'aws', settings: '{ dataDisks: [vol-1, vol-1] }', adopts: true, want: '`spec.settings.dataDisks`' },
  { on: 'aws', settings: '{ privateIp: 10.0.0.5, staticPublicIp: 203.0.113.10 }', adopts: true, want: '' },
  { on: 'gcp', settings: '{ privateIp: 10.0.0.5 }', adopts: true, want: '' },
  { on: 'azure', settings: '{ privateIp: 10.0.0.5, zone: "1" }', adopts: true, want: '' },
  { on: 'aws', settings: '{ privateIp: 10.0.0.256 }', adopts: true, want: '`spec.settings.privateIp` is "10.0.0.256"' },
  {
    on: 'aws',
    settings: '{ privateIp: 10.0.0.0/32 }',
    adopts: true,
    want: '`spec.settings.privateIp` is "10.0.0.0/32"',
  },
  { on: 'aws', settings: '{ zone: "1" }', adopts: true, want: 'this cloud has no such setting' },
  { on: 'azure', settings: '{ zone: "4" }', adopts: true, want: '`spec.settings.zone` is "4"' },
  {
    on: 'azure',
    settings: '{ staticPublicIp: 203.0.113.10 }',
    adopts: true,
    want: 'a machine with a static public address has a public address',
  },
  {
    on: 'gcp',
    settings: '{ staticPublicIp: 203.0.113.10 }',
    adopts: true,
    want: 'a machine with a static public address has a public address',
  },
  { on: 'aws', settings: '{ publicDns: true }', adopts: true, want: 'unknown field `publicDns`' },
];

for (const { on, settings, adopts, want } of settingRows)
  test(`${on}, settings: ${settings}, ${adopts ? 'adopted' : 'new'}: ${want || 'sound'}`, () => {
    const fields = Object.entries(sound[on] ?? {}).map(([name, value]) => `${name}: ${value}`);
    const spec = `{ targets: [${on}], network: core, subnet: app, ${fields.join(', ')}, settings: ${settings} }`;
    const found = problemsOf(document('Instance', `{ name: web${adopts ? `, adopt: { ${on}: x } ` : ''} }`, spec));
    assert.equal(found.length, want === '' ? 0 : 1, found.join('\n') || 'nothing was found');
    assert.ok(
      found.every((problem) => problem.includes(want)),
      found.join('\n'),
    );
  });

test('a setting of one of the clouds of a document', () => {
  const spec = `{ targets: [aws, gcp], network: core, subnet: app, size: t3.small, settings: { keyPair: ops }, on: { gcp: { size: e2-small } } }`;
  const found = problemsOf(document('Instance', '{ name: web, adopt: { aws: x, gcp: y } }', spec));
  assert.deepEqual(found, ['error not-expressible: this cloud has no such setting (gcp)']);
});

problemsReadAsBefore('machine-settings');

test('a document with settings adopts its machine, and could not launch it anew', () => {
  const target = { provider: 'aws', account: '111122223333', region: 'eu-west-1' };
  const onAws = targetSchema.parse({ ...head('Target', { name: 'aws' }), spec: target });
  for (const [settings, want] of [
    [undefined, undefined],
    [{ spot: true }, /launches no machine with these settings yet/],
  ] as const) {
    const instance = instanceSchema.parse({
      ...head('Instance', { name: 'web', adopt: { aws: 'i-1' } }),
      spec: { targets: ['aws'], network: 'core', subnet: 'app', ...sound['aws'], settings },
    });
    const reason = unlaunchable(instance, instanceOn(instance, 'aws') ?? assert.fail('it is complete'), onAws);
    if (want === undefined) assert.equal(reason, undefined);
    else assert.match(reason ?? '', want);
  }
});

const head = (kind: string, metadata: object) => ({ apiVersion: 'setpoint.dev/v1', kind, metadata });
