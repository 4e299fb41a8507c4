import assert from 'node:assert/strict';
import { test } from 'node:test';
import { document, problemsOf, problemsReadAsBefore } from './problems-of.ts';

const list = (count: number, item: (index: number) => string): string =>
  `[${Array.from({ length: count }, (_, index) => item(index)).join(', ')}]`;

/** What each cloud says to a rule: '' is sound. `spec` goes before peers: { any: true } where it names none. */
const rows: readonly { on: string; spec: string; want: string }[] = [
  { on: 'aws', spec: 'protocol: tcp, action: deny', want: 'AWS security groups cannot deny' },
  { on: 'gcp', spec: 'protocol: tcp, action: deny', want: '' },
  { on: 'azure', spec: 'protocol: tcp, action: deny', want: '' },

  { on: 'gcp', spec: 'protocol: tcp, priority: 0', want: '' },
  { on: 'gcp', spec: 'protocol: tcp, priority: 65533', want: '' },
  { on: 'gcp', spec: 'protocol: tcp, priority: 65534', want: 'error bad-value' },
  { on: 'azure', spec: 'protocol: tcp, priority: 99', want: 'Azure priorities lie between 100 and 4096' },
  { on: 'azure', spec: 'protocol: tcp, priority: 100', want: '' },
  { on: 'azure', spec: 'protocol: tcp, priority: 4096', want: '' },
  { on: 'azure', spec: 'protocol: tcp, priority: 4097', want: 'Azure priorities lie between 100 and 4096' },

  { on: 'gcp', spec: 'protocol: 4', want: '' },
  { on: 'gcp', spec: 'protocol: icmpv6', want: '' },
  { on: 'gcp', spec: 'protocol: sctp', want: '' },
  { on: 'gcp', spec: 'protocol: sctp, ports: [100-200]', want: '' },
  { on: 'aws', spec: 'protocol: sctp, ports: [100-200]', want: 'warning ports-without-meaning' },
  { on: 'gcp', spec: 'protocol: esp, ports: [1]', want: 'warning ports-without-meaning' },
  { on: 'azure', spec: 'protocol: esp, ports: [1]', want: 'Azure knows no ports of this protocol' },
  { on: 'azure', spec: 'protocol: Esp', want: '' },
  { on: 'azure', spec: 'protocol: AH', want: '' },
  { on: 'azure', spec: 'protocol: Icmp', want: '' },
  { on: 'azure', spec: 'protocol: "*"', want: '' },
  { on: 'azure', spec: 'protocol: icmpv6', want: 'Azure knows no such protocol' },
  { on: 'azure', spec: 'protocol: 4', want: 'Azure knows no such protocol' },
  { on: 'azure', spec: 'protocol: sctp', want: 'Azure knows no such protocol' },

  { on: 'aws', spec: 'protocol: icmp, icmp: { type: 8 }', want: '' },
  { on: 'gcp', spec: 'protocol: icmp, icmp: { type: 8 }', want: 'GCP cannot tell ICMP types apart' },
  { on: 'gcp', spec: 'protocol: icmp, icmp: { type: -1 }', want: '' },
  { on: 'azure', spec: 'protocol: icmp, icmp: { type: 8 }', want: 'Azure cannot tell ICMP types apart' },

  { on: 'gcp', spec: 'protocol: tcp, direction: egress, peers: { groups: [web] }', want: 'no groups as destinations' },
  { on: 'azure', spec: 'protocol: tcp, direction: egress, peers: { groups: [web] }', want: '' },
  { on: 'gcp', spec: `protocol: tcp, peers: { groups: ${list(30, (i) => `g${i}`)} }`, want: '' },
  { on: 'gcp', spec: `protocol: tcp, peers: { groups: ${list(31, (i) => `g${i}`)} }`, want: 'at most 30 groups' },
  { on: 'aws', spec: 'protocol: tcp, peers: { prefixLists: [pl-0abc] }', want: '' },
  { on: 'gcp', spec: 'protocol: tcp, peers: { prefixLists: [pl-0abc] }', want: 'GCP knows no prefix lists' },
  { on: 'azure', spec: 'protocol: tcp, peers: { prefixLists: [pl-0abc] }', want: 'Azure knows no prefix lists' },
  { on: 'aws', spec: 'protocol: tcp, peers: { serviceTags: [Internet] }', want: 'AWS knows no service tags' },
  { on: 'gcp', spec: 'protocol: tcp, peers: { serviceTags: [Internet] }', want: 'GCP knows no service tags' },
  { on: 'azure', spec: 'protocol: tcp, peers: { serviceTags: [storage.westeurope] }', want: '' },
  {
    on: 'azure',
    spec: 'protocol: tcp, peers: { serviceTags: [Storage, storage] }',
    want: 'warning repeated: `storage` stands in this list already',
  },
  { on: 'azure', spec: 'protocol: tcp, peers: { cidrs: [10.0.0.0/8, "2001:db8::/32"] }', want: '' },
  { on: 'gcp', spec: 'protocol: tcp, peers: { cidrs: [10.0.0.0/8, "2001:db8::/32"] }', want: '' },

  { on: 'aws', spec: 'protocol: tcp, log: true', want: 'AWS rules cannot log' },
  { on: 'gcp', spec: 'protocol: tcp, log: true', want: '' },
  { on: 'azure', spec: 'protocol: tcp, log: true', want: 'Azure rules cannot log' },
  { on: 'aws', spec: 'protocol: tcp, disabled: true', want: 'AWS rules cannot be disabled' },
  { on: 'gcp', spec: 'protocol: tcp, disabled: true', want: '' },
  { on: 'azure', spec: 'protocol: tcp, disabled: true', want: 'Azure rules cannot be disabled' },
  { on: 'azure', spec: `protocol: tcp, description: ${'a'.repeat(140)}`, want: '' },
  { on: 'azure', spec: `protocol: tcp, description: ${'a'.repeat(141)}`, want: 'at most 140 characters' },
];

for (const { on, spec, want } of rows) {
  const short = spec.length > 90 ? `${spec.slice(0, 87)}…` : spec;
  test(`${on}, ${short}: ${want || 'sound'}`, () => {
    const peers = spec.includes('peers') ? '' : ', peers: { any: true }';
    const found = problemsOf(
      document('FirewallRule', '{ name: r }', `{ network: core, targets: [${on}], ${spec}${peers} }`),
    );
    if (want === '') assert.deepEqual(found, []);
    else assert.ok(found.join('\n').includes(want), found.join('\n') || 'nothing was found');
  });
}

test('two rules of one priority are sound everywhere: on Azure the numbers are ours (Z17)', () => {
  const rule = (name: string, port: number): string =>
    document(
      'FirewallRule',
      `{ name: ${name} }`,
      `{ network: core, targets: [gcp, azure], protocol: tcp, ports: [${port}], priority: 200, peers: { any: true } }`,
    );
  assert.deepEqual(problemsOf(rule('a', 80), rule('b', 81)), []);
});

const spellings: readonly { id: string; said: string; want: string }[] = [
  { id: 'A01', said: '6', want: 'tcp' },
  { id: 'A02', said: '"17"', want: 'udp' },
  { id: 'A02', said: '1', want: 'icmp' },
  { id: 'A04', said: 'ALL', want: 'all' },
  { id: 'A04', said: '-1', want: 'all' },
  { id: 'A05', said: '58', want: 'icmpv6' },
  { id: 'G11', said: 'TCP', want: 'tcp' },
  { id: 'Z01', said: 'Tcp', want: 'tcp' },
  { id: 'Z01', said: '"*"', want: 'all' },
  { id: 'Z01', said: 'Esp', want: '50' },
];

for (const { id, said, want } of spellings) {
  test(`${id}: protocol ${said} is ${want}: the two are one rule`, () => {
    const rule = (name: string, protocol: string): string =>
      document(
        'FirewallRule',
        `{ name: ${name} }`,
        `{ network: core, targets: [gcp], protocol: ${protocol}, peers: { cidrs: ["::/0"] } }`,
      ).replace('"::/0"', want === 'icmp' ? '0.0.0.0/0' : '"::/0"');
    const [found, ...more] = problemsOf(rule('a', want), rule('b', said));
    assert.match(found ?? 'nothing', /^warning one-rule: b says the same as a/);
    assert.deepEqual(more, []);
  });
}

const nsg = (cidrs: number, more = ''): readonly string[] =>
  Array.from({ length: cidrs }, (_, index) =>
    document(
      'FirewallRule',
      `{ name: r${index} }`,
      `{ network: core, targets: [azure], protocol: tcp, ports: [${index + 1}], peers: { cidrs: [10.0.0.0/8, 10.1.0.0/16, "2001:db8::/32"] }${more} }`,
    ),
  );

test('an NSG has room for 1000 rules, and one of them is that of the default', () => {
  assert.deepEqual(problemsOf(...nsg(499)), []);
  assert.match(
    problemsOf(...nsg(500)).join('\n'),
    /^error too-many-rules: the rules of this network are 1001 in its NSG/,
  );
});

test('the rules of an NSG name at most 100 groups, and one of them is that of all', () => {
  const rule = (count: number): string =>
    document(
      'FirewallRule',
      '{ name: r }',
      `{ network: core, targets: [azure], protocol: tcp, peers: { groups: ${list(count, (i) => `g${i}`)} } }`,
    );
  assert.deepEqual(problemsOf(rule(99)), []);
  assert.match(problemsOf(rule(100)).join('\n'), /^error too-many-groups: the rules of this network name 101 groups/);
});

problemsReadAsBefore('expressible');
