import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeClock } from '../../../sandbox/clock.ts';
import { firewallFilter, type Guarded, type Routed, routeGates } from '../../../sandbox/compute/reachability.ts';
import { makeWorld } from '../../../sandbox/compute/world.ts';
import { makeLag } from '../../../sandbox/lag.ts';
import { checkPacket, filterGate, type Packet, type Party } from '../../../sandbox/packet.ts';
import { seededRandom } from '../../../sandbox/random.ts';

const CORE = 'global/networks/core';

function projectWith(network: object) {
  const lag = makeLag(makeClock({ rate: 0 }), seededRandom(1, 'lag'));
  const world = makeWorld({ seed: 1, lag, projects: [{ id: 'acme' }] });
  world.load({ projects: [{ project: 'acme', networks: [{ name: 'core', ...network }, { name: 'other' }] }] });
  return world.project('acme');
}

const machine: Guarded = { network: CORE, address: '10.0.1.2', tags: ['web'], accounts: ['web@acme.x'] };

const inside: Party = { name: 'lb', address: '10.0.2.2', labels: ['lb', 'lb@acme.x'] };

const outside: Party = { name: 'internet', address: '203.0.113.10', labels: [] };

const https: Packet = { protocol: 'tcp', port: 443 };

const tcp = [{ IPProtocol: 'tcp', ports: ['443'] }];

const all = [{ IPProtocol: 'all' }];

interface Row {
  readonly name: string;
  readonly rules: readonly object[];
  readonly want: boolean;
  readonly direction?: 'EGRESS';
  readonly peer?: Party;
  readonly packet?: Packet;
}

const rows: readonly Row[] = [
  { name: 'nothing comes in by itself', rules: [], want: false },
  { name: 'everything goes out by itself', rules: [], direction: 'EGRESS', want: true },
  { name: 'an allow', rules: [{ allowed: tcp }], want: true },
  { name: 'an allow for another port', rules: [{ allowed: tcp }], packet: { protocol: 'tcp', port: 80 }, want: false },
  {
    name: 'an allow for another protocol',
    rules: [{ allowed: tcp }],
    packet: { protocol: 'udp', port: 443 },
    want: false,
  },
  {
    name: 'an allow of a range of ports',
    rules: [{ allowed: [{ IPProtocol: 'tcp', ports: ['440-450'] }] }],
    want: true,
  },
  { name: 'an allow without ports', rules: [{ allowed: [{ IPProtocol: 'tcp' }] }], want: true },
  { name: 'an allow by number', rules: [{ allowed: [{ IPProtocol: '6', ports: ['443'] }] }], want: true },
  { name: 'an allow of all', rules: [{ allowed: all }], packet: { protocol: '89', port: undefined }, want: true },
  {
    name: 'ICMP by name',
    rules: [{ allowed: [{ IPProtocol: 'icmp' }] }],
    packet: { protocol: 'icmp', port: 8 },
    want: true,
  },
  {
    name: 'ICMPv6 by number',
    rules: [{ allowed: [{ IPProtocol: '58' }] }],
    packet: { protocol: 'icmpv6', port: 128 },
    want: true,
  },
  {
    name: 'ICMP is not ICMPv6',
    rules: [{ allowed: [{ IPProtocol: 'icmp' }] }],
    packet: { protocol: 'icmpv6', port: 128 },
    want: false,
  },
  { name: 'an allow that is disabled', rules: [{ allowed: tcp, disabled: true }], want: false },
  { name: 'an allow for its tag', rules: [{ allowed: tcp, targetTags: ['db', 'web'] }], want: true },
  { name: 'an allow for another tag', rules: [{ allowed: tcp, targetTags: ['db'] }], want: false },
  { name: 'an allow for its account', rules: [{ allowed: tcp, targetServiceAccounts: ['web@acme.x'] }], want: true },
  {
    name: 'an allow for another account',
    rules: [{ allowed: tcp, targetServiceAccounts: ['db@acme.x'] }],
    want: false,
  },
  { name: 'an allow from its range', rules: [{ allowed: tcp, sourceRanges: ['10.0.2.0/24'] }], want: true },
  { name: 'an allow from another range', rules: [{ allowed: tcp, sourceRanges: ['10.0.3.0/24'] }], want: false },
  { name: 'an allow from its tag', rules: [{ allowed: tcp, sourceTags: ['lb'] }], want: true },
  { name: 'an allow from its account', rules: [{ allowed: tcp, sourceServiceAccounts: ['lb@acme.x'] }], want: true },
  {
    name: 'tags say nothing of the outside',
    rules: [{ allowed: tcp, sourceTags: ['lb'] }],
    peer: outside,
    want: false,
  },
  {
    name: 'sources are joined by OR',
    rules: [{ allowed: tcp, sourceTags: ['lb'], sourceRanges: ['203.0.113.0/24'] }],
    peer: outside,
    want: true,
  },
  {
    name: 'a destination that is not ours',
    rules: [{ allowed: tcp, destinationRanges: ['10.9.0.0/16'] }],
    want: false,
  },
  { name: 'a destination that is ours', rules: [{ allowed: tcp, destinationRanges: ['10.0.1.0/24'] }], want: true },
  {
    name: 'a deny before an allow',
    rules: [
      { denied: all, priority: 1 },
      { allowed: tcp, priority: 2 },
    ],
    want: false,
  },
  {
    name: 'an allow before a deny',
    rules: [
      { denied: all, priority: 2 },
      { allowed: tcp, priority: 1 },
    ],
    want: true,
  },
  {
    name: 'at a tie deny wins',
    rules: [
      { allowed: tcp, priority: 5 },
      { denied: all, priority: 5 },
    ],
    want: false,
  },
  { name: 'an allow at 65535 loses to the implied deny', rules: [{ allowed: tcp, priority: 65535 }], want: false },
  { name: 'an allow at 65534 does not', rules: [{ allowed: tcp, priority: 65534 }], want: true },
  {
    name: 'a deny out at 65535 wins over the implied allow',
    rules: [{ denied: all, priority: 65535, direction: 'EGRESS' }],
    direction: 'EGRESS',
    want: false,
  },
  {
    name: 'a deny out to elsewhere',
    rules: [{ denied: all, direction: 'EGRESS', destinationRanges: ['192.0.2.0/24'] }],
    direction: 'EGRESS',
    want: true,
  },
  { name: 'rules for the other direction do not count', rules: [{ denied: all }], direction: 'EGRESS', want: true },
];

describe('the firewall of a machine', () => {
  for (const { name, rules, want, direction = 'INGRESS', peer = inside, packet = https } of rows) {
    it(`${name}: ${want ? 'passes' : 'stops'}`, () => {
      const project = projectWith({ firewalls: rules.map((rule, index) => ({ name: `r${index}`, ...rule })) });
      const filter = firewallFilter(project, machine, direction);
      assert.equal(checkPacket([filterGate('f', filter, packet, peer)]).allowed, want);
    });
  }

  it('is of its network only', () => {
    const project = projectWith({ firewalls: [{ name: 'r', allowed: tcp }] });
    const filter = firewallFilter(project, { ...machine, network: 'global/networks/other' }, 'INGRESS');
    assert.equal(checkPacket([filterGate('f', filter, https, inside)]).allowed, false);
  });
});

const routed: Routed = { name: 'web', network: CORE, tags: ['web'], external: '198.18.0.1' };

const subnetworks = [{ name: 'app', region: 'europe-west1', cidr: '10.0.1.0/24' }];

const gateway = 'global/gateways/default-internet-gateway';

interface Way {
  readonly name: string;
  readonly network: object;
  readonly peer?: Party;
  readonly from?: Partial<Routed>;
  readonly want: RegExp;
}

const ways: readonly Way[] = [
  { name: 'to the internet', network: {}, want: /^yes: 198\.18\.0\.1$/ },
  {
    name: 'to the internet without an address',
    network: {},
    from: { external: undefined },
    want: /^no: none, so the internet gateway/,
  },
  {
    name: 'to the internet without a route',
    network: { internet: false, subnetworks },
    want: /^no: no route in projects\/acme/,
  },
  {
    name: 'within the network, which needs neither',
    network: { internet: false, subnetworks },
    peer: { ...inside, address: '10.0.1.9' },
    from: { external: undefined },
    want: /^yes: default-route-r-\w+ sends 10\.0\.1\.0\/24 within the network$/,
  },
  {
    name: 'by a route for its tag',
    network: {
      internet: false,
      routes: [{ name: 'out', destRange: '0.0.0.0/0', nextHopGateway: gateway, tags: ['web'] }],
    },
    want: /^yes/,
  },
  {
    name: 'not by a route for another tag',
    network: {
      internet: false,
      routes: [{ name: 'out', destRange: '0.0.0.0/0', nextHopGateway: gateway, tags: ['db'] }],
    },
    want: /^no: no route/,
  },
  {
    name: 'by the most specific route',
    network: { routes: [{ name: 'vpn', destRange: '203.0.113.0/24', nextHopIp: '10.0.1.5' }] },
    want: /^no: vpn leads to another machine/,
  },
  {
    name: 'by the route of the lowest priority, made later',
    network: { routes: [{ name: 'early', destRange: '0.0.0.0/0', nextHopIp: '10.0.1.5', priority: 999 }] },
    want: /^no: early leads to another machine/,
  },
  {
    name: 'not by a route of a higher priority',
    network: { routes: [{ name: 'late', destRange: '0.0.0.0/0', nextHopIp: '10.0.1.5', priority: 1001 }] },
    want: /^yes/,
  },
  {
    name: 'to a peer without an address',
    network: {},
    peer: { ...outside, address: '' },
    want: /^no: internet has no external/,
  },
];

describe('the way of a packet', () => {
  for (const { name, network, peer = outside, from = {}, want } of ways) {
    it(name, () => {
      const { allowed, steps } = checkPacket(routeGates(projectWith(network), { ...routed, ...from }, peer, 'to'));
      assert.match(`${allowed ? 'yes' : 'no'}: ${steps.at(-1)?.reason}`, want);
    });
  }
});
