import { optional, scalar } from '../../json.ts';
import { fields, readBody, readOnly } from '../body.ts';
import { DISK_TYPE, diskBody, refuseAttachedDisk, resized } from '../disk.ts';
import { type Kind, seenRecord, shown, trueRecord } from '../kind.ts';
import { checkWritable, removed, write } from '../lifecycle.ts';
import { asyncOnly } from '../machine-operation.ts';
import { type Asked, type Method, method, type Reply } from '../method.ts';
import { page } from '../paging.ts';
import type { Disk } from '../records.ts';
import { groupPath, keyOf } from '../resource-id.ts';

import { checkedTags, tagsField } from '../tags.ts';
import { pathOf } from '../tracked-methods.ts';

const ALL = `/providers/${DISK_TYPE}` as const;

const IN_GROUP = `/resourceGroups/{group}${ALL}` as const;

const ONE = `${IN_GROUP}/{name}` as const;

const kind: Kind<Disk> = {
  type: DISK_TYPE,
  table: ({ subscription }) => subscription.disks,
  renderer:
    ({ subscription }) =>
    (disk) =>
      diskBody(subscription, disk),
};

const text = optional(scalar('string'));

const patchForm = fields({
  tags: tagsField,
  sku: optional(fields({ name: text, tier: readOnly })),
  properties: optional(
    fields({
      diskSizeGB: optional(scalar('number')),
      osType: readOnly,
      networkAccessPolicy: readOnly,
      publicNetworkAccess: readOnly,
      encryption: readOnly,
    }),
  ),
});

/** https://learn.microsoft.com/rest/api/compute/disks. Disks are made with their machines alone. */
export const diskMethods: readonly Method[] = [
  method({
    verb: 'GET',
    path: ONE,
    action: 'disks.get',
    answer: (asked) => shown(asked, kind, { record: seenRecord(asked, kind, pathOf(asked, kind)), status: 200 }),
  }),
  method({
    verb: 'GET',
    path: IN_GROUP,
    action: 'disks.listByResourceGroup',
    answer: (asked) => {
      const prefix = `${keyOf(groupPath(asked.subscription.id, asked.parameters.group))}/`;
      return listed(asked, ({ id }) => id.startsWith(prefix));
    },
  }),
  method({ verb: 'GET', path: ALL, action: 'disks.list', answer: (asked) => listed(asked, () => true) }),
  method({
    verb: 'PATCH',
    path: ONE,
    action: 'disks.update',
    answer: (asked) => {
      const path = pathOf(asked, kind);
      const disk = trueRecord(asked, kind, path);
      checkWritable(asked, disk, path);
      const { tags, sku, properties } = readBody(asked.request.body, patchForm);
      const next = resized(asked.subscription, disk, { size: properties?.diskSizeGB, sku: sku?.name });
      const record: Disk = {
        ...next,
        tags: tags ? checkedTags(tags) : disk.tags,
      };
      const headers = asyncOnly(write(asked, kind, record));
      return shown(asked, kind, { record: trueRecord(asked, kind, path), status: 202, headers });
    },
  }),
  method({
    verb: 'DELETE',
    path: ONE,
    action: 'disks.delete',
    answer: (asked) => {
      const path = pathOf(asked, kind);
      const disk = asked.subscription.disks.get(keyOf(path));
      if (!disk) return { status: 204 };
      checkWritable(asked, disk, path);
      refuseAttachedDisk(disk);
      return removed(asked, kind, disk);
    },
  }),
];

function listed(asked: Asked, among: (disk: Disk) => boolean): Reply {
  const render = kind.renderer(asked);
  return page(asked, { kind: 'disks', items: asked.subscription.disks.seen(), render, among });
}
