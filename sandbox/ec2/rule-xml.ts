import type { GroupRule, SecurityGroup } from './records.ts';
import type { Region } from './region.ts';
import { tagSet } from './tags.ts';
import { el, set, wrap } from './wire/xml.ts';

/** A rule as DescribeSecurityGroupRules and Authorize answer it: no ports are -1 here. */
export function ruleXml(region: Region, rule: GroupRule): string {
  return (
    el('securityGroupRuleId', rule.id) +
    el('groupId', rule.groupId) +
    el('groupOwnerId', region.account) +
    el('isEgress', rule.egress) +
    trafficXml(rule) +
    peerXml(rule) +
    el('description', rule.description) +
    tagSet(rule.tags) +
    el('securityGroupRuleArn', `arn:aws:ec2:${region.name}:${region.account}:security-group-rule/${rule.id}`)
  );
}

/** A rule as Revoke answers it: the group it names is only an id. */
export function revokedXml(rule: GroupRule): string {
  const peer = rule.peer.kind === 'group' ? el('referencedGroupId', rule.peer.groupId) : peerXml(rule);
  return (
    el('securityGroupRuleId', rule.id) +
    el('groupId', rule.groupId) +
    el('isEgress', rule.egress) +
    trafficXml(rule) +
    peer +
    el('description', rule.description)
  );
}

export function groupXml(region: Region, group: SecurityGroup, rules: readonly GroupRule[]): string {
  return (
    el('groupId', group.id) +
    el('groupName', group.name) +
    el('groupDescription', group.description) +
    el('ownerId', group.sharedBy ?? region.account) +
    el('vpcId', group.vpcId) +
    el('securityGroupArn', groupArn(region, group.id)) +
    set('ipPermissions', permissionsXml(rules.filter((rule) => !rule.egress))) +
    set('ipPermissionsEgress', permissionsXml(rules.filter((rule) => rule.egress))) +
    tagSet(group.tags)
  );
}

export function groupArn(region: Region, id: string): string {
  return `arn:aws:ec2:${region.name}:${region.account}:security-group/${id}`;
}

/** Rules of equal protocol and ports come back as one permission with several sources. */
export function permissionsXml(
  rules: readonly Pick<GroupRule, 'traffic' | 'peer' | 'description'>[],
): readonly string[] {
  const together = new Map<string, Pick<GroupRule, 'traffic' | 'peer' | 'description'>[]>();
  for (const rule of rules) {
    const key = `${rule.traffic.protocol}/${rule.traffic.from}/${rule.traffic.to}`;
    const same = together.get(key);
    if (same) same.push(rule);
    else together.set(key, [rule]);
  }
  return [...together.values()].map(permissionXml);
}

function permissionXml(rules: readonly Pick<GroupRule, 'traffic' | 'peer' | 'description'>[]): string {
  const of: Record<'group' | 'ipv4' | 'ipv6' | 'prefix-list', string[]> = {
    group: [],
    ipv4: [],
    ipv6: [],
    'prefix-list': [],
  };
  for (const { peer, description } of rules) of[peer.kind].push(rangeXml(peer) + el('description', description));
  const traffic = rules[0]?.traffic;
  return (
    el('ipProtocol', traffic?.protocol) +
    el('fromPort', traffic?.from) +
    el('toPort', traffic?.to) +
    set('groups', of.group) +
    set('ipRanges', of.ipv4) +
    set('ipv6Ranges', of.ipv6) +
    set('prefixListIds', of['prefix-list'])
  );
}

function rangeXml(peer: GroupRule['peer']): string {
  switch (peer.kind) {
    case 'ipv4':
      return el('cidrIp', peer.cidr);
    case 'ipv6':
      return el('cidrIpv6', peer.cidr);
    case 'prefix-list':
      return el('prefixListId', peer.prefixListId);
    case 'group':
      return el('userId', peer.userId) + el('groupId', peer.groupId);
  }
}

function trafficXml({ traffic }: GroupRule): string {
  return el('ipProtocol', traffic.protocol) + el('fromPort', traffic.from ?? -1) + el('toPort', traffic.to ?? -1);
}

function peerXml({ peer }: GroupRule): string {
  switch (peer.kind) {
    case 'ipv4':
      return el('cidrIpv4', peer.cidr);
    case 'ipv6':
      return el('cidrIpv6', peer.cidr);
    case 'prefix-list':
      return el('prefixListId', peer.prefixListId);
    case 'group':
      return wrap('referencedGroupInfo', el('groupId', peer.groupId) + el('userId', peer.userId));
  }
}
