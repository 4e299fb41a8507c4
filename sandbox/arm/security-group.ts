import { refused } from './errors.ts';
import type { Kind } from './kind.ts';
import type { Asked } from './method.ts';
import type { NetworkSecurityGroup, SecurityRule } from './records.ts';
import { checkReference, filteredBy, membersOf } from './references.ts';
import { checkedName, childPath, keyOf, nameOf, parentPath } from './resource-id.ts';
import {
  checkedDescription,
  checkedTraffic,
  checkSide,
  defaultRules,
  type RuleForm,
  refuseConflicts,
  ruleBody,
} from './security-rule.ts';
import { tagsBody } from './tags.ts';

export const securityGroupKind: Kind<NetworkSecurityGroup> = {
  table: ({ subscription }) => subscription.securityGroups,
  type: 'Microsoft.Network/networkSecurityGroups',
  renderer:
    ({ subscription }) =>
    (group) => {
      const { subnets, interfaces } = filteredBy(subscription, group.id);
      return {
        name: nameOf(group.path),
        id: group.path,
        etag: group.version.etag,
        type: securityGroupKind.type,
        location: group.location,
        ...tagsBody(group.tags),
        properties: {
          provisioningState: group.version.state,
          resourceGuid: group.guid,
          ...group.kept,
          securityRules: group.rules.map((rule) => ruleBody(group, rule)),
          defaultSecurityRules: defaultRules(group).map((rule) => ruleBody(group, rule, 'defaultSecurityRules')),
          ...referrers('networkInterfaces', interfaces),
          ...referrers('subnets', subnets),
        },
      };
    },
};

function referrers(name: string, paths: readonly string[]): object {
  return paths.length > 0 ? { [name]: paths.map((id) => ({ id })) } : {};
}

type Group = Pick<NetworkSecurityGroup, 'path' | 'location' | 'rules'>;

/** One rule of a security group, checked by itself. It keeps the case of a rule of the same name. */
export function readRule({ subscription }: Asked, group: Group, name: string, form: RuleForm): SecurityRule {
  const path = childPath(group, 'securityRules', checkedName(name));
  const { properties } = form;
  const rule: SecurityRule = {
    id: keyOf(path),
    path: group.rules.find(({ id }) => id === keyOf(path))?.path ?? path,
    description: checkedDescription(properties.description),
    traffic: checkedTraffic(properties),
    source: {
      prefix: properties.sourceAddressPrefix,
      prefixes: properties.sourceAddressPrefixes ?? [],
      portRange: properties.sourcePortRange,
      portRanges: properties.sourcePortRanges ?? [],
      groups: properties.sourceApplicationSecurityGroups ?? [],
    },
    destination: {
      prefix: properties.destinationAddressPrefix,
      prefixes: properties.destinationAddressPrefixes ?? [],
      portRange: properties.destinationPortRange,
      portRanges: properties.destinationPortRanges ?? [],
      groups: properties.destinationApplicationSecurityGroups ?? [],
    },
  };
  const { rules: quotas } = subscription.quotas;
  checkSide(rule.source, { path, side: 'Source', quotas });
  checkSide(rule.destination, { path, side: 'Destination', quotas });
  for (const to of groupsOf(rule)) checkReference(subscription, { from: path, to, location: group.location });
  return rule;
}

/** All rules of a security group together. */
export function checkRules(asked: Asked, group: Pick<Group, 'path'>, rules: readonly SecurityRule[]): void {
  const { rules: quotas } = asked.subscription.quotas;
  refuseConflicts(rules);
  if (rules.length > quotas.perSecurityGroup) throw tooMany(group.path, 'security rules', quotas.perSecurityGroup);
  const groups = new Set(rules.flatMap((rule) => groupsOf(rule).map(keyOf)));
  if (groups.size > quotas.applicationGroups)
    throw tooMany(group.path, 'application security groups', quotas.applicationGroups);
  if (groups.size > 0) refuseManyNetworks(asked, rules);
}

/** https://learn.microsoft.com/azure/virtual-network/application-security-groups#allow-database-businesslogic */
function refuseManyNetworks({ subscription }: Asked, rules: readonly SecurityRule[]): void {
  for (const rule of rules) {
    const configurations = groupsOf(rule).flatMap((path) => membersOf(subscription, keyOf(path)));
    const networks = new Set(
      configurations.flatMap((path) => {
        const nic = subscription.interfaces.get(keyOf(parentPath(path)));
        const subnet = nic?.configurations.find(({ name }) => name === nameOf(path))?.subnet;
        return subnet === undefined ? [] : [keyOf(parentPath(subnet))];
      }),
    );
    if (networks.size > 1) throw manyNetworks(rule, [...networks]);
  }
}

function groupsOf({ source, destination }: SecurityRule): readonly string[] {
  return [...source.groups, ...destination.groups];
}

/** As recorded in https://github.com/Azure/azure-sdk-for-java/issues/34158 */
function manyNetworks({ path }: SecurityRule, networks: readonly string[]): Error {
  return refused(
    'AllApplicationSecurityGroupsInSecurityRuleMustBeFromSameVnet',
    `Security Rule ${path} has Application Security Groups (ASGs) from multiple virtual networks (${networks.join(', ')}). All ASGs on the Security Rule must be from the same virtual network.`,
    { details: [] },
  );
}

/** The code is an assumption. */
function tooMany(path: string, what: string, most: number): Error {
  return refused(
    'SecurityRuleCountLimitReached',
    `Network security group ${path} cannot have more than ${most} ${what}.`,
    { details: [] },
  );
}
