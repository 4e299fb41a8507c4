import type { Ref, RuleAttributes, RuleMatch } from '../resource.ts';
import { isAccount, isByAddress, isTag, type KindRules, mapGroups } from './rules.ts';

const groupPeer = 'group:';

export const firewallRule: KindRules<'firewall-rule'> = {
  tier: 3,
  deletionPolicy: 'delete',
  effects: {
    network: 'unseen',
    group: 'in-place',
    match: 'in-place',
    description: 'in-place',
    order: 'in-place',
    mark: 'in-place',
  },
  // why: a cloud may write a rule whole
  categories: {
    network: 'traffic',
    group: 'traffic',
    match: 'traffic',
    description: 'traffic',
    order: 'traffic',
    mark: 'ours',
  },
  removable: [],
  mapRefs: (attributes, to) => ({
    ...attributes,
    // why: an adopted rule may lie in no network
    network: attributes.network === '' ? '' : to(attributes.network),
    ...(attributes.group === undefined ? {} : { group: to(attributes.group) }),
    match: mapMatch(attributes.match, to),
  }),
  clash: () => false,
};

/** The groups a rule names: those it applies to and its peers. A tag or a service account is a name, and stands for itself. */
export const groupsNamed = ({ group, match }: RuleAttributes): readonly Ref[] => [
  ...(group === undefined ? [] : [group]),
  ...(match.targets ?? []).filter((target) => isAccount(target) || !isByAddress(target)),
  ...match.peers.flatMap((peer) => {
    if (peer.startsWith(groupPeer)) return [peer.slice(groupPeer.length)];
    return isTag(peer) || isAccount(peer) ? [peer] : [];
  }),
];

function mapMatch(match: RuleMatch, to: (ref: Ref) => Ref): RuleMatch {
  const peers = mapPeers(match.peers, to);
  return match.targets === undefined ? { ...match, peers } : { ...match, peers, targets: mapGroups(match.targets, to) };
}

function mapPeers(peers: readonly string[], to: (ref: Ref) => Ref): readonly string[] {
  if (!peers.some((peer) => peer.startsWith(groupPeer))) return peers;
  return peers.map((peer) => (peer.startsWith(groupPeer) ? groupPeer + to(peer.slice(groupPeer.length)) : peer)).sort();
}
