import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  joinRules,
  type NamedPeer,
  type NamedRule,
  type RuleFields,
  serviceOf,
} from '../../../src/core/import/rules.ts';
import { formatPort, parsePorts } from '../../../src/core/port-set.ts';
import type { RuleAttributes } from '../../../src/core/resource.ts';

interface Given {
  readonly group?: string;
  readonly protocol?: string;
  readonly ports?: string;
  readonly peer?: NamedPeer;
  readonly description?: string;
}

const world: NamedPeer = { type: 'cidrs', name: '0.0.0.0/0' };
const office: NamedPeer = { type: 'cidrs', name: '203.0.113.0/24' };
const web: NamedPeer = { type: 'groups', name: 'web' };

function rule({ group = 'web', protocol = 'tcp', ports = '443', peer = world, description = '' }: Given): NamedRule {
  const match = { direction: 'ingress', action: 'allow', protocol, ports, peers: [peer.name ?? 'any'] } as const;
  const attributes: RuleAttributes = { network: 'vpc-1', group: 'sg-1', match, description };
  const id = [group, protocol, ports, peer.type, peer.name, description].join(' ');
  return {
    observed: { kind: 'firewall-rule', id, name: '', attributes, signs: {}, condition: { state: 'ready' } },
    group,
    peer,
  };
}

const textOf = ({ group, protocol, ports, icmp, peers, description }: RuleFields): string =>
  [
    `${group} ${protocol}`,
    icmp === undefined ? ports.join(',') || 'all' : `${icmp.type}/${icmp.code}`,
    peers.map(({ type, name = '' }) => (type === 'any' ? type : name)).join(','),
    description,
  ]
    .join(' ')
    .trim();

const cases: readonly (readonly [name: string, given: readonly Given[], documents: readonly string[]])[] = [
  ['one rule', [{}], ['web tcp 443 0.0.0.0/0']],
  ['many peers of one port', [{}, { peer: office }, { peer: web }], ['web tcp 443 0.0.0.0/0,203.0.113.0/24,web']],
  ['many ports of one peer', [{}, { ports: '80' }, { ports: '8000-8100' }], ['web tcp 80,443,8000-8100 0.0.0.0/0']],
  [
    'ports times peers, where each peer has each port',
    [{}, { ports: '80' }, { peer: office }, { ports: '80', peer: office }],
    ['web tcp 80,443 0.0.0.0/0,203.0.113.0/24'],
  ],
  [
    'no product: one peer lacks a port',
    [{}, { ports: '80' }, { peer: office }],
    ['web tcp 443 0.0.0.0/0,203.0.113.0/24', 'web tcp 80 0.0.0.0/0'],
  ],
  [
    'ports that touch are two documents: one would unite them',
    [{ ports: '80' }, { ports: '81' }, { ports: '443' }],
    ['web tcp 80,443 0.0.0.0/0', 'web tcp 81 0.0.0.0/0'],
  ],
  [
    'ports that overlap are two documents',
    [{ ports: '8000-8100' }, { ports: '8080' }],
    ['web tcp 8000-8100 0.0.0.0/0', 'web tcp 8080 0.0.0.0/0'],
  ],
  ['all ports beside one', [{ ports: 'all' }, {}], ['web tcp 443 0.0.0.0/0', 'web tcp all 0.0.0.0/0']],
  ['another description', [{}, { ports: '80', description: 'x' }], ['web tcp 443 0.0.0.0/0', 'web tcp 80 0.0.0.0/0 x']],
  ['another group', [{}, { group: 'db' }], ['db tcp 443 0.0.0.0/0', 'web tcp 443 0.0.0.0/0']],
  ['another protocol', [{}, { protocol: 'udp' }], ['web tcp 443 0.0.0.0/0', 'web udp 443 0.0.0.0/0']],
  [
    'ICMP types, each alone',
    [
      { protocol: 'icmp', ports: '8/0' },
      { protocol: 'icmp', ports: '3/all' },
      { protocol: 'icmp', ports: 'all' },
    ],
    ['web icmp 3/-1 0.0.0.0/0', 'web icmp 8/0 0.0.0.0/0', 'web icmp all 0.0.0.0/0'],
  ],
  [
    'a group that has a block for its name',
    [{ peer: { type: 'groups', name: '0.0.0.0/0' } }, {}],
    ['web tcp 443 0.0.0.0/0,0.0.0.0/0'],
  ],
  ['anyone', [{ peer: { type: 'any' } }], ['web tcp 443 any']],
];

describe('rules of a cloud as documents', () => {
  for (const [name, given, documents] of cases)
    test(name, () => {
      assert.deepEqual(joinRules(given.map(rule)).map(textOf).toSorted(), documents);
    });

  test('each rule is in exactly one document, in any order of the listing', () => {
    const given = ['22', '80', '81', '443', '444-450', 'all'].flatMap((ports) =>
      [world, office, web].filter((_, index) => (ports.length + index) % 3 > 0).map((peer) => rule({ ports, peer })),
    );
    const joined = joinRules(given);
    assert.deepEqual(
      joined.flatMap(({ objects }) => objects).toSorted(),
      given.map(({ observed }) => observed.id).toSorted(),
    );
    const textsOf = (rules: readonly NamedRule[]): readonly string[] => joinRules(rules).map(textOf).toSorted();
    assert.deepEqual(textsOf(given.toReversed()), joined.map(textOf).toSorted());
    for (const { ports, peers, objects } of joined) {
      assert.equal(Math.max(ports.length, 1) * peers.length, objects.length, 'a product, and nothing beside it');
      assert.deepEqual((parsePorts(ports) ?? []).map(formatPort), ports, 'a document reads these ports as they are');
    }
  });
});

test('a rule is called by its service where its port has one', () => {
  const named = (given: Given): string | undefined => joinRules([rule(given)]).map(serviceOf)[0];
  assert.equal(named({}), 'https');
  assert.equal(named({ ports: '8000-8100' }), 'tcp-8000-8100');
  assert.equal(named({ protocol: 'all', ports: 'all' }), 'all');
  assert.equal(named({ protocol: 'icmp', ports: '8/0' }), 'icmp-8');
  assert.equal(named({ protocol: '50', ports: 'all' }), '50');
});
