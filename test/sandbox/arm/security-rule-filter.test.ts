import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { securityRuleFilter } from '../../../sandbox/arm/reachability.ts';
import type { NetworkSecurityGroup, RuleSide, SecurityRule, Traffic } from '../../../sandbox/arm/records.ts';
import { checkPacket, filterGate } from '../../../sandbox/packet.ts';

const WEB = '/subscriptions/s/resourceGroups/RG/providers/Microsoft.Network/applicationSecurityGroups/Web';
const DB = WEB.replace('Web', 'db');

const any: RuleSide = { prefix: '*', prefixes: [], portRange: '*', portRanges: [], groups: [] };

const from = (prefix: string): RuleSide => ({ ...any, prefix });
const list = (...prefixes: string[]): RuleSide => ({ ...any, prefix: undefined, prefixes });
const of = (...groups: string[]): RuleSide => ({ ...any, prefix: undefined, groups });
const ports = (...portRanges: string[]): RuleSide => ({ ...any, portRange: undefined, portRanges });

interface Rule {
  readonly traffic?: Partial<Traffic>;
  readonly source?: RuleSide;
  readonly destination?: RuleSide;
}

function group(rules: readonly Rule[]): NetworkSecurityGroup {
  const path = '/subscriptions/s/resourceGroups/RG/providers/Microsoft.Network/networkSecurityGroups/nsg';
  return {
    id: path.toLowerCase(),
    path,
    location: 'westeurope',
    tags: new Map(),
    guid: '',
    version: { etag: '', state: 'Succeeded', changedAt: 0 },
    kept: {},
    rules: rules.map(({ traffic, source = any, destination = any }, index): SecurityRule => {
      const name = `${path}/securityRules/r${index}`;
      const common: Traffic = { protocol: '*', access: 'Allow', direction: 'Inbound', priority: 100 + index };
      return {
        id: name.toLowerCase(),
        path: name,
        description: undefined,
        traffic: { ...common, ...traffic },
        source,
        destination,
      };
    }),
  };
}

interface Case {
  readonly name: string;
  readonly rules?: readonly Rule[];
  readonly direction?: Traffic['direction'];
  readonly peer: string;
  readonly peerGroups?: readonly string[];
  readonly packet?: { readonly protocol: string; readonly port?: number };
  readonly want: boolean;
}

const deny = { access: 'Deny' } as const;
const outbound = { direction: 'Outbound' } as const;

const cases: readonly Case[] = [
  { name: 'from the network by default: in', peer: '10.0.2.4', want: true },
  { name: 'from the internet by default: not', peer: '198.51.100.7', want: false },
  { name: 'from another private network by default: not', peer: '192.168.1.1', want: false },
  { name: 'a probe of the load balancer by default: in', peer: '168.63.129.16', want: true },
  { name: 'to the internet by default: out', direction: 'Outbound', peer: '198.51.100.7', want: true },
  { name: 'to a foreign private address by default: not', direction: 'Outbound', peer: '192.168.1.1', want: false },
  { name: 'a wish of the user comes before the defaults', rules: [{}], peer: '198.51.100.7', want: true },
  {
    name: 'the lower priority decides',
    rules: [{ traffic: { priority: 300 } }, { traffic: { ...deny, priority: 200 } }],
    peer: '198.51.100.7',
    want: false,
  },
  { name: 'outbound rules say nothing inbound', rules: [{ traffic: outbound }], peer: '198.51.100.7', want: false },
  { name: 'a tag in any case', rules: [{ source: from('INTERNET') }], peer: '198.51.100.7', want: true },
  {
    name: 'the internet is not the network',
    rules: [{ traffic: deny, source: from('Internet') }],
    peer: '10.0.2.4',
    want: true,
  },
  {
    name: 'the network’s tag',
    rules: [{ traffic: deny, source: from('virtualNetwork') }],
    peer: '10.0.2.4',
    want: false,
  },
  {
    name: 'a service’s tag',
    rules: [{ traffic: { ...deny, ...outbound }, destination: from('Storage') }],
    direction: 'Outbound',
    peer: '52.239.130.1',
    want: false,
  },
  {
    name: 'a service’s tag in a region',
    rules: [{ traffic: { ...deny, ...outbound }, destination: from('storage.westeurope') }],
    direction: 'Outbound',
    peer: '52.239.130.1',
    want: false,
  },
  {
    name: 'another service’s tag',
    rules: [{ traffic: { ...deny, ...outbound }, destination: from('Sql') }],
    direction: 'Outbound',
    peer: '52.239.130.1',
    want: true,
  },
  {
    name: 'one of several blocks',
    rules: [{ source: list('203.0.113.0/24', '198.51.100.0/24') }],
    peer: '198.51.100.7',
    want: true,
  },
  { name: 'a bare address', rules: [{ source: from('198.51.100.7') }], peer: '198.51.100.7', want: true },
  { name: 'a bare address beside it', rules: [{ source: from('198.51.100.8') }], peer: '198.51.100.7', want: false },
  { name: '* covers IPv6', rules: [{ source: from('*') }], peer: '2001:db8::1', want: true },
  { name: '0.0.0.0/0 does not', rules: [{ source: from('0.0.0.0/0') }], peer: '2001:db8::1', want: false },
  {
    name: 'a group of the peer, in any case',
    rules: [{ traffic: deny, source: of(WEB.toUpperCase()) }],
    peer: '10.0.2.4',
    peerGroups: [WEB],
    want: false,
  },
  {
    name: 'a group that the peer is not in',
    rules: [{ traffic: deny, source: of(DB) }],
    peer: '10.0.2.4',
    peerGroups: [WEB],
    want: true,
  },
  { name: 'a rule for a group of this machine', rules: [{ destination: of(DB) }], peer: '198.51.100.7', want: true },
  {
    name: 'a rule for a group of another machine',
    rules: [{ destination: of(WEB) }],
    peer: '198.51.100.7',
    want: false,
  },
  {
    name: 'a rule for another’s address',
    rules: [{ destination: from('10.0.1.5') }],
    peer: '198.51.100.7',
    want: false,
  },
  {
    name: 'a port in a range',
    rules: [{ destination: ports('22', '8000-8100') }],
    peer: '198.51.100.7',
    packet: { protocol: 'tcp', port: 8050 },
    want: true,
  },
  {
    name: 'a port beside it',
    rules: [{ destination: ports('22', '8000-8100') }],
    peer: '198.51.100.7',
    packet: { protocol: 'tcp', port: 8101 },
    want: false,
  },
  { name: 'another protocol', rules: [{ traffic: { protocol: 'Udp' } }], peer: '198.51.100.7', want: false },
  { name: 'a protocol in capitals', rules: [{ traffic: { protocol: 'TCP' } }], peer: '198.51.100.7', want: true },
  {
    name: 'a protocol by number',
    rules: [{ traffic: { protocol: 'Esp' } }],
    peer: '198.51.100.7',
    packet: { protocol: '50' },
    want: true,
  },
  {
    name: 'ICMP asks for no port',
    rules: [{ traffic: { protocol: 'Icmp' }, destination: ports('80') }],
    peer: '198.51.100.7',
    packet: { protocol: 'icmp', port: 8 },
    want: true,
  },
  {
    name: 'answers to a source port that nobody sends from',
    rules: [{ source: { ...any, portRange: '53' } }],
    peer: '198.51.100.7',
    want: false,
  },
];

describe('a security group filters', () => {
  for (const { name, rules = [], direction = 'Inbound', peer, peerGroups = [], packet, want } of cases) {
    it(`${name}: ${want ? 'allowed' : 'denied'}`, () => {
      const self = { name: 'db-0', address: '10.0.1.4', labels: [DB.toLowerCase()] };
      const filter = securityRuleFilter(group(rules), { direction, self, space: ['10.0.0.0/16'] });
      const party = { name: 'peer', address: peer, labels: peerGroups.map((path) => path.toLowerCase()) };
      const question = { protocol: 'tcp', port: 443, ...packet };
      const verdict = checkPacket([filterGate('nsg', filter, question, party)]);
      assert.equal(verdict.allowed, want, JSON.stringify(verdict.steps));
    });
  }
});
