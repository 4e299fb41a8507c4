import type { Table } from '../table.ts';
import { refused } from './errors.ts';
import { ID, type IdType } from './ids.ts';
import type { Tagged } from './records.ts';
import type { Region } from './region.ts';

/** One type of object that carries tags: where it is kept, and what tags call it. */
export interface Taggable {
  readonly type: string;
  readonly ids: IdType;
  readonly table: Table<Tagged>;
}

const kinds: readonly { readonly type: string; readonly ids: IdType; readonly table: (region: Region) => unknown }[] = [
  { type: 'vpc', ids: ID.vpc, table: (region) => region.vpcs },
  { type: 'subnet', ids: ID.subnet, table: (region) => region.subnets },
  { type: 'internet-gateway', ids: ID.gateway, table: (region) => region.gateways },
  { type: 'route-table', ids: ID.routeTable, table: (region) => region.routeTables },
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

export function taggableOf(region: Region, id: string): Taggable {
  const prefix = id.slice(0, id.lastIndexOf('-'));
  const found = taggables(region).find((kind) => kind.ids.prefix === prefix);
  if (!found) throw refused('InvalidID', `The ID '${id}' is not valid`);
  return found;
}
