import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSpecs } from '../../../src/source/parse-specs.ts';
import { document, problemsOf, problemsReadAsBefore } from './problems-of.ts';

const rule = (name: string, on: string, more: string): string =>
  document(
    'FirewallRule',
    `{ name: ${name} }`,
    `{ network: core, targets: [${on}], protocol: tcp, group: web, ${more} }`,
  );
const open = 'ports: [443], peers: { cidrs: [0.0.0.0/0] }';

describe('two rules that say the same', () => {
  for (const on of ['gcp', 'azure'])
    test(`${on}: are told as such, and not where their priorities differ`, () => {
      const twice = problemsOf(rule('one', on, open), rule('two', on, open));
      assert.equal(twice.filter((text) => text.startsWith('warning one-rule: two says the same as one')).length, 1);
      const ordered = problemsOf(rule('one', on, `${open}, priority: 500`), rule('two', on, `${open}, priority: 501`));
      assert.deepEqual(ordered, []);
    });

  test('aws: are one whatever their priorities, which it has not', () => {
    const ordered = problemsOf(
      rule('one', 'aws', `${open}, priority: 500`),
      rule('two', 'aws', `${open}, priority: 501`),
    );
    assert.equal(ordered.filter((text) => text.includes('one-rule')).length, 1);
  });
});

test('a rule without ports is as many atoms as it has peers', () => {
  const blocks = (count: number): string =>
    Array.from({ length: count }, (_, at) => `10.${at >> 8}.${at & 255}.0/24`).join(', ');
  const tooMany = (count: number): boolean =>
    problemsOf(rule('wide', 'gcp', `peers: { cidrs: [${blocks(count)}] }`)).some((text) =>
      text.includes('too-many-rules'),
    );
  assert.deepEqual([tooMany(4000), tooMany(4001)], [false, true]);
});

test('a rule for anyone is as many atoms as it has ports', () => {
  const ports = (count: number): string => Array.from({ length: count }, (_, at) => 2 * at).join(', ');
  const tooMany = (count: number): boolean =>
    problemsOf(rule('many', 'gcp', `ports: [${ports(count)}], peers: { any: true }`)).some((text) =>
      text.includes('too-many-rules'),
    );
  assert.deepEqual([tooMany(4000), tooMany(4001)], [false, true]);
});

/** Every problem of a file by itself. */
const problems = (...documents: readonly string[]) =>
  parseSpecs([{ path: 'x.yaml', text: documents.join('---\n') }], '2027-01-31').problems;

test('a target tells for each field what its cloud takes', () => {
  const subscription = '00000000-0000-0000-0000-000000000001';
  const rows: readonly (readonly [fields: string, expected: RegExp])[] = [
    [
      `provider: azure, account: ${subscription}, region: westeurope, resourceGroup: a, zone: "4"`,
      /Azure zone: "1", "2" or "3"/,
    ],
    ['provider: azure, account: x, region: westeurope, resourceGroup: a', /Azure subscription id/],
    ['provider: gcp, account: acme-prod, region: europe-west1, zone: b', /GCP zone, such as europe-west1-b/],
    ['provider: gcp, account: A, region: europe-west1', /GCP project id/],
    ['provider: aws, account: "111122223333", region: europe', /AWS region, such as eu-west-1/],
    ['provider: aws, account: "111122223333", region: eu-west-1, zone: a', /AWS zone, such as eu-west-1a/],
  ];
  for (const [fields, want] of rows) {
    const found = problems(
      document('Estate', '{ name: acme }', '{}'),
      document('Target', '{ name: t }', `{ ${fields} }`),
    );
    assert.ok(
      found.some(({ hint }) => want.test(hint?.expected ?? '')),
      `${fields}: ${JSON.stringify(found)}`,
    );
  }
});

test('what a cloud does not take of a machine is found at the line that says it', () => {
  const spec = [
    'spec:',
    '  targets: [azure]',
    '  network: core',
    '  subnet: app',
    '  image: ami-0abc1234',
    '  size: t3.small',
    '  access: { user: ops }',
  ];
  const head = ['apiVersion: setpoint.dev/v1', 'kind: Instance', 'metadata: { name: web }'];
  const base = [
    document('Estate', '{ name: acme }', '{}'),
    document(
      'Target',
      '{ name: azure }',
      '{ provider: azure, account: 00000000-0000-0000-0000-000000000001, region: westeurope, resourceGroup: a }',
    ),
    document(
      'Network',
      '{ name: core }',
      '{ targets: [azure], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.0.0/24 }] }',
    ),
  ].join('---\n');
  const first = base.split('\n').length + 1;
  const found = problems(base, [...head, ...spec, ''].join('\n'));
  const lineOf = (text: string): number => first + [...head, ...spec].findIndex((line) => line.startsWith(`  ${text}`));
  for (const field of ['image', 'size', 'access']) {
    const lines = found.filter(({ severity }) => severity === 'error').map(({ at }) => at.line);
    assert.ok(lines.includes(lineOf(field)), `${field}: ${JSON.stringify(found)}`);
  }
});

test('a link to a schema means nothing, in every kind of document', () => {
  const link = (text: string): string => `$schema: ./schema.json\n${text}`;
  const found = problems(
    link(document('Estate', '{ name: acme }', '{}')),
    link(document('Target', '{ name: t }', '{ provider: gcp, account: acme-prod, region: europe-west1 }')),
  );
  assert.deepEqual(found, []);
});

problemsReadAsBefore('found-problems');
