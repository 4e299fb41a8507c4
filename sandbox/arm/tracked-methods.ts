import { fields, readBody } from './body.ts';
import { type Kind, seenRecord, shown, trueRecord } from './kind.ts';
import { checkWritable, moved, removed } from './lifecycle.ts';
import { type Asked, type Method, method, type Reply } from './method.ts';
import { type Listing, page } from './paging.ts';
import type { Tracked } from './records.ts';
import { groupPath, keyOf, resourcePath } from './resource-id.ts';
import { checkedTags, tagsField } from './tags.ts';

/** The parts that differ between types of tracked resources. */
export interface Answers<T extends Tracked> {
  readonly kind: Kind<T>;
  /** The type's own part of an action's name: `virtualNetworks`. */
  readonly name: string;
  readonly pages: Listing<T>['kind'];
  readonly put: (asked: Asked, path: string) => Reply;
  /** Throws when something still needs it. */
  readonly refuseRemoval: (asked: Asked, record: T) => void;
  /** Updates the resources that refer to it. */
  readonly onRemoved?: (asked: Asked, record: T) => void;
}

const tagsForm = fields({ tags: tagsField });

/** The six methods that all tracked resources of Microsoft.Network have alike. */
export function trackedMethods<T extends Tracked>({
  kind,
  name,
  pages,
  put,
  refuseRemoval,
  onRemoved = () => {},
}: Answers<T>): readonly Method[] {
  const all = `/providers/${kind.type}`;
  const inGroup = `/resourceGroups/{group}${all}` as const;
  const one = `${inGroup}/{name}` as const;
  const listed = (asked: Asked, among: (record: T) => boolean): Reply => {
    const render = kind.renderer(asked);
    return page(asked, { kind: pages, items: kind.table(asked).seen(), render, among });
  };
  return [
    method({
      verb: 'PUT',
      path: one,
      action: `${name}.createOrUpdate`,
      answer: (asked) => put(asked, pathOf(asked, kind)),
    }),
    method({
      verb: 'GET',
      path: one,
      action: `${name}.get`,
      answer: (asked) => shown(asked, kind, { record: seenRecord(asked, kind, pathOf(asked, kind)), status: 200 }),
    }),
    method({
      verb: 'GET',
      path: inGroup,
      action: `${name}.list`,
      answer: (asked) => {
        const prefix = `${keyOf(groupPath(asked.subscription.id, asked.parameters.group))}/`;
        return listed(asked, ({ id }) => id.startsWith(prefix));
      },
    }),
    method({ verb: 'GET', path: all, action: `${name}.listAll`, answer: (asked) => listed(asked, () => true) }),
    method({
      verb: 'PATCH',
      path: one,
      action: `${name}.updateTags`,
      answer: (asked) => {
        const record = trueRecord(asked, kind, pathOf(asked, kind));
        checkWritable(asked, record, record.path);
        const { tags } = readBody(asked.request.body, tagsForm);
        const next = { ...record, tags: tags ? checkedTags(tags) : record.tags };
        return shown(asked, kind, { record: moved(asked, kind.table(asked), next, 'Succeeded'), status: 200 });
      },
    }),
    method({
      verb: 'DELETE',
      path: one,
      action: `${name}.delete`,
      answer: (asked) => {
        const path = pathOf(asked, kind);
        const record = kind.table(asked).get(keyOf(path));
        checkWritable(asked, record, path);
        if (!record) return { status: 204 };
        refuseRemoval(asked, record);
        return removed(asked, kind, record, () => onRemoved(asked, record));
      },
    }),
  ];
}

type Named = Asked<'group' | 'name'>;

/** In the case that the resource group was created in; the resource itself keeps its own. */
export function pathOf<T extends Tracked>({ subscription, parameters }: Named, { type }: Kind<T>): string {
  const path = groupPath(subscription.id, parameters.group);
  return resourcePath(subscription.groups.get(keyOf(path)) ?? { path }, type, parameters.name);
}
