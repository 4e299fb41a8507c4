import { listOf, optional, scalar } from '../../json.ts';
import { fields, outputs, readBody, readOnly } from '../body.ts';
import { refused } from '../errors.ts';
import { checkWritable, identity, written } from '../lifecycle.ts';
import { checkCount, placeOf } from '../location.ts';
import type { Asked, Method, Reply } from '../method.ts';
import type { NetworkSecurityGroup } from '../records.ts';
import { filteredBy } from '../references.ts';
import { checkedName, keyOf, nameOf, refuseTwins } from '../resource-id.ts';
import { checkRules, readRule, securityGroupKind } from '../security-group.ts';
import { ruleForm } from '../security-rule.ts';
import { checkedTags, tagsField } from '../tags.ts';
import { trackedMethods } from '../tracked-methods.ts';

const form = fields({
  location: optional(scalar('string')),
  tags: tagsField,
  properties: optional(
    fields({
      securityRules: optional(listOf(ruleForm)),
      flushConnection: optional(scalar('boolean')),
      defaultSecurityRules: readOnly,
      networkInterfaces: readOnly,
      subnets: readOnly,
      flowLogs: readOnly,
      resourceGuid: readOnly,
      provisioningState: readOnly,
    }),
  ),
  ...outputs,
});

/** https://learn.microsoft.com/rest/api/virtualnetwork/network-security-groups */
export const networkSecurityGroupMethods: readonly Method[] = trackedMethods<NetworkSecurityGroup>({
  kind: securityGroupKind,
  name: 'networkSecurityGroups',
  pages: 'securityGroups',
  put,
  refuseRemoval: ({ subscription }, { id, path }) => {
    const { subnets, interfaces } = filteredBy(subscription, id);
    const users = [...interfaces, ...subnets];
    if (users.length > 0) throw inUse(path, users);
  },
});

/** Replaces the whole, rules too: those left out are deleted. */
function put(asked: Asked, path: string): Reply {
  const { subscription, request } = asked;
  checkedName(nameOf(path));
  const known = subscription.securityGroups.get(keyOf(path));
  const { location, tags, properties } = readBody(request.body, form);
  const place = placeOf({ location, known, path });
  checkWritable(asked, known, path);
  const { securityGroups: most } = subscription.quotas;
  checkCount('NetworkSecurityGroup', { known, others: subscription.securityGroups.values(), location: place, most });
  const { securityRules = [], flushConnection } = properties ?? {};
  const earlier = { path: known?.path ?? path, location: place, rules: known?.rules ?? [] };
  const group: NetworkSecurityGroup = {
    ...identity(asked, known, path),
    location: place,
    tags: checkedTags(tags),
    rules: securityRules.map((rule) => readRule(asked, earlier, rule.name ?? '', rule)),
    kept: flushConnection === undefined ? {} : { flushConnection },
  };
  refuseTwins(
    group.path,
    group.rules.map((rule) => nameOf(rule.path)),
  );
  checkRules(asked, group, group.rules);
  return written(asked, securityGroupKind, group);
}

/** As recorded in https://github.com/pulumi/pulumi-azure-native/issues/3051 */
function inUse(path: string, users: readonly string[]): Error {
  return refused(
    'InUseNetworkSecurityGroupCannotBeDeleted',
    `Network security group ${path} cannot be deleted because it is in use by the following resources: ${users.slice(0, 5).join(', ')}. In order to delete the Network security group, remove the association with the resource(s). To learn how to do this, see aka.ms/deletensg.`,
    { details: [] },
  );
}
