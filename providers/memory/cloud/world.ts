import type {
  GatewayRecord,
  GroupRecord,
  InstanceRecord,
  NetworkRecord,
  RouteTableRecord,
  RuleRecord,
  SubnetRecord,
  Tagged,
} from './records.ts';
import { Refusal } from './refusal.ts';
import { makeTable, type Table } from './table.ts';

/** All that stands in the cloud. */
export interface World {
  readonly tables: Tables;
  /** By token. */
  readonly launches: Map<string, Launch>;
  readonly quotas: Quotas;
  now(): number;
  /** A new id, never used before: `net-000001`. Ids rise with time. */
  nextId(prefix: IdPrefix): string;
}

// why: one table per type of object is what this is; it grows with the cloud and nobody implements it
export type Tables = {
  readonly networks: Table<NetworkRecord>;
  readonly gateways: Table<GatewayRecord>;
  readonly routeTables: Table<RouteTableRecord>;
  readonly subnets: Table<SubnetRecord>;
  readonly groups: Table<GroupRecord>;
  readonly rules: Table<RuleRecord>;
  readonly instances: Table<InstanceRecord>;
};

/** What a token was used for: the same again answers the same, something else is refused. */
export interface Launch {
  readonly asked: string;
  readonly ids: readonly string[];
}

/** `rulesPerGroup`: in each direction. */
export interface Quotas {
  readonly rulesPerGroup: number;
}

export type IdPrefix = 'net' | 'gw' | 'rt' | 'sub' | 'grp' | 'rul' | 'ins';

/** One write to one object. `before` absent: it was made; `after` absent: it is gone. */
export interface Change {
  readonly id: string;
  readonly before?: Tagged | RuleRecord;
  readonly after?: Tagged | RuleRecord;
}

export function makeWorld(now: () => number, quotas: Quotas, changed: (change: Change) => void): World {
  let last = 0;
  const table = <R extends Tagged | RuleRecord>(): Table<R> =>
    makeTable<R>(now, (id, before, after) => changed({ id, ...(before && { before }), ...(after && { after }) }));
  return {
    tables: {
      networks: table(),
      gateways: table(),
      routeTables: table(),
      subnets: table(),
      groups: table(),
      rules: table(),
      instances: table(),
    },
    launches: new Map(),
    quotas,
    now,
    nextId: (prefix) => `${prefix}-${String(++last).padStart(6, '0')}`,
  };
}

/** The record, or the refusal that there is none. */
export function must<R extends { readonly id: string }>(table: Table<R>, id: string): R {
  const record = table.get(id);
  if (!record) throw new Refusal('NotFound', `there is no ${id}`);
  return record;
}

/** Everything that bears tags, whatever it is. */
export const tagged = ({ tables }: World): readonly Tagged[] => [
  ...tables.networks.all(),
  ...tables.gateways.all(),
  ...tables.routeTables.all(),
  ...tables.subnets.all(),
  ...tables.groups.all(),
  ...tables.instances.all(),
];
