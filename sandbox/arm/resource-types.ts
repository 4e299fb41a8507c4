import type { Table } from '../table.ts';
import type { Tracked } from './records.ts';
import { keyOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';

/** Where resources of a type are kept, by the type in lower case. */
const TABLES: Readonly<
  Record<string, (subscription: Subscription) => Pick<Table<Tracked>, 'get' | 'values' | 'remove'>>
> = {
  'microsoft.network/virtualnetworks': ({ networks }) => networks,
  'microsoft.network/networksecuritygroups': ({ securityGroups }) => securityGroups,
  'microsoft.network/applicationsecuritygroups': ({ applicationGroups }) => applicationGroups,
  'microsoft.network/networkinterfaces': ({ interfaces }) => interfaces,
  'microsoft.network/publicipaddresses': ({ addresses }) => addresses,
  'microsoft.compute/virtualmachines': ({ machines }) => machines,
  'microsoft.compute/disks': ({ disks }) => disks,
};

export function allTables(subscription: Subscription) {
  return Object.values(TABLES).map((table) => table(subscription));
}

/** The resource that a path names, or whose child or action it names, as it truly is. */
export function trackedAt(subscription: Subscription, path: string): Tracked | undefined {
  const [, id, type] =
    /^(\/subscriptions\/[^/]+\/resourcegroups\/[^/]+\/providers\/([^/]+\/[^/]+)\/[^/]+)/.exec(keyOf(path)) ?? [];
  return id && type && Object.hasOwn(TABLES, type) ? TABLES[type]?.(subscription).get(id) : undefined;
}
