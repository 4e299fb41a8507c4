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
import { makeTable, type Table } from './table.ts';

/** One table for each type of object. */
export type Tables = ReturnType<typeof makeTables>;

/** One write to one object. `before` absent: it was made; `after` absent: it is gone. */
export interface Change {
  readonly id: string;
  readonly before?: Tagged | RuleRecord;
  readonly after?: Tagged | RuleRecord;
}

export function makeTables(now: () => number, changed: (change: Change) => void) {
  const table = <R extends Tagged | RuleRecord>(): Table<R> =>
    makeTable<R>(now, (id, before, after) => changed({ id, ...(before && { before }), ...(after && { after }) }));
  return {
    networks: table<NetworkRecord>(),
    gateways: table<GatewayRecord>(),
    routeTables: table<RouteTableRecord>(),
    subnets: table<SubnetRecord>(),
    groups: table<GroupRecord>(),
    rules: table<RuleRecord>(),
    instances: table<InstanceRecord>(),
  };
}

/** Those whose objects bear tags. */
export const tagTables = ({ rules: _, ...tables }: Tables): readonly Table<Tagged>[] => Object.values(tables);
