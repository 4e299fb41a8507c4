import { type Action, dryRun, read, write } from '../action.ts';
import { missing, refused, required } from '../errors.ts';
import { ID, target } from '../ids.ts';
import { describe, type Listing, listFields } from '../listing.ts';
import { integer, list, record, text } from '../query.ts';
import type { GroupRule, SecurityGroup } from '../records.ts';
import { freshId, type Region } from '../region.ts';
import {
  type Permission,
  peerText,
  permissionsField,
  permissionsXml,
  type RuleContent,
  revokedXml,
  ruleKey,
  rulesIn,
  rulesOf,
  ruleXml,
} from '../security-group-rules.ts';
import { own } from '../sharing.ts';
import { specifiedTags, tagField } from '../tags.ts';
import { el, set } from '../xml.ts';

const groupFields = { ...dryRun, ...permissionsField, GroupId: text } as const;

/** The old form of one rule in flat parameters. */
const flatFields = { IpProtocol: text, FromPort: integer, ToPort: integer, CidrIp: text } as const;

export const securityGroupRuleActions: readonly Action[] = [
  read({
    name: 'DescribeSecurityGroupRules',
    fields: { ...listFields, ...dryRun, SecurityGroupRuleId: list(text) },
    run: (context, input) => describe(context, input, input.SecurityGroupRuleId, ruleListing(context.region)),
  }),
  ...[false, true].flatMap((egress) => {
    const side = egress ? 'Egress' : 'Ingress';
    return [
      authorize(`AuthorizeSecurityGroup${side}`, egress),
      revoke(`RevokeSecurityGroup${side}`, egress),
      redescribe(`UpdateSecurityGroupRuleDescriptions${side}`, egress),
    ];
  }),
];

function authorize(name: string, egress: boolean): Action {
  return write({
    name,
    fields: { ...groupFields, ...flatFields, ...tagField },
    run: ({ region }, input) => {
      const group = own(target(region.groups, ID.group, input.GroupId, 'groupId'));
      const contents = rulesOf(region, group, permissionsIn(input));
      const tags = specifiedTags(input.TagSpecification, 'security-group-rule');
      refuseDuplicates(region, group, egress, contents);
      refuseTooMany(region, group, egress, contents);
      const rules = contents.map((content) =>
        region.rules.put({ id: freshId(region, 'sgr'), tags, groupId: group.id, egress, ...content }),
      );
      return (
        el('return', true) +
        set(
          'securityGroupRuleSet',
          rules.map((rule) => ruleXml(region, rule)),
        )
      );
    },
  });
}

function revoke(name: string, egress: boolean): Action {
  return write({
    name,
    fields: { ...groupFields, ...flatFields, SecurityGroupRuleId: list(text) },
    run: ({ region }, input) => {
      const group = own(target(region.groups, ID.group, input.GroupId, 'groupId'));
      const byId = input.SecurityGroupRuleId ?? [];
      if (byId.length > 0 && input.IpPermissions?.length) {
        throw refused(
          'InvalidParameterCombination',
          'The parameter securityGroupRuleIds cannot be used with the parameter ipPermissions',
        );
      }
      const { found, unknown } =
        byId.length > 0
          ? { found: namedRules(region, group, byId, egress), unknown: [] }
          : matching(region, group, egress, permissionsIn(input));
      if (unknown.length > 0 && !region.vpcs.get(group.vpcId)?.isDefault) throw noSuchRule();
      for (const rule of found) region.rules.remove(rule.id);
      return (
        el('return', true) +
        set('unknownIpPermissionSet', permissionsXml(unknown)) +
        set('revokedSecurityGroupRuleSet', found.map(revokedXml))
      );
    },
  });
}

function redescribe(name: string, egress: boolean): Action {
  return write({
    name,
    fields: {
      ...groupFields,
      SecurityGroupRuleDescription: list(record({ SecurityGroupRuleId: text, Description: text })),
    },
    run: ({ region }, input) => {
      const group = own(target(region.groups, ID.group, input.GroupId, 'groupId'));
      const byId = input.SecurityGroupRuleDescription ?? [];
      if (byId.length > 0) {
        const rules = namedRules(
          region,
          group,
          byId.map((each) => required(each.SecurityGroupRuleId, 'SecurityGroupRuleId')),
          egress,
        );
        rules.forEach((rule, i) => {
          region.rules.put({ ...rule, description: byId[i]?.Description || undefined });
        });
        return el('return', true);
      }
      const contents = rulesOf(region, group, permissionsIn(input));
      const existing = rulesIn(region, group.id, egress);
      if (contents.some((content) => !existing.has(ruleKey(content)))) throw noSuchRule();
      for (const content of contents) {
        const rule = existing.get(ruleKey(content));
        if (rule) region.rules.put({ ...rule, description: content.description });
      }
      return el('return', true);
    },
  });
}

interface Permissions {
  readonly IpPermissions?: readonly Permission[] | undefined;
  readonly IpProtocol?: string | undefined;
  readonly FromPort?: number | undefined;
  readonly ToPort?: number | undefined;
  readonly CidrIp?: string | undefined;
}

function permissionsIn({ IpPermissions, IpProtocol, FromPort, ToPort, CidrIp }: Permissions): readonly Permission[] {
  if (IpPermissions?.length) return IpPermissions;
  if (IpProtocol === undefined) throw missing('ipPermissions');
  return [{ IpProtocol, FromPort, ToPort, IpRanges: [{ CidrIp }] }];
}

function refuseDuplicates(
  region: Region,
  group: SecurityGroup,
  egress: boolean,
  contents: readonly RuleContent[],
): void {
  const existing = rulesIn(region, group.id, egress);
  const asked = new Set<string>();
  for (const content of contents) {
    const key = ruleKey(content);
    if (asked.has(key)) throw refused('InvalidParameterValue', 'The same permission must not appear multiple times');
    asked.add(key);
    if (existing.has(key))
      throw refused('InvalidPermission.Duplicate', `the specified rule "${sentence(content)}" already exists`);
  }
}

function sentence({ traffic, peer }: RuleContent): string {
  const from = peer.kind === 'group' ? peer.groupId : peerText(peer);
  const protocol = traffic.protocol === '-1' ? 'ALL' : traffic.protocol.toUpperCase();
  const ports = traffic.from === undefined ? '' : `, from port: ${traffic.from}, to port: ${traffic.to}`;
  return `peer: ${from}, ${protocol}${ports}, ALLOW`;
}

function refuseTooMany(region: Region, group: SecurityGroup, egress: boolean, contents: readonly RuleContent[]): void {
  const all = [...rulesIn(region, group.id, egress).values(), ...contents];
  for (const family of ['ipv4', 'ipv6']) {
    const other = family === 'ipv4' ? 'ipv6' : 'ipv4';
    if (all.filter((rule) => rule.peer.kind !== other).length > region.quotas.rulesPerGroup) {
      throw refused(
        'RulesPerSecurityGroupLimitExceeded',
        'The maximum number of rules per security group has been reached.',
      );
    }
  }
}

function matching(
  region: Region,
  group: SecurityGroup,
  egress: boolean,
  permissions: readonly Permission[],
): { readonly found: readonly GroupRule[]; readonly unknown: readonly RuleContent[] } {
  const existing = rulesIn(region, group.id, egress);
  const found = new Map<string, GroupRule>();
  const unknown: RuleContent[] = [];
  for (const content of rulesOf(region, group, permissions)) {
    const rule = existing.get(ruleKey(content));
    if (rule) found.set(rule.id, rule);
    else unknown.push(content);
  }
  return { found: [...found.values()], unknown };
}

function namedRules(
  region: Region,
  group: SecurityGroup,
  ids: readonly string[],
  egress: boolean,
): readonly GroupRule[] {
  return ids.map((id) => {
    const rule = target(region.rules, ID.rule, id, 'securityGroupRuleId');
    if (rule.groupId !== group.id || rule.egress !== egress) throw ID.rule.notFound([id]);
    return rule;
  });
}

function noSuchRule(): Error {
  return refused('InvalidPermission.NotFound', 'The specified rule does not exist in this security group.');
}

function ruleListing(region: Region): Listing<GroupRule> {
  return {
    set: 'securityGroupRuleSet',
    table: region.rules,
    rules: { ids: ID.rule, max: 1000 },
    filters: { 'group-id': (rule) => [rule.groupId], 'security-group-rule-id': (rule) => [rule.id] },
    render: (rule) => ruleXml(region, rule),
  };
}
