import type { GroupRule, Peer, Traffic } from './records.ts';
import type { Region } from './region.ts';

/** What one rule says. EC2 keeps one rule for each source or destination of a permission. */
export interface RuleContent {
  readonly traffic: Traffic;
  readonly peer: Peer;
  readonly description: string | undefined;
}

/** Two rules with the same key are the same rule to EC2, whatever their descriptions. */
export function ruleKey({ traffic, peer }: Pick<RuleContent, 'traffic' | 'peer'>): string {
  return `${traffic.protocol}/${traffic.from ?? ''}/${traffic.to ?? ''}/${peerText(peer)}`;
}

export function peerText(peer: Peer): string {
  switch (peer.kind) {
    case 'ipv4':
    case 'ipv6':
      return peer.cidr;
    case 'prefix-list':
      return peer.prefixListId;
    case 'group':
      return `${peer.userId}/${peer.groupId}`;
  }
}

export function rulesIn(region: Region, groupId: string, egress: boolean): ReadonlyMap<string, GroupRule> {
  const rules = new Map<string, GroupRule>();
  for (const rule of region.rules.of(groupId)) if (rule.egress === egress) rules.set(ruleKey(rule), rule);
  return rules;
}
