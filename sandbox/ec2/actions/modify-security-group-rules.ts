import { type Action, dryRun, write } from '../action.ts';
import { missing, refused, required } from '../errors.ts';
import { ID, target } from '../ids.ts';
import { integer, list, record, text } from '../query.ts';
import type { Peer, SecurityGroup } from '../records.ts';
import type { Region } from '../region.ts';
import {
  checkedDescription,
  cidrPeer,
  groupPeer,
  prefixPeer,
  type RuleContent,
  ruleKey,
  rulesIn,
  trafficOf,
} from '../security-group-rules.ts';
import { el } from '../xml.ts';

interface Request {
  readonly IpProtocol?: string | undefined;
  readonly FromPort?: number | undefined;
  readonly ToPort?: number | undefined;
  readonly Description?: string | undefined;
}

interface Peers {
  readonly CidrIpv4?: string | undefined;
  readonly CidrIpv6?: string | undefined;
  readonly PrefixListId?: string | undefined;
  readonly ReferencedGroupId?: string | undefined;
}

const ruleRequest = record({
  IpProtocol: text,
  FromPort: integer,
  ToPort: integer,
  CidrIpv4: text,
  CidrIpv6: text,
  PrefixListId: text,
  ReferencedGroupId: text,
  Description: text,
});

/** Gives rules new content under their old ids; all or none. */
export const modifySecurityGroupRules: Action = write({
  name: 'ModifySecurityGroupRules',
  fields: {
    ...dryRun,
    GroupId: text,
    SecurityGroupRule: list(record({ SecurityGroupRuleId: text, SecurityGroupRule: ruleRequest })),
  },
  run: ({ region }, input) => {
    const group = target(region.groups, ID.group, input.GroupId, 'groupId');
    if (!input.SecurityGroupRule?.length) throw missing('securityGroupRules');
    const changes = input.SecurityGroupRule.map((update) => {
      const rule = target(region.rules, ID.rule, update.SecurityGroupRuleId, 'securityGroupRuleId');
      if (rule.groupId !== group.id) throw ID.rule.notFound([rule.id]);
      return {
        rule,
        next: { ...rule, ...contentOf(region, group, required(update.SecurityGroupRule, 'securityGroupRule')) },
      };
    });
    for (const egress of [false, true]) {
      const after = new Map([...rulesIn(region, group.id, egress).values()].map((rule) => [rule.id, ruleKey(rule)]));
      for (const { rule, next } of changes) if (rule.egress === egress) after.set(rule.id, ruleKey(next));
      if (new Set(after.values()).size < after.size)
        throw refused('InvalidPermission.Duplicate', 'The specified rule already exists');
    }
    for (const { next } of changes) region.rules.put(next);
    return el('return', true);
  },
});

function contentOf(region: Region, group: SecurityGroup, request: Request & Peers): RuleContent {
  return {
    traffic: trafficOf(request),
    peer: peerOf(region, group, request),
    description: checkedDescription(request.Description),
  };
}

function peerOf(
  region: Region,
  group: SecurityGroup,
  { CidrIpv4, CidrIpv6, PrefixListId, ReferencedGroupId }: Peers,
): Peer {
  const given = [CidrIpv4, CidrIpv6, PrefixListId, ReferencedGroupId].filter((value) => value !== undefined);
  if (given.length !== 1)
    throw refused(
      'InvalidParameterValue',
      'Exactly one of CidrIpv4, CidrIpv6, PrefixListId and ReferencedGroupId must be specified',
    );
  if (CidrIpv4 !== undefined) return cidrPeer(CidrIpv4, 'ipv4');
  if (CidrIpv6 !== undefined) return cidrPeer(CidrIpv6, 'ipv6');
  if (PrefixListId !== undefined) return prefixPeer(PrefixListId);
  return groupPeer(region, group, { GroupId: ReferencedGroupId });
}
