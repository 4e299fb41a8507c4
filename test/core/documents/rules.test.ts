import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { parseSpecs } from '../../../src/source/parse-specs.ts';
import { document, problemsOf, problemsReadAsBefore } from './problems-of.ts';

const list = (count: number, item: (index: number) => string): string =>
  `[${Array.from({ length: count }, (_, index) => item(index)).join(', ')}]`;

/** Each cloud's answer to a rule: '' is valid. `spec` goes before peers: { any: true } if it names none. */
const cloudRows: readonly { on: string; spec: string; want: string }[] = [
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
    want: 'warning repeated: `storage` is already in this list',
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

for (const { on, spec, want } of cloudRows) {
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
    assert.match(found ?? 'nothing', /^warning one-rule: b is the same as a/);
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

const repeatedRule = (name: string, on: string, more: string): string =>
  document(
    'FirewallRule',
    `{ name: ${name} }`,
    `{ network: core, targets: [${on}], protocol: tcp, group: web, ${more} }`,
  );
const open = 'ports: [443], peers: { cidrs: [0.0.0.0/0] }';

describe('two rules that say the same', () => {
  for (const on of ['gcp', 'azure'])
    test(`${on}: are told as such, and not where their priorities differ`, () => {
      const twice = problemsOf(repeatedRule('one', on, open), repeatedRule('two', on, open));
      assert.equal(twice.filter((text) => text.startsWith('warning one-rule: two is the same as one')).length, 1);
      const ordered = problemsOf(
        repeatedRule('one', on, `${open}, priority: 500`),
        repeatedRule('two', on, `${open}, priority: 501`),
      );
      assert.deepEqual(ordered, []);
    });

  test('aws: are one whatever their priorities, which it has not', () => {
    const ordered = problemsOf(
      repeatedRule('one', 'aws', `${open}, priority: 500`),
      repeatedRule('two', 'aws', `${open}, priority: 501`),
    );
    assert.equal(ordered.filter((text) => text.includes('one-rule')).length, 1);
  });
});

test('a rule without ports is as many atoms as it has peers', () => {
  const blocks = (count: number): string =>
    Array.from({ length: count }, (_, at) => `10.${at >> 8}.${at & 255}.0/24`).join(', ');
  const tooMany = (count: number): boolean =>
    problemsOf(repeatedRule('wide', 'gcp', `peers: { cidrs: [${blocks(count)}] }`)).some((text) =>
      text.includes('too-many-rules'),
    );
  assert.deepEqual([tooMany(4000), tooMany(4001)], [false, true]);
});

test('a rule for anyone is as many atoms as it has ports', () => {
  const ports = (count: number): string => Array.from({ length: count }, (_, at) => 2 * at).join(', ');
  const tooMany = (count: number): boolean =>
    problemsOf(repeatedRule('many', 'gcp', `ports: [${ports(count)}], peers: { any: true }`)).some((text) =>
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

type Spec = Readonly<Record<string, unknown>>;

/** A rule of the AWS target; its lists hold several, so that their order shows. */
const plain: Spec = {
  network: 'core',
  targets: ['aws'],
  group: 'web',
  protocol: 'tcp',
  ports: [22, '80-81', 443],
  peers: {
    cidrs: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
    groups: ['app', 'db', 'ops'],
    prefixLists: ['pl-0a1b2c3d4e5f60001', 'pl-0a1b2c3d4e5f60002'],
  },
};

const sameRule = (name: string, spec: Spec): string =>
  document('FirewallRule', `{ name: ${name} }`, JSON.stringify(spec));
const peers = (more: object): Spec => ({ ...plain, peers: { ...Object(plain['peers']), ...more } });

/** Of two rules the problems that name them one. */
const found = (first: Spec, second: Spec): readonly string[] =>
  problemsOf(sameRule('first', first), sameRule('second', second)).filter((one) => one.includes('one-rule'));

const same = 'warning one-rule: second is the same as first (x.yaml:26)';
const twice = 'error one-rule: second and first (x.yaml:26) hold the same rule with two descriptions';

describe('two rules are one to the cloud', () => {
  const rows: readonly (readonly [name: string, second: Spec])[] = [
    ['letter by letter', plain],
    ['ports in another order', { ...plain, ports: [443, '80-81', 22] }],
    ['ports that touch, written apart', { ...plain, ports: [22, 80, 81, 443] }],
    ['a port twice', { ...plain, ports: [22, 22, '80-81', 443] }],
    ['the protocol by its number', { ...plain, protocol: 6 }],
    ['blocks in another order', peers({ cidrs: ['192.168.0.0/16', '10.0.0.0/8', '172.16.0.0/12'] })],
    ['a block with host bits', peers({ cidrs: ['10.1.2.3/8', '172.16.0.0/12', '192.168.0.0/16'] })],
    ['groups in another order', peers({ groups: ['ops', 'db', 'app'] })],
    ['prefix lists in another order', peers({ prefixLists: ['pl-0a1b2c3d4e5f60002', 'pl-0a1b2c3d4e5f60001'] })],
  ];
  for (const [name, second] of rows)
    it(name, () => {
      assert.deepEqual(found(plain, second), [same]);
      assert.deepEqual(found(second, plain), [same], 'the other way round');
    });

  it('anyone is everyone by address on AWS, and a word of its own elsewhere', () => {
    const anyone = { ...plain, peers: { any: true } };
    const everyone = { ...plain, peers: { cidrs: ['::/0', '0.0.0.0/0'] } };
    assert.deepEqual(found(anyone, everyone), [same]);
    const gcp = (spec: Spec): Spec => ({ ...spec, targets: ['gcp'], group: undefined });
    assert.deepEqual(found(gcp(anyone), gcp({ ...plain, peers: { cidrs: ['0.0.0.0/0'] } })), []);
  });
  it('all ports are all of them by number', () => {
    const { ports: _, ...every } = plain;
    assert.deepEqual(found(every, { ...plain, ports: ['0-65535'] }), [same]);
  });
  it('the order of two, elsewhere: what has another priority is another rule', () => {
    const at = (priority: number): Spec => ({
      network: 'core',
      targets: ['gcp'],
      protocol: 'tcp',
      ports: [22],
      peers: { cidrs: ['10.0.0.0/8'] },
      priority,
    });
    assert.deepEqual(found(at(100), at(100)), [same]);
    assert.deepEqual(found(at(100), at(101)), []);
  });
});

describe('two rules are two', () => {
  const rows: readonly (readonly [name: string, second: Spec])[] = [
    ['of another group', { ...plain, group: 'app' }],
    ['of no group', { ...plain, group: undefined }],
    ['of the other direction', { ...plain, direction: 'egress' }],
    ['of another protocol', { ...plain, protocol: 'udp' }],
    ['of a port more', { ...plain, ports: [22, '80-82', 443] }],
    ['of a block less', peers({ cidrs: ['10.0.0.0/8', '172.16.0.0/12'] })],
    ['of another group as peer', peers({ groups: ['app', 'db', 'web'] })],
    ['of other prefix lists', peers({ prefixLists: ['pl-0a1b2c3d4e5f60001'] })],
    ['of another target', { ...plain, targets: ['gcp'], group: undefined, peers: { cidrs: ['10.0.0.0/8'] } }],
  ];
  for (const [name, second] of rows)
    it(name, () => assert.deepEqual(found(plain, second), [], 'alike described, they may share'));
});

describe('what two rules share must be described alike', () => {
  const told = { ...plain, description: 'one' };
  for (const [name, spec] of [
    ['all of it', plain],
    ['one port of one block', { ...plain, ports: [443], peers: { cidrs: ['172.16.0.0/12'] } }],
    ['one group', { ...plain, ports: [22], peers: { groups: ['db'] } }],
    ['one prefix list', { ...plain, ports: [22], peers: { prefixLists: ['pl-0a1b2c3d4e5f60002'] } }],
  ] as const)
    it(name, () => {
      assert.deepEqual(found(told, { ...spec, description: 'two' }), [twice]);
      assert.deepEqual(found(told, spec), [twice], 'none is another than one');
    });
  it('in a cloud that knows rules by name, descriptions may differ', () => {
    const gcp = (description: string): Spec => ({
      network: 'core',
      targets: ['gcp'],
      protocol: 'tcp',
      ports: [22],
      peers: { cidrs: ['10.0.0.0/8'] },
      description,
    });
    assert.deepEqual(found(gcp('one'), gcp('two')), [same]);
  });
});

problemsReadAsBefore('one-rule');

/** The cases of other people's clouds that must be refused, or warned of, before any call. */
const rejectedRows: readonly { id: string; name: string; specs: readonly string[]; want: string }[] = [
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

for (const { id, name, specs, want } of rejectedRows) {
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
