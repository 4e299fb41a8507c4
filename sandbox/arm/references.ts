import type { Table } from '../table.ts';
import { refused } from './errors.ts';
import { refuseUnprovisioned } from './lifecycle.ts';
import type { Tracked } from './records.ts';
import { keyOf, parentPath } from './resource-id.ts';
import type { Subscription } from './subscription.ts';

interface Reference {
  /** The path of the resource that refers. */
  readonly from: string;
  readonly to: string;
  readonly location: string;
}

/** A referenced resource must exist, lie in the same location, and have no running operation. */
export function checkReference(subscription: Subscription, { from, to, location }: Reference): void {
  if (subscription.outside.has(keyOf(to))) return;
  const found = trackedAt(subscription, to);
  if (found?.location === location && childExists(subscription, to)) {
    refuseUnprovisioned(subscription, from, found);
    return;
  }
  const message = `Resource ${to} referenced by resource ${from} was not found. Please make sure that the referenced resource exists, and that both resources are in the same region.`;
  throw refused('InvalidResourceReference', message, {
    details: [{ code: 'NotFound', message: `Resource ${to} not found.` }],
  });
}

function childExists({ networks }: Subscription, path: string): boolean {
  if (!/\/subnets\/[^/]+$/i.test(path)) return true;
  const network = networks.get(keyOf(parentPath(path)));
  return network?.subnets.some(({ id }) => id === keyOf(path)) ?? false;
}

/** The table of each resource type, by the type in lower case. */
const TABLES: Readonly<
  Record<string, (subscription: Subscription) => Pick<Table<Tracked>, 'get' | 'values' | 'remove'>>
> = {
  'microsoft.network/virtualnetworks': ({ networks }) => networks,
  'microsoft.network/networksecuritygroups': ({ securityGroups }) => securityGroups,
  'microsoft.network/applicationsecuritygroups': ({ applicationGroups }) => applicationGroups,
  'microsoft.network/networkinterfaces': ({ interfaces }) => interfaces,
  'microsoft.network/publicipaddresses': ({ addresses }) => addresses,
  'microsoft.network/routetables': ({ routeTables }) => routeTables,
  'microsoft.network/natgateways': ({ natGateways }) => natGateways,
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

/** Paths of the subnets and network interfaces that name a security group, in order of creation. */
export function filteredBy({ networks, interfaces }: Subscription, key: string) {
  const named = (path: string | undefined): boolean => path !== undefined && keyOf(path) === key;
  const subnets = [...networks.referring(key)].flatMap((network) =>
    network.subnets.filter(({ securityGroup }) => named(securityGroup)).map(({ path }) => path),
  );
  const nics = [...interfaces.referring(key)].filter(({ securityGroup }) => named(securityGroup));
  return { subnets, interfaces: nics.map(({ path }) => path) };
}

/** Paths of the subnets that name a route table or a NAT gateway, in order of creation. */
export function subnetsNaming(
  { networks }: Subscription,
  field: 'routeTable' | 'natGateway',
  key: string,
): readonly string[] {
  return [...networks.referring(key)].flatMap(({ subnets }) =>
    subnets.filter((subnet) => keyOf(subnet[field] ?? '') === key).map(({ path }) => path),
  );
}

/** Paths of the IP configurations in a subnet. */
export function configurationsIn({ interfaces }: Subscription, key: string): readonly string[] {
  return [...interfaces.referring(key)].flatMap((nic) =>
    nic.configurations
      .filter(({ subnet }) => keyOf(subnet) === key)
      .map(({ name }) => `${nic.path}/ipConfigurations/${name}`),
  );
}

/** Paths of the IP configurations in an application security group. */
export function membersOf({ interfaces }: Subscription, key: string): readonly string[] {
  return [...interfaces.referring(key)].flatMap((nic) =>
    nic.configurations
      .filter(({ groups }) => groups.some((path) => keyOf(path) === key))
      .map(({ name }) => `${nic.path}/ipConfigurations/${name}`),
  );
}

/** Paths of the security rules that name an application security group. */
export function rulesNaming({ securityGroups }: Subscription, key: string): readonly string[] {
  return [...securityGroups.referring(key)].flatMap(({ rules }) =>
    rules
      .filter(({ source, destination }) =>
        [...source.groups, ...destination.groups].some((path) => keyOf(path) === key),
      )
      .map(({ path }) => path),
  );
}
