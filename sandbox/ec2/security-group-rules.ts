import { parseCidr } from '../cidr.ts';
import { refused } from './errors.ts';
import { ID, wellFormed } from './ids.ts';
import { integer, list, record, text } from './query.ts';
import type { GroupRule, Peer, SecurityGroup, Traffic } from './records.ts';
import type { Region } from './region.ts';
import { tagSet } from './tags.ts';
import { el, set, wrap } from './xml.ts';

/** Takes permissions apart into rules, in EC2's own spelling. */
export function rulesOf(
  region: Region,
  group: SecurityGroup,
  permissions: readonly Permission[],
): readonly RuleContent[] {
  return permissions.flatMap((permission) => {
    const traffic = trafficOf(permission);
    const peers = [
      ...(permission.IpRanges ?? []).map((range) => ({
        peer: cidrPeer(range.CidrIp ?? '', 'ipv4'),
        description: range.Description,
      })),
      ...(permission.Ipv6Ranges ?? []).map((range) => ({
        peer: cidrPeer(range.CidrIpv6 ?? '', 'ipv6'),
        description: range.Description,
      })),
      ...(permission.PrefixListIds ?? []).map((range) => ({
        peer: prefixPeer(range.PrefixListId ?? ''),
        description: range.Description,
      })),
      ...(permission.Groups ?? []).map((pair) => ({
        peer: groupPeer(region, group, pair),
        description: pair.Description,
      })),
    ];
    if (peers.length === 0) throw refused('MissingParameter', 'Source group ID missing.');
    return peers.map(({ peer, description }) => ({ traffic, peer, description: checkedDescription(description) }));
  });
}

const DESCRIPTION = /^[a-zA-Z0-9. _\-:/()#,@[\]+=&;{}!$*]{0,255}$/;

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpRange.html */
export function checkedDescription(description: string | undefined): string | undefined {
  if (description === undefined || description === '') return undefined;
  if (!DESCRIPTION.test(description)) {
    throw refused(
      'InvalidParameterValue',
      'Invalid rule description. Valid descriptions are strings less than 256 characters from the following set:  a-zA-Z0-9. _-:/()#,@[]+=&;{}!$*',
    );
  }
  return description;
}

export const permissionsField = {
  IpPermissions: list(
    record({
      IpProtocol: text,
      FromPort: integer,
      ToPort: integer,
      IpRanges: list(record({ CidrIp: text, Description: text })),
      Ipv6Ranges: list(record({ CidrIpv6: text, Description: text })),
      PrefixListIds: list(record({ PrefixListId: text, Description: text })),
      Groups: list(record({ GroupId: text, GroupName: text, UserId: text, VpcId: text, Description: text })),
    }),
  ),
} as const;

interface Described {
  readonly Description?: string | undefined;
}

export type Permission = Ports & Peers;

interface Ports {
  readonly IpProtocol?: string | undefined;
  readonly FromPort?: number | undefined;
  readonly ToPort?: number | undefined;
}

interface Peers {
  readonly IpRanges?: readonly (Described & { readonly CidrIp?: string | undefined })[] | undefined;
  readonly Ipv6Ranges?: readonly (Described & { readonly CidrIpv6?: string | undefined })[] | undefined;
  readonly PrefixListIds?: readonly (Described & { readonly PrefixListId?: string | undefined })[] | undefined;
  readonly Groups?:
    | readonly (Described & {
        readonly GroupId?: string | undefined;
        readonly GroupName?: string | undefined;
        readonly UserId?: string | undefined;
      })[]
    | undefined;
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpPermission.html */
const PROTOCOLS: Readonly<Record<string, string>> = { '1': 'icmp', '6': 'tcp', '17': 'udp', '58': 'icmpv6', all: '-1' };

const NAMED: ReadonlySet<string> = new Set(['tcp', 'udp', 'icmp', 'icmpv6', '-1']);

export function trafficOf({
  IpProtocol = '',
  FromPort,
  ToPort,
}: Pick<Permission, 'IpProtocol' | 'FromPort' | 'ToPort'>): Traffic {
  const lower = IpProtocol.toLowerCase();
  const protocol = PROTOCOLS[lower] ?? lower;
  if (!NAMED.has(protocol) && !(/^\d{1,3}$/.test(protocol) && Number(protocol) <= 255)) {
    throw refused('InvalidParameterValue', `Invalid value '${IpProtocol}' for IP protocol. Unknown protocol.`);
  }
  if (protocol === 'tcp' || protocol === 'udp') return portTraffic(protocol, FromPort, ToPort);
  if (protocol === 'icmp' || protocol === 'icmpv6') return icmpTraffic(protocol, FromPort, ToPort);
  return { protocol, from: undefined, to: undefined };
}

function portTraffic(protocol: string, from: number | undefined, to: number | undefined): Traffic {
  if (from === undefined || to === undefined)
    throw refused('InvalidParameterValue', 'Must specify both from and to ports with TCP/UDP.');
  for (const port of [from, to])
    if (port < 0 || port > 65535) throw refused('InvalidParameterValue', `TCP/UDP port (${port}) out of range`);
  if (from > to) throw refused('InvalidParameterValue', `Invalid TCP/UDP port range (${from}:${to})`);
  return { protocol, from, to };
}

function icmpTraffic(protocol: string, type: number | undefined, code: number | undefined): Traffic {
  if (type === undefined && code === undefined && protocol === 'icmpv6') return { protocol, from: -1, to: -1 };
  if (type === undefined || code === undefined)
    throw refused('InvalidParameterValue', 'Must specify both ICMP type and code.');
  if (type < -1 || type > 255) throw refused('InvalidParameterValue', `ICMP type (${type}) out of range`);
  if (code < -1 || code > 255 || (type === -1 && code !== -1))
    throw refused('InvalidParameterValue', `ICMP code (${code}) out of range`);
  return { protocol, from: type, to: code };
}

export function cidrPeer(value: string, family: 'ipv4' | 'ipv6'): Peer {
  const cidr = parseCidr(value, family);
  if (!cidr) throw refused('InvalidParameterValue', `CIDR block ${value} is malformed`);
  return { kind: family, cidr: cidr.text };
}

export function prefixPeer(id: string): Peer {
  if (!/^pl-[0-9a-f]{8}(?:[0-9a-f]{9})?$/.test(id))
    throw refused('InvalidPrefixListId.Malformed', `Invalid id: "${id}" (expecting "pl-...")`);
  return { kind: 'prefix-list', prefixListId: id };
}

export function groupPeer(
  region: Region,
  group: SecurityGroup,
  pair: {
    readonly GroupId?: string | undefined;
    readonly GroupName?: string | undefined;
    readonly UserId?: string | undefined;
  },
): Peer {
  const userId = pair.UserId || region.account;
  if (pair.GroupId === undefined)
    throw refused(
      'InvalidGroup.NotFound',
      `The security group '${pair.GroupName ?? ''}' does not exist in default VPC 'none'`,
    );
  const groupId = wellFormed(ID.group, pair.GroupId);
  if (userId !== region.account) return { kind: 'group', groupId, userId };
  const other = groupId === group.id ? group : region.groups.target(groupId);
  if (!other) throw ID.group.notFound([groupId]);
  if (other.vpcId !== group.vpcId)
    throw refused('InvalidGroup.NotFound', 'You have specified two resources that belong to different networks.');
  return { kind: 'group', groupId, userId };
}

/** EC2 keeps one rule for each source or destination of a permission. */
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
