import { createHash } from 'node:crypto';
import { parseCidr } from '../../src/core/cidr.ts';
import type { AdoptedDraft, Atom, Dialect, NetworkDraft, Place, RuleDraft } from '../../src/core/compile/dialect.ts';
import { type Kind, nameIn, type RuleAttributes, type RuleMatch } from '../../src/core/resource.ts';
import { successorName } from '../shared/successor-name.ts';
import { armIdOf, canonicalId } from './ids.ts';
import { matchSpelling } from './match-spelling.ts';
import { canonicalLocation } from './place.ts';
import { peerPrefix } from './security-rule.ts';
import { canonicalPorts, canonicalProtocol, protocolTexts, withPorts } from './traffic.ts';
import { writes } from './writes.ts';

/**
 * Translates specs into Azure's terms. No SDK here: planning needs none.
 *
 * An atom is a security rule of the network's NSG, known by its name: the document's and eight digits of a hash of what may
 * not change in place. A machine moves between groups while rules change, so a rule for other groups is another rule,
 * which stands before the old one goes. All else of a rule changes at once.
 */
export const dialect: Dialect = {
  cloud: 'azure',
  scope,
  names: {
    prefix,
    objectName,
    successor: (name, predecessor) => successorName(name, predecessor, longestMachineName, sha256),
    auditLogId: armIdOf,
    plainId: (id) => canonicalId(armIdOf(id)),
  },
  holds: {
    groups: 'objects',
    network: ['cidr', 'filter', 'settings', 'labels'],
    subnet: ['network', 'cidr', 'filter', 'settings'],
    fixedMarks: ['subnet'],
    replace: 'recreate',
    oneByName: ['network', 'subnet', 'group', 'firewall-rule', 'instance'],
    // https://learn.microsoft.com/azure/virtual-machines/linux/expand-disks, https://learn.microsoft.com/azure/virtual-machines/disks-convert-types
    machineEffects: { 'disk.size': 'stops', 'disk.type': 'stops' },
  },
  writes,
  rules: {
    atoms,
    adopted,
    defaults,
    // 100 to 4096: https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview#security-rules
    numbering: { first: 100, last: 4095, gap: 10 },
    // https://learn.microsoft.com/azure/azure-resource-manager/management/azure-subscription-service-limits#azure-resource-manager-virtual-networking-limits
    room: { most: 1000, apart: [], quota: 'NSG rules per NSG', container: 'a network security group' },
  },
  matchSpelling: matchSpelling,
};

/** Azure tells no case apart, so neither do our names for its places. */
function scope({ account, region }: Place): string {
  return `azure/${account.toLowerCase()}/${canonicalLocation(region)}`;
}

function prefix(_kind: Kind, place: Place): string {
  return `${scope(place)}/${(place.resourceGroup ?? '').toLowerCase()}`;
}

/** Of Linux: https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules#microsoftcompute */
const longestMachineName = 64;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Subnets and rules are named inside their network, so they bear only their own part of the name. */
function objectName(kind: Kind, name: string): string {
  const inside = kind === 'subnet' || kind === 'firewall-rule';
  return inside ? name.slice(name.indexOf('.') + 1) : name.replaceAll('.', '-');
}

function atoms({ name, network, group, base, traffic, extra }: RuleDraft): readonly Atom[] {
  const protocol = protocolOf(base.protocol);
  const ports = portsOf(protocol, traffic.ports);
  return cutsOf(traffic.peers).map(({ cut, peers }) => ({
    name: named(name, [base.direction, base.action, ownName(group), cut]),
    attributes: {
      network,
      match: { ...base, protocol, ports, peers, targets: group === '' ? [] : [group] },
      description: extra.description,
      order: { priority: extra.priority },
    },
  }));
}

/** The whole of one security rule, with its own priority. */
function adopted({ network, targets, base, services, peers, extra }: AdoptedDraft): RuleAttributes {
  const [service, ...more] = services;
  if (service === undefined || more.length > 0) throw new RangeError('one Azure rule has one protocol');
  const protocol = protocolOf(service.protocol);
  const match = { ...base, protocol, ports: portsOf(protocol, service.ports), peers, targets };
  return { network, match, description: extra.description, order: { priority: extra.priority } };
}

function protocolOf(text: string): string {
  const protocol = canonicalProtocol(text);
  if (protocolTexts[protocol] !== undefined) return protocol;
  throw new RangeError(`an Azure rule cannot name protocol ${text}; leave the rule out of this target`);
}

function portsOf(protocol: string, ports: readonly string[]): string {
  if (withPorts.has(protocol)) return canonicalPorts(ports);
  if (ports.every((range) => range === 'all')) return 'all';
  throw new RangeError(
    `an Azure rule cannot tell ${ports.join(', ')} of ${protocol} apart; leave it out of this target`,
  );
}

interface Cut {
  readonly cut: string;
  readonly peers: readonly string[];
}

/**
 * One rule takes one list of IPv4 blocks, or of IPv6 blocks, or one group, or one service tag:
 * https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview#augmented-security-rules
 */
function cutsOf(peers: readonly string[]): readonly Cut[] {
  const cuts = new Map<string, string[]>();
  for (const peer of peers) {
    const cut = cutOf(peer);
    const known = cuts.get(cut);
    if (known === undefined) cuts.set(cut, [peer]);
    else if (cut === 'v4' || cut === 'v6') known.push(peer);
  }
  return [...cuts].map(([cut, some]) => ({ cut, peers: some.toSorted() }));
}

function cutOf(peer: string): string {
  if (peer === 'any') return peer;
  if (peer.startsWith(peerPrefix.group)) return peerPrefix.group + ownName(peer.slice(peerPrefix.group.length));
  if (peer.startsWith(peerPrefix.tag)) return peer.toLowerCase();
  const block = parseCidr(peer);
  if (block === undefined) throw new RangeError(`an Azure rule cannot name ${peer}; leave it out of this target`);
  return `v${block.family}`;
}

/** The group's own part of its name: a network that is renamed keeps its rules. An address block is its own name. */
const ownName = (group: string): string =>
  group.includes('/group/') ? nameIn(group, 'group').replace(/^[^.]*\./, '') : group;

/** Lower case, as Azure takes names in any. */
function named(document: string, parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify([document, ...parts]));
  return `${document.toLowerCase()}-${hash.digest('hex').slice(0, 8)}`;
}

/** Behind every rule of a document. */
const lastOfAll = 4096;

/**
 * Azure's default rules: within a virtual network everything may talk to everything, nothing else comes in, and all
 * may go out (https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview#default-security-rules).
 *
 *   default | ingress                                  | egress
 *   --------+------------------------------------------+-----------------
 *   allow   | allow from anyone                        | none: it is so
 *   deny    | deny from the virtual network            | deny to anyone
 *
 * One name a direction: allow becomes deny in one write.
 */
function defaults({ network, default: wanted }: NetworkDraft): ReturnType<Dialect['rules']['defaults']> {
  const ingress = wanted.ingress === 'allow' ? 'any' : `${peerPrefix.tag}VirtualNetwork`;
  return [
    everything('ingress', wanted.ingress, ingress),
    ...(wanted.egress === 'deny' ? [everything('egress', 'deny', 'any')] : []),
  ].map((match) => ({
    name: named(`default-${match.direction}`, []),
    attributes: { network, match, description: '', order: { priority: lastOfAll } },
    presence: 'stated' as const,
  }));
}

const everything = (direction: RuleMatch['direction'], action: RuleMatch['action'], peer: string): RuleMatch => ({
  direction,
  action,
  protocol: 'all',
  ports: 'all',
  peers: [peer],
  targets: [],
});
