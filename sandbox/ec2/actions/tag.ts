import type { Table } from '../../table.ts';
import { type Action, dryRun, read, write } from '../action.ts';
import { missing, refused } from '../errors.ts';
import { ID, type IdType, target } from '../ids.ts';
import { type FilterTable, listFields, passes } from '../listing.ts';
import { list, text } from '../query.ts';
import type { Tagged } from '../records.ts';
import type { Region } from '../region.ts';
import { refuseTagging } from '../sharing.ts';
import { checkedKey, merged, noTags, tagShape, type WireTag } from '../tags.ts';
import { el, set } from '../xml.ts';

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateTags.html */
const MAX_RESOURCES = 1000;

const fields = { ...dryRun, ResourceId: list(text), Tag: list(tagShape) } as const;

export const tagActions: readonly Action[] = [
  write({
    name: 'CreateTags',
    fields,
    run: ({ region }, input) => {
      const ids = checkedResources(input.ResourceId);
      const tags = input.Tag ?? [];
      if (tags.length === 0) throw missing('tag');
      const changes = ids.map((id) => {
        const { table, ids: type } = taggableOf(region, id);
        const record = target(table, type, id, 'resourceId');
        refuseTagging(region, record);
        return { table, record: { ...record, tags: merged(record.tags, tags) } };
      });
      for (const { table, record } of changes) table.put(record);
      return el('return', true);
    },
  }),
  write({
    name: 'DeleteTags',
    fields,
    run: ({ region }, input) => {
      const ids = checkedResources(input.ResourceId);
      for (const { Key } of input.Tag ?? []) checkedKey(Key);
      const changes = ids.map((id) => {
        const { table, ids: type } = taggableOf(region, id);
        const record = target(table, type, id, 'resourceId');
        refuseTagging(region, record);
        return { table, record: { ...record, tags: without(record.tags, input.Tag) } };
      });
      for (const { table, record } of changes) table.put(record);
      return el('return', true);
    },
  }),
  read({
    name: 'DescribeTags',
    fields: { ...listFields, ...dryRun },
    run: ({ region, answerFaults }, input) => {
      if (input.MaxResults !== undefined && (input.MaxResults < 5 || input.MaxResults > 1000)) {
        throw refused(
          'InvalidParameterValue',
          `Value ( ${input.MaxResults} ) for parameter maxResults is invalid. Expecting a value between 5 and 1000.`,
        );
      }
      const test = passes(input.Filter ?? [], tagFilters);
      const all = [...everyTag(region)].filter(test);
      const from = Number(input.NextToken ?? 0);
      const to =
        from +
        (input.MaxResults === undefined
          ? all.length
          : Math.min(input.MaxResults, answerFaults.items ?? input.MaxResults));
      const items = all
        .slice(from, to)
        .map(
          (tag) =>
            el('resourceId', tag.resourceId) +
            el('resourceType', tag.type) +
            el('key', tag.key) +
            el('value', tag.value),
        );
      return set('tagSet', items) + el('nextToken', to < all.length ? String(to) : undefined);
    },
  }),
];

interface OneTag {
  readonly id: string;
  readonly tags: ReadonlyMap<string, string>;
  readonly resourceId: string;
  readonly type: string;
  readonly key: string;
  readonly value: string;
}

const tagFilters: FilterTable<OneTag> = {
  key: (tag) => [tag.key],
  value: (tag) => [tag.value],
  'resource-id': (tag) => [tag.resourceId],
  'resource-type': (tag) => [tag.type],
};

function* everyTag(region: Region): Generator<OneTag> {
  for (const { type, table } of taggables(region)) {
    for (const { record } of table.seen()) {
      for (const [key, value] of record.tags)
        yield { id: record.id, tags: new Map([[key, value]]), resourceId: record.id, type, key, value };
    }
  }
}

function checkedResources(ids: readonly string[] | undefined): readonly string[] {
  if (!ids?.length) throw missing('resourceIdSet');
  if (ids.length > MAX_RESOURCES)
    throw refused('InvalidParameterValue', `At most ${MAX_RESOURCES} resources may be named in one request`);
  return [...new Set(ids)];
}

/** Without any tag named, all of the user's go. A key with a value only goes if the value is this one; an empty value is a value. */
function without(
  tags: ReadonlyMap<string, string>,
  named: readonly WireTag[] | undefined,
): ReadonlyMap<string, string> {
  if (!named?.length) return new Map([...tags].filter(([key]) => key.startsWith('aws:')));
  const next = new Map(tags.size > 0 ? tags : noTags);
  for (const { Key = '', Value } of named) if (Value === undefined || next.get(Key) === Value) next.delete(Key);
  return next;
}

/** One type of object that carries tags: where it is kept, and what tags call it. */
interface Taggable {
  readonly type: string;
  readonly ids: IdType;
  readonly table: Table<Tagged>;
}

const kinds: readonly { readonly type: string; readonly ids: IdType; readonly table: (region: Region) => unknown }[] = [
  { type: 'vpc', ids: ID.vpc, table: (region) => region.vpcs },
  { type: 'subnet', ids: ID.subnet, table: (region) => region.subnets },
  { type: 'internet-gateway', ids: ID.gateway, table: (region) => region.gateways },
  { type: 'route-table', ids: ID.routeTable, table: (region) => region.routeTables },
  { type: 'natgateway', ids: ID.natGateway, table: (region) => region.natGateways },
  { type: 'vpc-peering-connection', ids: ID.peering, table: (region) => region.peerings },
  { type: 'network-acl', ids: ID.acl, table: (region) => region.acls },
  { type: 'security-group', ids: ID.group, table: (region) => region.groups },
  { type: 'security-group-rule', ids: ID.rule, table: (region) => region.rules },
  { type: 'instance', ids: ID.instance, table: (region) => region.instances },
  { type: 'volume', ids: ID.volume, table: (region) => region.volumes },
  { type: 'network-interface', ids: ID.networkInterface, table: (region) => region.interfaces },
];

export function taggables(region: Region): readonly Taggable[] {
  return kinds.map(({ type, ids, table }) => ({ type, ids, table: table(region) as Table<Tagged> })); // why: tags are put on copies of the table's own records
}

function taggableOf(region: Region, id: string): Taggable {
  const prefix = id.slice(0, id.lastIndexOf('-'));
  const found = taggables(region).find((kind) => kind.ids.prefix === prefix);
  if (!found) throw refused('InvalidID', `The ID '${id}' is not valid`);
  return found;
}
