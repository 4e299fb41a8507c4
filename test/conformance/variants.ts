import type { RuleMatch } from '../../src/core/attributes.ts';
import type { Attributes, Kind } from '../../src/core/resource.ts';
import type { Stage } from './stage.ts';

/** One way to ask for a resource: what differs from the least. */
export type Variant = {
  readonly [K in Kind]: {
    readonly kind: K;
    readonly name: string;
    readonly attributes: (stage: Stage) => Partial<Attributes[K]>;
  };
}[Kind];

const labels = { tier: 'web', 'odd key/with.dots': 'a=b c', empty: '', umlaut: 'Größe' };

/** Every way to ask for something, so that what comes back can be compared with it. */
export const variants: readonly Variant[] = [
  { kind: 'network', name: 'nothing else', attributes: () => ({}) },
  { kind: 'network', name: 'a way out', attributes: () => ({ internet: true }) },
  { kind: 'network', name: 'labels of every sort', attributes: () => ({ labels }) },
  { kind: 'subnet', name: 'nothing else', attributes: () => ({}) },
  { kind: 'subnet', name: 'a zone', attributes: ({ harness }) => ({ zone: harness.words.zone }) },
  { kind: 'subnet', name: 'a way out', attributes: () => ({ internet: true }) },
  { kind: 'subnet', name: 'no way out', attributes: () => ({ internet: false }) },
  { kind: 'subnet', name: 'labels of every sort', attributes: () => ({ labels }) },
  { kind: 'group', name: 'nothing else', attributes: () => ({}) },
  { kind: 'group', name: 'labels of every sort', attributes: () => ({ labels }) },
  { kind: 'group', name: 'closed egress', attributes: () => ({ defaultEgress: 'deny' }) },
  rule('a port', { ports: '443' }),
  rule('a range of ports', { ports: '8000-8100' }),
  rule('all ports of tcp', { ports: 'all' }),
  rule('udp', { protocol: 'udp', ports: '53' }),
  rule('one type and code of icmp', { protocol: 'icmp', ports: '3/4' }),
  rule('every code of a type of icmp', { protocol: 'icmp', ports: '8/all' }),
  rule('all of icmp', { protocol: 'icmp', ports: 'all' }),
  rule('all of icmpv6', { protocol: 'icmpv6', ports: 'all', peers: ['2001:db8::/32'] }),
  rule('every protocol', { protocol: 'all', ports: 'all' }),
  rule('a protocol by number', { protocol: '50', ports: 'all' }),
  rule('an IPv6 block', { peers: ['2001:db8:1::/48'] }),
  rule('the whole of IPv4', { peers: ['0.0.0.0/0'] }),
  rule('the whole of IPv6', { peers: ['::/0'] }),
  rule('egress', { direction: 'egress' }),
  ruleOf('another group as its peer', ({ home }) => ({ match: { ...tcp, peers: [`group:${home.groups[1]}`] } })),
  ruleOf('its own group as its peer', ({ home }) => ({ match: { ...tcp, peers: [`group:${home.groups[0]}`] } })),
  ruleOf('a description', () => ({ description: 'public site, since 2024 (ops@example.org)' })),
  { kind: 'instance', name: 'nothing else', attributes: () => ({}) },
  { kind: 'instance', name: 'labels of every sort', attributes: () => ({ labels }) },
  { kind: 'instance', name: 'two groups', attributes: ({ home }) => ({ groups: home.groups.toSorted() }) },
  {
    kind: 'instance',
    name: 'a public address',
    attributes: ({ home }) => ({ placement: { subnet: home.subnet, publicIp: true } }),
  },
  {
    kind: 'instance',
    name: 'a disk of its own',
    attributes: ({ harness }) => ({ disk: { size: 20, type: harness.words.disks[1], encrypted: true } }),
  },
  {
    kind: 'instance',
    name: 'standing still',
    attributes: ({ harness: { words } }) => ({
      machine: { image: words.image, size: words.sizes[0], power: 'stopped' },
    }),
  },
  { kind: 'instance', name: 'a larger disk', attributes: () => ({ disk: { size: 30 } }) },
  {
    kind: 'instance',
    name: 'user data',
    attributes: () => ({ boot: { userData: 'sha256:5f2d3b' } }),
  },
  {
    kind: 'instance',
    name: 'an identity',
    attributes: ({ harness: { words } }) => ({
      machine: {
        image: words.image,
        size: words.sizes[0],
        power: 'running',
        ...(words.identities[0] !== undefined && { identity: words.identities[0] }),
      },
    }),
  },
];

const tcp: RuleMatch = { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: '443', peers: ['10.8.0.0/16'] };

function rule(name: string, match: Partial<RuleMatch>): Variant {
  return ruleOf(name, () => ({ match: { ...tcp, ...match } }));
}

function ruleOf(name: string, attributes: (stage: Stage) => Partial<Attributes['firewall-rule']>): Variant {
  return { kind: 'firewall-rule', name, attributes };
}
