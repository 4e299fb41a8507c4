import { optional, scalar } from '../../json.ts';
import { fields, outputs, readBody, readOnly } from '../body.ts';
import { refused } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { checkWritable, identity, written } from '../lifecycle.ts';
import { checkCount, placeOf } from '../location.ts';
import type { Asked, Method, Reply } from '../method.ts';
import type { ApplicationSecurityGroup } from '../records.ts';
import { membersOf, rulesNaming } from '../references.ts';
import { checkedName, keyOf, nameOf } from '../resource-id.ts';
import { checkedTags, tagsBody, tagsField } from '../tags.ts';
import { trackedMethods } from '../tracked-methods.ts';

const kind: Kind<ApplicationSecurityGroup> = {
  table: ({ subscription }) => subscription.applicationGroups,
  type: 'Microsoft.Network/applicationSecurityGroups',
  renderer:
    () =>
    ({ path, version, location, tags, guid }) => ({
      name: nameOf(path),
      id: path,
      etag: version.etag,
      type: kind.type,
      location,
      ...tagsBody(tags),
      properties: { provisioningState: version.state, resourceGuid: guid },
    }),
};

const form = fields({
  location: optional(scalar('string')),
  tags: tagsField,
  properties: readOnly,
  ...outputs,
});

/** https://learn.microsoft.com/rest/api/virtualnetwork/application-security-groups */
export const applicationSecurityGroupMethods: readonly Method[] = trackedMethods<ApplicationSecurityGroup>({
  kind,
  name: 'applicationSecurityGroups',
  pages: 'applicationGroups',
  put,
  refuseRemoval: ({ subscription }, group) => {
    const members = membersOf(subscription, group.id);
    if (members.length > 0) throw inUse(group.path, `IpConfiguration(s) ${members.map(nameOf).slice(0, 5).join(', ')}`);
    const rules = rulesNaming(subscription, group.id);
    if (rules.length > 0) throw inUse(group.path, `SecurityRule(s) ${rules.slice(0, 5).join(', ')}`);
  },
});

function put(asked: Asked, path: string): Reply {
  const { subscription, request } = asked;
  checkedName(nameOf(path));
  const known = subscription.applicationGroups.get(keyOf(path));
  const { location, tags } = readBody(request.body, form);
  const place = placeOf({ location, known, path });
  checkWritable(asked, known, path);
  const { applicationGroups: most } = subscription.quotas;
  const others = subscription.applicationGroups.values();
  checkCount('ApplicationSecurityGroup', { known, others, location: undefined, most });
  return written(asked, kind, { ...identity(asked, known, path), location: place, tags: checkedTags(tags) });
}

/** The sentence as recorded in https://github.com/Azure/azure-cli/issues/12591; the code is an assumption. */
function inUse(path: string, users: string): Error {
  return refused(
    'InUseApplicationSecurityGroupCannotBeDeleted',
    `Application Security Group ${nameOf(path)} cannot be deleted because it is referenced by ${users}.`,
    { details: [] },
  );
}
