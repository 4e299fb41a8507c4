import type { FirewallRuleDoc } from './document.ts';

/**
 * How many atoms a rule may become. More than any cloud holds in one place (AWS: 1000 a group,
 * https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html; Azure: 1000 an NSG, with 4000 prefixes).
 */
export const MOST_ATOMS = 4000;

/** Each port range with each peer: a short document can mean millions. */
export function atomCount({ spec }: FirewallRuleDoc): number {
  const { cidrs, groups, prefixLists, serviceTags } = spec.peers;
  const peers = cidrs.length + groups.length + prefixLists.length + serviceTags.length;
  return (spec.ports?.length ?? 1) * Math.max(peers, 1);
}
