import type { Atom, Dialect, NetworkDraft, Place, RuleDraft } from '../../src/core/compile/dialect.ts';
import type { RuleAttributes } from '../../src/core/resource.ts';

/** This cloud speaks as AWS does: groups are containers, an atom has one range of ports and one peer, and nothing is denied. */
export const dialect: Dialect = {
  cloud: 'memory',
  scope: ({ account, region }) => `memory/${account}/${region}`,
  names: {
    prefix: (_kind, { account, region }: Place) => `memory/${account}/${region}`,
    objectName: (_kind, name) => name.replaceAll('.', '-'),
  },
  holds: {
    groups: 'objects',
    network: ['cidr', 'internet', 'labels'],
    subnet: ['network', 'cidr', 'zone', 'internet', 'labels'],
    fixedMarks: [],
    equalMarks: true,
    replace: 'surge',
    oneByName: ['subnet', 'group', 'firewall-rule'],
  },
  rules: {
    atoms,
    defaults,
    room: { most: 60, apart: ['direction'], quota: 'rulesPerGroup', container: 'a group' },
    contentName: ({ group, network, match }, refName) => {
      const peers = match.peers.map((peer) =>
        peer.startsWith(groupPeer) ? `group:${refName(peer.slice(groupPeer.length))}` : peer,
      );
      return [refName(group ?? network), match.direction, match.protocol, match.ports, ...peers].join('_');
    },
  },
};

const groupPeer = 'group:';

function atoms({ network, group, base, traffic, extra }: RuleDraft): readonly Atom[] {
  const { description } = extra;
  return traffic.peers
    .flatMap((peer) => spelled(peer, base.protocol))
    .flatMap((peer) =>
      traffic.ports.map((range) => {
        const match = { ...base, ports: range, peers: [peer] };
        return { name: '', attributes: { network, group, match, description } };
      }),
    );
}

/** Anyone is both families here; each ICMP belongs to one of them. */
function spelled(peer: string, protocol: string): readonly string[] {
  if (peer !== 'any') return [peer];
  if (protocol === 'icmp') return ['0.0.0.0/0'];
  return protocol === 'icmpv6' ? ['::/0'] : ['0.0.0.0/0', '::/0'];
}

/** Every group is born with everything out, and nothing in. */
function defaults({ network, groups, default: wanted }: NetworkDraft): ReturnType<Dialect['rules']['defaults']> {
  return groups.flatMap((group) => [
    ...(wanted.ingress === 'allow'
      ? ['0.0.0.0/0', '::/0'].map((peer) => ({
          name: '',
          attributes: all(network, group, ['ingress', peer]),
          presence: 'stated' as const,
        }))
      : []),
    ...(wanted.egress === 'allow'
      ? [{ name: '', attributes: all(network, group, ['egress', '0.0.0.0/0']), presence: 'implied' as const }]
      : []),
  ]);
}

const all = (
  network: string,
  group: string,
  [direction, peer]: readonly ['ingress' | 'egress', string],
): RuleAttributes => ({
  network,
  group,
  match: { direction, action: 'allow', protocol: 'all', ports: 'all', peers: [peer] },
  description: '',
});
