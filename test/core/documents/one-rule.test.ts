import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { document, problemsOf, problemsReadAsBefore } from './problems-of.ts';

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

const rule = (name: string, spec: Spec): string => document('FirewallRule', `{ name: ${name} }`, JSON.stringify(spec));
const peers = (more: object): Spec => ({ ...plain, peers: { ...Object(plain['peers']), ...more } });

/** Of two rules the problems that name them one. */
const found = (first: Spec, second: Spec): readonly string[] =>
  problemsOf(rule('first', first), rule('second', second)).filter((one) => one.includes('one-rule'));

const same = 'warning one-rule: second says the same as first (x.yaml:26)';
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
