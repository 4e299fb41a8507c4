import assert from 'node:assert/strict';
import { test } from 'node:test';
import { document, problemsOf, problemsReadAsBefore } from './problems-of.ts';

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

const rows: readonly { name: string; given: string; want: string }[] = [
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
    want: 'warning not-here: networks on GCP bear no labels',
  },
  {
    name: 'rules',
    given: document(
      'FirewallRule',
      '{ name: r, labels: { team: a } }',
      '{ network: core, targets: [azure], protocol: tcp, peers: { any: true } }',
    ),
    want: 'warning not-here: rules bear no labels',
  },
];

for (const { name, given, want } of rows) {
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
