import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSpecs } from '../../../src/source/parse-specs.ts';

/** The cases of other people's clouds that must be refused, or warned of, before any call. */
const rows: readonly { id: string; name: string; specs: readonly string[]; want: string }[] = [
  { id: 'A08', name: '-1 with ports', specs: ['protocol: -1, ports: [80-90]'], want: 'error ports-without-meaning' },
  { id: 'A08', name: 'all with ports', specs: ['protocol: all, ports: [80]'], want: 'error ports-without-meaning' },
  { id: 'A08', name: 'icmp with ports', specs: ['protocol: icmp, ports: [8]'], want: 'error ports-without-meaning' },
  {
    id: 'A13',
    name: 'icmp over IPv6',
    specs: ['protocol: icmp, peers: { cidrs: ["::/0"] }'],
    want: 'error wrong-family',
  },
  {
    id: 'A13',
    name: 'icmpv6 over IPv4',
    specs: ['protocol: 58, peers: { cidrs: [10.0.0.0/8] }'],
    want: 'error wrong-family',
  },
  {
    id: 'A14',
    name: 'sctp with ports',
    specs: ['protocol: 132, ports: [100-200]'],
    want: 'warning ports-without-meaning',
  },
  { id: 'A14', name: 'esp with ports', specs: ['protocol: 50, ports: [1]'], want: 'warning ports-without-meaning' },
  {
    id: 'A25',
    name: 'an address without mask',
    specs: ['protocol: tcp, peers: { cidrs: [10.0.0.1] }'],
    want: 'error bad-value',
  },
  {
    id: 'A25',
    name: 'an IPv6 address without mask',
    specs: ['protocol: tcp, peers: { cidrs: ["::1"] }'],
    want: 'error bad-value',
  },
  {
    id: 'A28',
    name: 'one rule, two descriptions',
    specs: ['protocol: tcp, description: a', 'protocol: tcp, description: b'],
    want: 'error one-rule',
  },
  {
    id: 'A28',
    name: 'one described, one not',
    specs: ['protocol: tcp, description: a', 'protocol: 6'],
    want: 'error one-rule',
  },
  {
    id: 'A28',
    name: 'ports in other words',
    specs: ['protocol: tcp, ports: [80, 81], description: a', 'protocol: tcp, ports: [80-81], description: b'],
    want: 'error one-rule',
  },
  {
    id: 'A28',
    name: 'all ports in other words',
    specs: ['protocol: udp, description: a', 'protocol: "17", ports: [0-65535], description: b'],
    want: 'error one-rule',
  },
  {
    id: 'A28',
    name: 'blocks in other words',
    specs: [
      'protocol: tcp, peers: { cidrs: ["2001:DB8:0:0::/32"] }, description: a',
      'protocol: tcp, peers: { cidrs: ["2001:db8::1/32"] }, description: b',
    ],
    want: 'error one-rule',
  },
  {
    id: 'A28',
    name: 'the same twice, described alike',
    specs: ['protocol: tcp', 'protocol: TCP'],
    want: 'warning one-rule',
  },
  {
    id: 'A35',
    name: 'a block inside another is a rule of its own',
    specs: [
      'protocol: tcp, peers: { cidrs: [10.0.0.0/8] }, description: a',
      'protocol: tcp, peers: { cidrs: [10.1.0.0/16] }, description: b',
    ],
    want: '',
  },
  {
    id: 'A11',
    name: 'another icmp code is another rule',
    specs: [
      'protocol: icmp, icmp: { type: 3, code: 4 }, description: a',
      'protocol: icmp, icmp: { type: 3 }, description: b',
    ],
    want: '',
  },
  { id: 'G20', name: 'three ends', specs: ['protocol: tcp, ports: [1-1-1]'], want: 'error bad-value' },
  { id: 'G20', name: 'a word for a port', specs: ['protocol: tcp, ports: [abc]'], want: 'error bad-value' },
  { id: 'G20', name: 'an empty port', specs: ['protocol: tcp, ports: [""]'], want: 'error bad-value' },
];

const head = 'apiVersion: setpoint.dev/v1\n';
const base = [
  `${head}kind: Estate\nmetadata: { name: acme }\nspec: {}\n`,
  `${head}kind: Target\nmetadata: { name: aws }\nspec: { provider: aws, account: "111122223333", region: eu-west-1 }\n`,
  `${head}kind: Network\nmetadata: { name: core }\nspec: { targets: [aws], cidr: 10.0.0.0/16 }\n`,
];

for (const { id, name, specs, want } of rows) {
  test(`${id}: ${name}: ${want || 'sound'}`, () => {
    const rules = specs.map((spec, index) => {
      const peers = spec.includes('peers') ? '' : ', peers: { cidrs: [192.0.2.0/24] }';
      return `${head}kind: FirewallRule\nmetadata: { name: r${index} }\nspec: { network: core, ${spec}${peers} }\n`;
    });
    const file = { path: 'x.yaml', text: [...base, ...rules].join('---\n') };
    const found = parseSpecs([file], '2027-01-31').problems.map(({ severity, code }) => `${severity} ${code}`);
    assert.equal(found.join(', '), want);
  });
}
