import type { SecurityRule } from '@azure/arm-network';
import { formatCidr, parseBlock } from '../../src/core/cidr.ts';
import type { Result } from '../../src/core/failure.ts';
import type { CloudId, RuleAttributes, RuleMatch } from '../../src/core/resource.ts';
import { failed } from '../shared/answer.ts';
import { armIdOf, canonicalId } from './ids.ts';
import { canonicalPorts, canonicalProtocol, protocolTexts, withPorts } from './traffic.ts';

/**
 * Security rules as Azure spells them, and the one spelling that we compare. A side of a rule comes as one prefix, as a
 * list, or as application security groups; a set of ports as one text or as a list. All of them mean the same together.
 * https://learn.microsoft.com/rest/api/virtualnetwork/security-rules/create-or-update
 */

/** A rule as the cloud reports it, in any spelling. `groupId`: the id that we have for an application security group. */
export function readMatch(rule: SecurityRule, groupId: (armId: string) => CloudId): RuleMatch {
  const inbound = rule.direction?.toLowerCase() !== 'outbound';
  const [own, other] = inbound
    ? [destinationOf(rule, groupId), sourceOf(rule, groupId)]
    : [sourceOf(rule, groupId), destinationOf(rule, groupId)];
  const protocol = canonicalProtocol(rule.protocol ?? '*');
  return {
    direction: inbound ? 'ingress' : 'egress',
    action: rule.access?.toLowerCase() === 'deny' ? 'deny' : 'allow',
    protocol,
    ports: portsOf(protocol, rule),
    peers: sorted([...other.groups.map((id) => groupPeer + id), ...other.blocks]),
    targets: sorted([...own.groups, ...own.blocks.filter((block) => block !== anyone)]),
  };
}

/** The sent form of a rule: the `properties` of its JSON. An empty description is sent as none. */
export function writeRule({ match, description, order }: RuleAttributes): object {
  const { direction, action, protocol, ports, peers, targets = [] } = match;
  const [source, destination] = direction === 'ingress' ? [peers, targets] : [targets, peers];
  return {
    ...(description === '' ? {} : { description }),
    protocol: protocolTexts[protocol] ?? protocol,
    ...oneOrMany('sourcePortRange', ['*']),
    ...oneOrMany('destinationPortRange', ports === 'all' ? ['*'] : ports.split(',')),
    ...sideText('source', source),
    ...sideText('destination', destination),
    access: action === 'allow' ? 'Allow' : 'Deny',
    priority: order?.priority,
    direction: direction === 'ingress' ? 'Inbound' : 'Outbound',
  };
}

/** True if the properties of two rules are equal, in any spelling. */
export function sameRule(a: object | undefined, b: object | undefined): boolean {
  const text = (properties: object | undefined): string => {
    // why: what ARM wrote or we; every property is read as optional
    const rule = (properties ?? {}) as SecurityRule;
    return JSON.stringify([readMatch(rule, canonicalId), rule.priority, rule.description ?? '']);
  };
  return text(a) === text(b);
}

/**
 * The failure of a write where a colleague changed the rule between the listing that its plan rests on, which showed `listed`, and the
 * GET made for the write, which showed `properties`. A change of the text alone is none.
 */
export function changedMeanwhile(
  { name, listed }: { readonly name: string; readonly listed?: RuleAttributes },
  { properties }: { readonly properties?: object },
): Result<void> | undefined {
  if (listed === undefined || matchesListed(properties, listed)) return undefined;
  const message = `rule ${name} changed since it was listed; Setpoint plans it again from its current state`;
  return failed('conflict', 'ChangedMeanwhile', message);
}

/** Compares a rule with its attributes from a listing: true where both let through the same traffic, in the same place. */
function matchesListed(properties: object | undefined, { match, order }: RuleAttributes): boolean {
  // why: what ARM wrote; every property is read as optional
  const rule = (properties ?? {}) as SecurityRule;
  const text = ({ direction, action, protocol, ports, peers, targets = [] }: RuleMatch, priority?: number): string =>
    JSON.stringify([direction, action, protocol, ports, withoutGuids(peers), withoutGuids(targets), priority]);
  return text(readMatch(rule, canonicalId), rule.priority) === text(match, order?.priority);
}

const withoutGuids = (items: readonly string[]): readonly string[] =>
  sorted(items.map((item) => (item.includes('/providers/') ? armIdOf(item) : item)));

const anyone = 'any';
export const peerPrefix = { group: 'group:', tag: 'service-tag:' } as const;
const { group: groupPeer, tag: tagPeer } = peerPrefix;

/** We have no word for source ports, so a rule that names some says so in its ports and differs from all of ours. */
function portsOf(protocol: string, rule: SecurityRule): string {
  if (!withPorts.has(protocol)) return 'all';
  const source = canonicalPorts(given(rule.sourcePortRange, rule.sourcePortRanges));
  const ports = canonicalPorts(given(rule.destinationPortRange, rule.destinationPortRanges));
  return source === 'all' ? ports : `${ports} from ${source}`;
}

interface Side {
  /** Addresses, service tags, or anyone. */
  readonly blocks: readonly string[];
  readonly groups: readonly CloudId[];
}

const sourceOf = (rule: SecurityRule, groupId: (armId: string) => CloudId): Side => ({
  blocks: given(rule.sourceAddressPrefix, rule.sourceAddressPrefixes).map(readBlock),
  groups: (rule.sourceApplicationSecurityGroups ?? []).map(({ id = '' }) => groupId(id)),
});

const destinationOf = (rule: SecurityRule, groupId: (armId: string) => CloudId): Side => ({
  blocks: given(rule.destinationAddressPrefix, rule.destinationAddressPrefixes).map(readBlock),
  groups: (rule.destinationApplicationSecurityGroups ?? []).map(({ id = '' }) => groupId(id)),
});

/** Of the two fields that Azure has for one thing, the other comes absent, empty or null. */
const given = (one: string | undefined, many: readonly string[] | undefined): readonly string[] =>
  [one, ...(many ?? [])].filter((text): text is string => typeof text === 'string' && text !== '');

/** `*` also covers IPv6, so it is not 0.0.0.0/0. A bare address is the block of one; what is no address is a service tag. */
function readBlock(text: string): string {
  if (text === '*') return anyone;
  const block = parseBlock(text);
  return block ? formatCidr(block) : tagPeer + text;
}

type SideName = 'source' | 'destination';

function sideText(side: SideName, items: readonly string[]): object {
  const groups = items.flatMap((item) => {
    const ref = item.startsWith(groupPeer) ? item.slice(groupPeer.length) : item;
    return ref.startsWith('/') ? [{ id: armIdOf(ref) }] : [];
  });
  if (groups.length > 0) return { [`${side}ApplicationSecurityGroups`]: groups };
  const blocks = items.map((item) => {
    if (item === anyone) return '*';
    return item.startsWith(tagPeer) ? item.slice(tagPeer.length) : item;
  });
  return oneOrMany(`${side}AddressPrefix`, blocks.length === 0 ? ['*'] : blocks);
}

/** `sourceAddressPrefix` or `sourceAddressPrefixes`, `destinationPortRange` or `destinationPortRanges`. */
function oneOrMany(name: string, texts: readonly string[]): object {
  const plural = name.endsWith('x') ? `${name}es` : `${name}s`;
  return texts.length === 1 ? { [name]: texts[0] } : { [plural]: texts };
}

const sorted = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort();
