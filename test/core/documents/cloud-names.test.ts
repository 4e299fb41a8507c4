import assert from 'node:assert/strict';
import { test } from 'node:test';
import { document, problemsOf, problemsReadAsBefore } from './problems-of.ts';

const x = (length: number): string => 'x'.repeat(length);

const network = (on: string, name: string, subnet = 'app'): string =>
  document(
    'Network',
    `{ name: ${name} }`,
    `{ targets: [${on}], cidr: 10.9.0.0/16, subnets: [{ name: ${subnet}, cidr: 10.9.0.0/24 }] }`,
  );
const rule = (on: string, name: string, more = ''): string =>
  document('FirewallRule', `{ name: ${name} }`, `{ network: core, targets: [${on}], protocol: tcp${more} }`);
const peers = ', peers: { any: true }';

const machines: Readonly<Record<string, string>> = {
  aws: 'image: ami-0abc1234, size: t3.small',
  gcp: 'image: global/images/web, size: e2-small',
  azure: 'image: "a:b:c:latest", size: Standard_B2s, access: { user: ops, sshKeys: ["ssh-ed25519 AAAA"] }',
};
const instance = (on: string, name: string, more = ''): string =>
  document('Instance', `{ name: ${name} }`, `{ targets: [${on}], network: core, subnet: app, ${machines[on]}${more} }`);

/** `core-` is five letters, `-all` four, an ordinal two or more, `-1a2b3c4d` nine. */
const rows: readonly { name: string; given: string; want: string }[] = [
  { name: 'gcp: a network whose group of all has 63', given: network('gcp', x(59), 'a'), want: '' },
  {
    name: 'gcp: one letter more',
    given: network('gcp', x(60), 'a'),
    want: `gcp takes no group named \`${x(60)}-all\``,
  },
  { name: 'gcp: capitals', given: network('gcp', 'Main'), want: 'gcp takes no network named `Main`' },
  { name: 'gcp: a digit first', given: network('gcp', '1st'), want: 'gcp takes no network named `1st`' },
  { name: 'gcp: a subnet of 63', given: network('gcp', 'net', x(59)), want: '' },
  { name: 'gcp: a subnet of 64', given: network('gcp', 'net', x(60)), want: `no subnet named \`net-${x(60)}\`` },
  { name: 'gcp: a rule of 54 with its network', given: rule('gcp', x(49), peers), want: '' },
  { name: 'gcp: a rule of 55', given: rule('gcp', x(50), peers), want: `gcp takes no rule named \`core-${x(50)}\`` },
  { name: 'gcp: a group of 63', given: instance('gcp', 'web', `, groups: [${x(58)}]`), want: '' },
  { name: 'gcp: a group of 64', given: instance('gcp', 'web', `, groups: [${x(59)}]`), want: 'gcp takes no group' },
  {
    name: 'gcp: a group in peers',
    given: rule('gcp', 'r', ', peers: { groups: [Web] }'),
    want: 'gcp takes no group named `core-Web`',
  },
  {
    name: 'gcp: a group of one target',
    given: instance('gcp', 'web', ', on: { gcp: { groups: [a_b] } }'),
    want: 'gcp takes no group named `core-a_b`',
  },
  { name: 'gcp: a machine of 63', given: instance('gcp', x(61)), want: '' },
  { name: 'gcp: a machine of 64', given: instance('gcp', x(61), ', replicas: 11'), want: `named \`${x(61)}-10\`` },
  {
    name: 'gcp: replicas elsewhere lengthen no name',
    given: instance('gcp', x(61), ', on: { gcp: { replicas: 1 } }, replicas: 11'),
    want: '',
  },
  { name: 'azure: a network of one letter', given: network('azure', 'n'), want: 'azure takes no network named `n`' },
  { name: 'azure: a network of 63 and its NSG', given: network('azure', x(63)), want: '' },
  { name: 'azure: a network that ends with -', given: network('azure', 'net-'), want: 'azure takes no network' },
  { name: 'azure: a subnet that ends with -', given: network('azure', 'net', 'a-'), want: 'no subnet named `a-`' },
  { name: 'azure: a subnet in capitals', given: network('azure', 'net', 'App_'), want: '' },
  {
    name: 'azure: a subnet of a gateway, in any case',
    given: network('azure', 'net', 'gatewaysubnet'),
    want: 'azure takes no subnet named `gatewaysubnet`',
  },
  { name: 'aws: that is no name of a subnet there', given: network('aws', 'net', 'GatewaySubnet'), want: '' },
  { name: 'azure: a group that ends with -', given: instance('azure', 'web', ', groups: [a-]'), want: 'core-a-' },
  { name: 'azure: the longest rule', given: rule('azure', x(63), peers), want: '' },
  { name: 'azure: a machine of 64', given: instance('azure', x(62)), want: '' },
  {
    name: 'azure: a machine of 65',
    given: instance('azure', x(63)),
    want: `azure takes no instance named \`${x(63)}-0\``,
  },
  { name: 'azure: a machine with _', given: instance('azure', 'a_b'), want: 'azure takes no instance named `a_b-0`' },
  { name: 'aws: a machine with _', given: instance('aws', 'a_b'), want: '' },
  { name: 'aws: a network like the id of a group', given: network('aws', 'sg-net'), want: 'aws takes no group' },
];

for (const { name, given, want } of rows) {
  test(`${name}: ${want === '' ? 'sound' : 'refused'}`, () => {
    const found = problemsOf(given);
    if (want === '') assert.deepEqual(found, []);
    else {
      const others = found.filter((one) => !one.startsWith('error refused-name: '));
      assert.deepEqual(others, []);
      assert.ok(found.join('\n').includes(want), found.join('\n') || 'nothing was found');
    }
  });
}

test('groups that differ in case only are refused where the second is named', () => {
  const found = problemsOf(instance('aws', 'web', ', groups: [web]'), rule('aws', 'r', ', peers: { groups: [Web] }'));
  assert.deepEqual(found, ['error group-case: the group `Web` differs in case only from web (x.yaml:29)']);
});

problemsReadAsBefore('cloud-names');
