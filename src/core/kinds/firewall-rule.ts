import type { RuleAttributes } from '../attributes.ts';
import type { Ref } from '../resource.ts';
import type { KindRules } from './rules.ts';

const groupPeer = 'group:';

export const firewallRule: KindRules<'firewall-rule'> = {
  tier: 3,
  deletionPolicy: 'delete',
  effects: {
    network: 'unseen',
    group: 'replace',
    match: 'replace',
    description: 'in-place',
    order: 'in-place',
    mark: 'in-place',
  },
  removable: [],
  mapRefs: (attributes, to) => ({
    ...attributes,
    network: to(attributes.network),
    ...(attributes.group === undefined ? {} : { group: to(attributes.group) }),
    match: { ...attributes.match, peers: mapPeers(attributes.match.peers, to) },
  }),
  clash: () => false,
};

/** The groups a rule names: the one it applies to and its peers. */
export const groupsNamed = ({ group, match }: RuleAttributes): readonly Ref[] => [
  ...(group === undefined ? [] : [group]),
  ...match.peers.filter((peer) => peer.startsWith(groupPeer)).map((peer) => peer.slice(groupPeer.length)),
];

function mapPeers(peers: readonly string[], to: (ref: Ref) => Ref): readonly string[] {
  if (!peers.some((peer) => peer.startsWith(groupPeer))) return peers;
  return peers.map((peer) => (peer.startsWith(groupPeer) ? groupPeer + to(peer.slice(groupPeer.length)) : peer)).sort();
}
