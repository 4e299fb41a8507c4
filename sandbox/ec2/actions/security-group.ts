import { type Action, dryRun, read, write } from '../action.ts';
import { refused, required } from '../errors.ts';
import { ID, target } from '../ids.ts';
import { describe, type FilterTable, type Listing, listFields } from '../listing.ts';
import { list, text } from '../query.ts';
import type { GroupRule, SecurityGroup } from '../records.ts';
import { freshId, type Region } from '../region.ts';
import { groupArn, groupXml } from '../security-group-rules.ts';
import { own } from '../sharing.ts';
import { specifiedTags, tagField, tagSet } from '../tags.ts';
import { allowAllEgress } from '../vpc.ts';
import { el } from '../xml.ts';

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html */
const NAME = /^[a-zA-Z0-9 ._\-:/()#,@[\]+=&;{}!$*]{1,255}$/;

export const securityGroupActions: readonly Action[] = [
  read({
    name: 'DescribeSecurityGroups',
    fields: { ...listFields, ...dryRun, GroupId: list(text), GroupName: list(text) },
    run: (context, input) => {
      const named = (input.GroupName ?? []).map((name) => groupInDefaultVpc(context.region, name));
      const ids = input.GroupId || input.GroupName ? [...(input.GroupId ?? []), ...named] : undefined;
      return describe(context, input, ids, groupListing(context.region));
    },
  }),
  write({
    name: 'CreateSecurityGroup',
    fields: { ...tagField, ...dryRun, GroupName: text, GroupDescription: text, VpcId: text },
    run: ({ region }, input) => {
      const name = checkedName(required(input.GroupName, 'GroupName'));
      const description = required(input.GroupDescription, 'GroupDescription');
      if (!NAME.test(description))
        throw refused(
          'InvalidParameterValue',
          `Invalid security group description. Valid descriptions are strings less than 256 characters from the following set:  a-zA-Z0-9. _-:/()#,@[]+=&;{}!$*`,
        );
      const vpc = target(region.vpcs, ID.vpc, input.VpcId ?? defaultVpc(region), 'vpcId');
      const tags = specifiedTags(input.TagSpecification, 'security-group');
      for (const other of region.groups.of(vpc.id)) {
        // why: "Names are case-insensitive": https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html
        if (other.name.toLowerCase() === name.toLowerCase())
          throw refused('InvalidGroup.Duplicate', `The security group '${name}' already exists for VPC '${vpc.id}'`);
      }
      if (region.groups.size >= region.quotas.groups) {
        throw refused('SecurityGroupLimitExceeded', 'The maximum number of security groups has been reached.');
      }
      const group = region.groups.put({ id: freshId(region, 'sg'), tags, name, description, vpcId: vpc.id });
      allowAllEgress(region, group.id, vpc);
      return (
        el('return', true) + el('groupId', group.id) + tagSet(tags) + el('securityGroupArn', groupArn(region, group.id))
      );
    },
  }),
  write({
    name: 'DeleteSecurityGroup',
    fields: { ...dryRun, GroupId: text, GroupName: text },
    run: ({ region }, input) => {
      const id =
        input.GroupId ?? (input.GroupName === undefined ? undefined : groupInDefaultVpc(region, input.GroupName));
      const group = own(target(region.groups, ID.group, id, 'GroupId'));
      if (group.name === 'default')
        throw refused('CannotDelete', `the specified group: "${group.id}" name: "default" cannot be deleted by a user`);
      if (inUse(region, group)) throw refused('DependencyViolation', `resource ${group.id} has a dependent object`);
      for (const rule of region.rules.of(group.id)) region.rules.remove(rule.id);
      region.groups.remove(group.id);
      return el('return', true) + el('groupId', group.id);
    },
  }),
];

function inUse(region: Region, group: SecurityGroup): boolean {
  for (const eni of region.interfaces.values()) if (eni.groups.includes(group.id)) return true;
  for (const rule of region.rules.values()) {
    if (rule.groupId !== group.id && rule.peer.kind === 'group' && rule.peer.groupId === group.id) return true;
  }
  return false;
}

function checkedName(name: string): string {
  if (name.startsWith('sg-'))
    throw refused(
      'InvalidParameterValue',
      `invalid value for parameter groupName: ${name}. Group names may not be in the format sg-*`,
    );
  if (!NAME.test(name))
    throw refused(
      'InvalidParameterValue',
      `Invalid security group name. Valid names are strings less than 256 characters from the following set:  a-zA-Z0-9. _-:/()#,@[]+=&;{}!$*`,
    );
  if (name.toLowerCase() === 'default')
    throw refused('InvalidParameterValue', `Cannot use reserved security group name: default`);
  return name;
}

function defaultVpc(region: Region): string {
  for (const vpc of region.vpcs.values()) if (vpc.isDefault) return vpc.id;
  throw refused('VPCIdNotSpecified', 'No default VPC for this user');
}

function groupInDefaultVpc(region: Region, name: string): string {
  for (const group of region.groups.values()) {
    if (group.name === name && region.vpcs.get(group.vpcId)?.isDefault) return group.id;
  }
  throw refused('InvalidGroup.NotFound', `The security group '${name}' does not exist`);
}

function groupListing(region: Region): Listing<SecurityGroup> {
  return {
    set: 'securityGroupInfo',
    table: region.groups,
    rules: { ids: ID.group, max: 1000 },
    filters: {
      'group-id': (group) => [group.id],
      'group-name': (group) => [group.name],
      description: (group) => [group.description],
      'owner-id': ({ sharedBy = region.account }) => [sharedBy],
      'vpc-id': (group) => [group.vpcId],
      ...ruleFilters(region, 'ip-permission', false),
      ...ruleFilters(region, 'egress.ip-permission', true),
    },
    render: (group) => groupXml(region, group, [...region.rules.seenOf(group.id)]),
  };
}

function ruleFilters(region: Region, prefix: string, egress: boolean): FilterTable<SecurityGroup> {
  const each =
    (read: (rule: GroupRule) => string | undefined) =>
    (group: SecurityGroup): readonly (string | undefined)[] =>
      [...region.rules.of(group.id)].filter((rule) => rule.egress === egress).map(read);
  return {
    [`${prefix}.protocol`]: each((rule) => rule.traffic.protocol),
    [`${prefix}.from-port`]: each((rule) => rule.traffic.from?.toString()),
    [`${prefix}.to-port`]: each((rule) => rule.traffic.to?.toString()),
    [`${prefix}.cidr`]: each((rule) => (rule.peer.kind === 'ipv4' ? rule.peer.cidr : undefined)),
    [`${prefix}.ipv6-cidr`]: each((rule) => (rule.peer.kind === 'ipv6' ? rule.peer.cidr : undefined)),
    [`${prefix}.group-id`]: each((rule) => (rule.peer.kind === 'group' ? rule.peer.groupId : undefined)),
    [`${prefix}.user-id`]: each((rule) => (rule.peer.kind === 'group' ? rule.peer.userId : undefined)),
    [`${prefix}.prefix-list-id`]: each((rule) =>
      rule.peer.kind === 'prefix-list' ? rule.peer.prefixListId : undefined,
    ),
  };
}
