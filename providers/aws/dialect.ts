import { parseCidr } from '../../src/core/cidr.ts';
import type { Atom, Dialect, NetworkDraft, Place, RuleDraft } from '../../src/core/compile/dialect.ts';
import type { Address, Ref, RuleAttributes } from '../../src/core/resource.ts';
import { nameKey } from './tags.ts';
import { canonicalPorts, canonicalProtocol } from './traffic.ts';
import { writes } from './writes.ts';

/**
 * Translates a spec into AWS's terms. It needs no SDK, so planning loads none.
 *
 * An atom is group × direction × protocol × port range × one peer, the smallest thing that
 * Authorize and Revoke can name. A security group only allows, and allows nothing inbound by itself, so `default:
 * { ingress: deny }` needs no atom.
 */
export const dialect: Dialect = {
  cloud: 'aws',
  scope,
  names: { prefix: (_kind, place) => scope(place), objectName: (_kind, name) => name.replaceAll('.', '-') },
  holds: {
    groups: 'objects',
    groupDescription: true,
    network: ['cidr', 'internet', 'settings', 'labels'],
    subnet: ['network', 'cidr', 'zone', 'internet', 'settings', 'labels'],
    fixedMarks: [],
    equalMarks: true,
    nameLabel: nameKey,
    replace: 'surge',
    oneByName: ['subnet', 'group', 'firewall-rule'],
  },
  // https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html#vpc-limits-security-groups
  writes,
  rules: {
    atoms,
    defaults,
    contentName,
    room: {
      most: 60,
      apart: ['direction', 'family'],
      quota: 'Inbound or outbound rules per security group (L-0EA8095F)',
      container: 'a security group',
    },
  },
};

function scope({ account, region }: Place): string {
  return `aws/${account}/${region}`;
}

function atoms({ network, group, base, traffic, extra }: RuleDraft): readonly Atom[] {
  if (base.action === 'deny')
    throw new RangeError('an AWS security group cannot deny; leave the rule out of this target');
  if (group === '' || group.startsWith('service-account:') || parseCidr(group) !== undefined)
    throw new RangeError(`an AWS rule applies to a security group, so not to ${group || 'the whole network'}`);
  const protocol = canonicalProtocol(base.protocol);
  const portTexts = new Set(traffic.ports.map((text) => canonicalPorts(protocol, text)));
  return [...new Set(traffic.peers.flatMap(spelled))].flatMap((peer) =>
    [...portTexts].map((text) => {
      const match = { direction: base.direction, action: base.action, protocol, ports: text, peers: [peer] };
      return { name: '', attributes: { network, group, match, description: extra.description } };
    }),
  );
}

/** `any` is both families here; a group has no atom for both at once. */
function spelled(peer: string): readonly string[] {
  if (peer.startsWith('service-tag:')) throw new RangeError(`AWS knows no service tags, so not ${peer}`);
  return peer === 'any' ? [everyV4, everyV6] : [peer];
}

/**
 *   default.egress | atom of every group        | presence
 *   ---------------+----------------------------+----------
 *   allow          | all to 0.0.0.0/0           | implied: a new group has it,
 *                  |                            | https://docs.aws.amazon.com/vpc/latest/userguide/vpc-security-groups.html
 *   allow          | all to ::/0                | tolerated: a new group of a VPC with IPv6 has it
 *   deny           | none: it is revoked        |
 */
function defaults({ network, groups, default: wanted }: NetworkDraft): ReturnType<Dialect['rules']['defaults']> {
  const ingress = wanted.ingress === 'allow' ? [everyV4, everyV6].map((peer) => everything('ingress', peer)) : [];
  const egress = wanted.egress === 'allow' ? [everyV4, everyV6].map((peer) => everything('egress', peer)) : [];
  return groups.flatMap((group) => [
    ...ingress.map((match) => ({
      ...nameless({ network, group, match, description: '' }),
      presence: 'stated' as const,
    })),
    ...egress.map((match) => ({
      ...nameless({ network, group, match, description: '' }),
      presence: match.peers[0] === everyV4 ? ('implied' as const) : ('tolerated' as const),
    })),
  ]);
}

const nameless = (attributes: RuleAttributes): Atom => ({ name: '', attributes });

function everything(direction: 'ingress' | 'egress', peer: string): RuleAttributes['match'] {
  return { direction, action: 'allow', protocol: 'all', ports: 'all', peers: [peer] };
}

/** `web.ingress.tcp.443.10.0.0.0/8`, `web.ingress.tcp.5432.group:app`. */
function contentName({ group, match }: RuleAttributes, refName: (ref: Ref) => string): string {
  const peers = match.peers.map((peer) =>
    peer.startsWith(groupPrefix) ? groupPrefix + refName(peer.slice(groupPrefix.length)) : peer,
  );
  return [nameOf(group, refName), match.direction, match.protocol, match.ports, ...peers].join('.');
}

const nameOf = (group: Address | undefined, refName: (ref: Ref) => string): string =>
  group === undefined ? 'all' : refName(group);

const groupPrefix = 'group:';
const everyV4 = '0.0.0.0/0';
const everyV6 = '::/0';
