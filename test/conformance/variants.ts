import type { Attributes, Kind, RuleMatch } from '../../src/core/resource.ts';
import type { Stage } from './stage.ts';
import { byContent, byName, hasLabels, holds, type Subject } from './subject.ts';

/** One variant of a resource: its differences from the smallest one. */
export type Variant = {
  readonly [K in Kind]: {
    readonly kind: K;
    readonly name: string;
    /** Absent: wherever the kind is. */
    readonly fits?: (subject: Subject) => boolean;
    readonly attributes: (stage: Stage) => Partial<Attributes[K]>;
  };
}[Kind];

const labels = ({ harness }: Stage) => ({ labels: harness.words.labels });

/** Every variant of each field, to compare the cloud's answer with it. */
export const variants: readonly Variant[] = [
  { kind: 'network', name: 'nothing else', attributes: () => ({}) },
  {
    kind: 'network',
    name: 'a way out',
    fits: holds('network', 'internet'),
    attributes: () => ({ internet: true }),
  },
  { kind: 'network', name: 'labels of every sort', fits: hasLabels('network'), attributes: labels },
  { kind: 'subnet', name: 'nothing else', attributes: () => ({}) },
  {
    kind: 'subnet',
    name: 'a zone',
    fits: holds('subnet', 'zone'),
    attributes: ({ harness: { words } }) => (words.zone === undefined ? {} : { zone: words.zone }),
  },
  { kind: 'subnet', name: 'a way out', fits: holds('subnet', 'internet'), attributes: () => ({ internet: true }) },
  { kind: 'subnet', name: 'no way out', fits: holds('subnet', 'internet'), attributes: () => ({ internet: false }) },
  { kind: 'subnet', name: 'labels of every sort', fits: hasLabels('subnet'), attributes: labels },
  { kind: 'group', name: 'nothing else', attributes: () => ({}) },
  { kind: 'group', name: 'labels of every sort', attributes: labels },
  { kind: 'group', name: 'closed egress', fits: byContent, attributes: () => ({ defaultEgress: 'deny' }) },
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
  rule('one address', { peers: ['192.0.2.7/32'] }),
  rule('one IPv6 address', { peers: ['2001:db8::7/128'] }),
  rule('the whole of IPv4', { peers: ['0.0.0.0/0'] }),
  rule('the whole of IPv6', { peers: ['::/0'] }),
  rule('egress', { direction: 'egress' }),
  ruleOf('another group as its peer', (stage) => matching(stage, { peers: [peerOf(stage.home.groups[1])] })),
  ruleOf('its own group as its peer', (stage) => matching(stage, { peers: [peerOf(stage.home.groups[0])] })),
  ruleOf('a description', () => ({ description: 'public site, since 2024 (ops@example.org)' })),
  { ...ruleOf('a list of ports', (stage) => matching(stage, { ports: '22,443,8000-8100' })), fits: byName },
  {
    ...ruleOf('a list of blocks', (stage) => matching(stage, { peers: ['10.7.0.0/16', '10.8.0.0/16'] })),
    fits: byName,
  },
  { ...ruleOf('everyone in the network', (stage) => matching(stage, { targets: [] })), fits: byName },
  { ...ruleOf('a deny', (stage) => matching(stage, { action: 'deny' })), fits: byName },
  { ...ruleOf('anyone', (stage) => matching(stage, { peers: ['any'] })), fits: byName },
  {
    ...ruleOf('a rule that is switched off, and one that logs', (stage) => ({
      order: { ...orderOf(stage), disabled: true, log: true },
    })),
    fits: byName,
  },
  { kind: 'instance', name: 'nothing else', attributes: () => ({}) },
  { kind: 'instance', name: 'labels of every sort', attributes: labels },
  { kind: 'instance', name: 'two groups', attributes: ({ home }) => ({ groups: home.groups.toSorted() }) },
  {
    kind: 'instance',
    name: 'a public address',
    attributes: ({ home }) => ({ placement: { subnet: home.subnet, publicIp: true } }),
  },
  {
    kind: 'instance',
    name: 'a disk of its own',
    attributes: ({ harness }) => ({ disk: { size: 32, type: harness.words.machine.disks[1], encrypted: true } }),
  },
  {
    kind: 'instance',
    name: 'standing still',
    attributes: ({ harness: { words } }) => ({
      machine: { image: words.machine.image, size: words.machine.sizes[0], power: 'stopped' },
    }),
  },
  { kind: 'instance', name: 'a larger disk', attributes: () => ({ disk: { size: 40 } }) },
  {
    kind: 'instance',
    name: 'user data',
    attributes: ({ harness: { words } }) => ({ boot: { ...words.machine.least?.boot, userData: 'sha256:5f2d3b' } }),
  },
  {
    kind: 'instance',
    name: 'an identity',
    attributes: ({ harness: { words } }) => ({
      machine: {
        image: words.machine.image,
        size: words.machine.sizes[0],
        power: 'running',
        ...(words.machine.identities[0] !== undefined && { identity: words.machine.identities[0] }),
      },
    }),
  },
];

type RuleAttributes = Attributes['firewall-rule'];
type RuleVariant = Extract<Variant, { readonly kind: 'firewall-rule' }>;

function rule(name: string, match: Partial<RuleMatch>): RuleVariant {
  return ruleOf(name, (stage) => matching(stage, match));
}

function ruleOf(name: string, attributes: (stage: Stage) => Partial<RuleAttributes>): RuleVariant {
  return { kind: 'firewall-rule', name, attributes };
}

/** The least rule, saying this instead. */
function matching(stage: Stage, match: Partial<RuleMatch>): Partial<RuleAttributes> {
  const { attributes } = stage.creation('firewall-rule').desired;
  return { ...attributes, match: { ...attributes.match, ...match } };
}

const orderOf = (stage: Stage) => stage.creation('firewall-rule').desired.attributes.order ?? { priority: 1000 };
const peerOf = (group: string): string => (group.startsWith('tag:') ? group : `group:${group}`);
