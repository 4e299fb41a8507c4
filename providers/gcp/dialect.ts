import { createHash } from 'node:crypto';
import type { AdoptedDraft, Atom, Dialect, NetworkDraft, Place, RuleDraft } from '../../src/core/compile/dialect.ts';
import type { Desired } from '../../src/core/desired.ts';
import { serviceAccountAddress } from '../../src/core/kinds/rules.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { InstanceAttributes, Kind, RuleAttributes, RuleMatch } from '../../src/core/resource.ts';
import { successorName } from '../shared/successor-name.ts';
import { placeOf } from './cloud-id.ts';
import { pathOf } from './links.ts';
import { canonicalCidr, canonicalImage, canonicalType } from './spelling.ts';
import { canonicalPorts, canonicalProtocol, readTraffic } from './traffic.ts';
import { writes } from './writes.ts';

/**
 * Translates a spec into Google Cloud's terms. It needs no SDK, so planning loads none.
 *
 * An atom is one firewall of the network: one direction and action, one protocol with a list of ports, peers of one family.
 * It is known by its name, which holds a hash of the immutable fields: see `nameOf`. A network denies inbound and allows
 * outbound traffic (https://cloud.google.com/firewall/docs/firewalls#default_firewall_rules), so only the opposite needs atoms.
 */
export const dialect: Dialect = {
  cloud: 'gcp',
  scope: ({ account }) => `gcp/${account}`,
  names: {
    prefix,
    objectName: (_kind, name) => fitting(name.replaceAll('.', '-')),
    successor: (name, predecessor) => successorName(name, predecessor, longestName, sha256),
    plainId: (id) => placeOf(pathOf(id)).path,
  },
  holds: {
    groups: 'tags',
    network: ['internet', 'settings'],
    subnet: ['network', 'cidr', 'settings'],
    fixedMarks: ['network', 'subnet'],
    replace: 'recreate',
    oneByName: ['network', 'subnet', 'group', 'firewall-rule', 'instance'],
    // https://cloud.google.com/compute/docs/instances/change-service-account
    machineEffects: { 'machine.identity': 'stops', 'disk.type': 'replace' },
  },
  writes,
  rules: { atoms, adopted, defaults },
  matchSpelling: matchSpelling,
};

/** Instances stand in a zone, subnets in a region, all else in the project. */
function prefix(kind: Kind, { account, region, zone }: Place): string {
  const places: Readonly<Partial<Record<Kind, string>>> = { subnet: region, instance: zone ?? region };
  return `gcp/${account}/${places[kind] ?? 'global'}`;
}

/** "1-63 characters long": https://cloud.google.com/compute/docs/naming-resources. A longer name ends in a hash of the whole. */
const longestName = 63;

const fitting = (name: string): string =>
  name.length <= longestName ? name : `${name.slice(0, longestName - 9)}-${digest(name)}`;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const digest = (text: string): string => sha256(text).slice(0, 8);

/**
 *   peers                          | firewalls
 *   -------------------------------+---------------------------------------------------------------
 *   IPv4 blocks                    | one
 *   IPv6 blocks                    | one more: "IPv4 or IPv6 … can't specify both in the same rule",
 *                                  | https://cloud.google.com/firewall/docs/firewalls#sources
 *   tags                           | with the IPv4 blocks, else alone
 *   any                            | 0.0.0.0/0 and ::/0
 */
function atoms({ name, network, group, base, traffic, extra }: RuleDraft): readonly Atom[] {
  const protocol = canonicalProtocol(base.protocol);
  refuseIcmpTypes(protocol, traffic.ports);
  const said = {
    direction: base.direction,
    action: base.action,
    protocol,
    ports: canonicalPorts(protocol, traffic.ports),
    targets: group === '' ? [] : [targetOf(group)],
  };
  const { description, priority, disabled, log } = extra;
  return cut(traffic.peers, base.direction).map((peers) => {
    const match = { ...said, peers };
    const attributes = { network, match, description, order: { priority, disabled, log } };
    return { name: nameOf(name, match), attributes };
  });
}

/** The whole of one firewall: all of its protocols, sources and targets. */
function adopted({ network, targets, base, services, peers, extra }: AdoptedDraft): RuleAttributes {
  for (const { protocol, ports } of services) refuseIcmpTypes(canonicalProtocol(protocol), ports);
  const entries = services.map(({ protocol, ports }) => ({ IPProtocol: protocol, ports: portsOf(ports) }));
  const spelled = [...new Set(peers.flatMap((peer) => spell(peer, base.direction)))].sort();
  if (spelled.some(isV6) && spelled.some((peer) => !isNamed(peer) && !isV6(peer)))
    throw new RangeError('one firewall of GCP has IPv4 or IPv6 blocks, not both');
  const { description, priority, disabled, log } = extra;
  const match = { ...base, ...readTraffic(entries), peers: spelled, targets: targets.map(targetOf).sort() };
  return { network, match, description, order: { priority, disabled, log } };
}

const portsOf = (ports: readonly string[]): string[] => (ports.includes('all') ? [] : [...ports]);

function refuseIcmpTypes(protocol: string, ports: readonly string[]): void {
  if (protocol.startsWith('icmp') && ports.some((text) => text !== 'all'))
    throw new RangeError('GCP cannot tell ICMP types apart; leave icmp out, which is every type');
}

/** Addresses on the side of the machines themselves: see `sidesOf` in firewall.ts. */
const targetOf = (group: string): string => (isNamed(group) ? group : `range:${canonicalCidr(group)}`);

function cut(peers: readonly string[], direction: RuleMatch['direction']): readonly (readonly string[])[] {
  const spelled = [...new Set(peers.flatMap((peer) => spell(peer, direction)))].sort();
  return [spelled.filter((peer) => !isV6(peer)), spelled.filter(isV6)].filter((list) => list.length > 0);
}

/** A network tag or a service account. */
const isNamed = (peer: string): boolean => peer.startsWith('tag:') || peer.startsWith('service-account:');
const isV6 = (peer: string): boolean => !isNamed(peer) && peer.includes(':');

function spell(peer: string, direction: RuleMatch['direction']): readonly string[] {
  if (peer.startsWith('service-tag:')) throw new RangeError(`GCP knows no service tags, so not ${peer}`);
  if (peer.startsWith('prefix-list:')) throw new RangeError(`GCP knows no prefix lists, so not ${peer}`);
  if (isNamed(peer)) {
    if (direction === 'ingress') return [peer];
    throw new RangeError(`GCP knows no groups as destinations, so not ${peer}; name their subnets' blocks`);
  }
  return peer === 'any' ? [everyV4, everyV6] : [canonicalCidr(peer)];
}

const everyV4 = '0.0.0.0/0';
const everyV6 = '::/0';

/**
 * `web-https-1a2b3c4d`. The hash is of what cannot change without a moment in which one machine has too few or too many
 * rules (direction, action, whom it applies to, the tags it lets in) and of which cut of the rule it is: such a change makes a
 * new firewall, which stands before the old one goes. All else changes in place, at once.
 */
function nameOf(document: string, { direction, action, targets = [], peers }: RuleMatch): string {
  const family = peers.some(isV6) ? 'v6' : 'v4';
  return `${document}-${digest(JSON.stringify([direction, action, targets, peers.filter(isNamed), family]))}`;
}

/** Just before the network's own, https://cloud.google.com/firewall/docs/firewalls#default_firewall_rules */
const lastPriority = 65_534;

/**
 *   default          | atoms, of every machine in the network
 *   -----------------+------------------------------------------
 *   ingress: deny    | none: the network's own
 *   ingress: allow   | allow all from 0.0.0.0/0, and from ::/0
 *   egress: allow    | none: the network's own
 *   egress: deny     | deny all to 0.0.0.0/0, and to ::/0
 */
function defaults({ network, default: wanted }: NetworkDraft): ReturnType<Dialect['rules']['defaults']> {
  const ingress = wanted.ingress === 'allow' ? [everyV4, everyV6].map((peer) => everything('ingress', peer)) : [];
  const egress = wanted.egress === 'deny' ? [everyV4, everyV6].map((peer) => everything('egress', peer)) : [];
  return [...ingress, ...egress].map((match) => ({
    name: nameOf(`default-${match.direction}`, match),
    attributes: {
      network,
      match,
      description: '',
      order: { priority: lastPriority, disabled: false, log: false },
    } satisfies RuleAttributes,
    presence: 'stated',
  }));
}

function everything(direction: 'ingress' | 'egress', peer: string): RuleMatch {
  const action = direction === 'ingress' ? 'allow' : 'deny';
  return { direction, action, protocol: 'all', ports: 'all', peers: [peer], targets: [] };
}

/** Images, sizes, identities and disk types have several spellings; the cloud's own is taken where it says the same. */
function matchSpelling(desired: Desired, observed: Observed): Desired {
  if (desired.kind !== 'instance' || observed.kind !== 'instance') return desired;
  // why: both kinds were just checked
  const wanted = desired.attributes as InstanceAttributes;
  const seen = observed.attributes as InstanceAttributes; // why: as above
  const project = desired.address.split('/')[1] ?? '';
  const alike = <T extends string | undefined>(own: T, theirs: string | undefined, form: (text: string) => string) =>
    own !== undefined && theirs !== undefined && form(own) === form(theirs) ? theirs : own;
  const { machine, disk } = wanted;
  const type = alike(disk?.type, seen.disk?.type, canonicalType);
  const identity = alike(machine.identity, seen.machine.identity, (text) => serviceAccountAddress(text, project));
  const image = alike(machine.image, seen.machine.image, (text) => canonicalImage(text, project));
  const attributes: InstanceAttributes = {
    ...wanted,
    machine: {
      ...machine,
      ...(image === undefined ? {} : { image }),
      size: alike(machine.size, seen.machine.size, canonicalType),
      ...(identity === undefined ? {} : { identity }),
    },
    ...(disk === undefined ? {} : { disk: { ...disk, ...(type === undefined ? {} : { type }) } }),
  };
  return { ...desired, attributes };
}
