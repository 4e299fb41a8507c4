import { scalar } from '../../json.ts';
import { fields, readBody, readOnly } from '../body.ts';
import { refused } from '../errors.ts';
import { groupLocation } from '../location.ts';
import { type Asked, type Method, method } from '../method.ts';
import { begin } from '../operation.ts';
import { page } from '../paging.ts';
import type { ResourceGroup } from '../records.ts';
import { allTables } from '../references.ts';
import { groupPath, keyOf, nameOf } from '../resource-id.ts';
import { checkedTags, tagsBody, tagsField } from '../tags.ts';

const ONE = '/resourceGroups/{group}';

const form = fields({
  location: scalar('string'),
  tags: tagsField,
  properties: readOnly,
  id: readOnly,
  name: readOnly,
  type: readOnly,
  managedBy: readOnly,
});

const patchForm = fields({ tags: tagsField, name: readOnly, properties: readOnly, managedBy: readOnly });

/** https://learn.microsoft.com/rest/api/resources/resource-groups */
export const resourceGroupMethods: readonly Method[] = [
  method({
    verb: 'PUT',
    path: ONE,
    action: 'resourceGroups.createOrUpdate',
    answer: (asked) => {
      const { subscription, parameters } = asked;
      const { location, tags } = readBody(asked.request.body, form);
      const path = groupPath(subscription.id, checkedName(parameters.group));
      const known = subscription.groups.get(keyOf(path));
      const place = groupLocation(location);
      if (known?.state === 'Deleting') throw groupBeingDeleted(known);
      if (known && known.location !== place) throw elsewhere(known, place);
      const record: ResourceGroup = {
        id: keyOf(path),
        path: known?.path ?? path,
        location: place,
        tags: checkedTags(tags),
        state: 'Succeeded',
      };
      subscription.groups.put(record);
      return { status: known ? 200 : 201, body: groupBody(record) };
    },
  }),
  method({
    verb: 'GET',
    path: ONE,
    action: 'resourceGroups.get',
    answer: (asked) => ({ status: 200, body: groupBody(seenGroup(asked)) }),
  }),
  method({
    verb: 'HEAD',
    path: ONE,
    action: 'resourceGroups.checkExistence',
    answer: ({ subscription, parameters }) => ({
      status: subscription.groups.see(keyOf(groupPath(subscription.id, parameters.group))) ? 204 : 404,
    }),
  }),
  method({
    verb: 'GET',
    path: '/resourceGroups',
    action: 'resourceGroups.list',
    answer: (asked) =>
      page(asked, { kind: 'resourceGroups', items: asked.subscription.groups.seen(), render: groupBody }),
  }),
  method({
    verb: 'PATCH',
    path: ONE,
    action: 'resourceGroups.update',
    answer: (asked) => {
      const { tags } = readBody(asked.request.body, patchForm);
      const group = trueGroup(asked);
      const record = { ...group, tags: tags ? checkedTags(tags) : group.tags };
      asked.subscription.groups.put(record);
      return { status: 200, body: groupBody(record) };
    },
  }),
  method({
    verb: 'DELETE',
    path: ONE,
    action: 'resourceGroups.delete',
    answer: (asked) => {
      const group = trueGroup(asked);
      return { status: 202, headers: { location: deletion(asked, group) } };
    },
  }),
];

type InGroup = Asked<'group'>;

function seenGroup({ subscription, parameters }: InGroup): ResourceGroup {
  const found = subscription.groups.see(keyOf(groupPath(subscription.id, parameters.group)));
  if (!found) throw groupNotFound(parameters.group);
  return found;
}

function trueGroup({ subscription, parameters }: InGroup): ResourceGroup {
  const found = subscription.groups.get(keyOf(groupPath(subscription.id, parameters.group)));
  if (!found) throw groupNotFound(parameters.group);
  return found;
}

export function groupNotFound(name: string): Error {
  return refused('ResourceGroupNotFound', `Resource group '${name}' could not be found.`);
}

export function groupBeingDeleted({ path }: ResourceGroup): Error {
  return refused(
    'ResourceGroupBeingDeleted',
    `The resource group '${nameOf(path)}' is in deprovisioning state and cannot perform this operation.`,
  );
}

function elsewhere({ path, location }: ResourceGroup, asked: string): Error {
  return refused(
    'InvalidResourceGroupLocation',
    `Invalid resource group location '${asked}'. The Resource group already exists in location '${location}'.`,
    { status: 409, target: nameOf(path) },
  );
}

/** https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules#microsoftresources */
function checkedName(name: string): string {
  if (/^[\p{L}\p{N}_().-]{1,90}$/u.test(name) && !name.endsWith('.')) return name;
  throw refused(
    'InvalidResourceGroup',
    `The provided resource group name '${name}' has these invalid characters, or is longer than 90. The name can only be a letter, digit, '-', '.', '(', ')' or '_', and must not end with '.'.`,
  );
}

/** Deletes what it holds with it. Answers the URL to follow. */
function deletion(asked: Asked, group: ResourceGroup): string {
  const { subscription } = asked;
  subscription.groups.put({ ...group, state: 'Deleting' });
  const headers = begin(asked, {
    place: { namespace: 'Microsoft.Resources', location: group.location },
    on: group.id,
    ms: subscription.durations.groupDelete,
    fail: () => subscription.groups.put(group),
    succeed: () => {
      for (const table of allTables(subscription))
        for (const { id } of table.values()) if (id.startsWith(`${group.id}/`)) table.remove(id);
      subscription.groups.remove(group.id);
    },
  });
  return headers['location'] ?? '';
}

function groupBody({ path, location, tags, state }: ResourceGroup): object {
  return {
    id: path,
    name: nameOf(path),
    type: 'Microsoft.Resources/resourceGroups',
    location,
    ...tagsBody(tags),
    properties: { provisioningState: state },
  };
}
