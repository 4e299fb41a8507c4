import { keyOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';

/** The resources that refer to a resource, by its key: paths, in order of creation. */

/** Subnets and network interfaces, of a security group. */
export function filteredBy({ networks, interfaces }: Subscription, key: string) {
  const named = (path: string | undefined): boolean => path !== undefined && keyOf(path) === key;
  const subnets = [...networks.referring(key)].flatMap((network) =>
    network.subnets.filter(({ securityGroup }) => named(securityGroup)).map(({ path }) => path),
  );
  const nics = [...interfaces.referring(key)].filter(({ securityGroup }) => named(securityGroup));
  return { subnets, interfaces: nics.map(({ path }) => path) };
}

/** IP configurations, in a subnet. */
export function configurationsIn({ interfaces }: Subscription, key: string): readonly string[] {
  return [...interfaces.referring(key)].flatMap((nic) =>
    nic.configurations
      .filter(({ subnet }) => keyOf(subnet) === key)
      .map(({ name }) => `${nic.path}/ipConfigurations/${name}`),
  );
}

/** IP configurations, in an application security group. */
export function membersOf({ interfaces }: Subscription, key: string): readonly string[] {
  return [...interfaces.referring(key)].flatMap((nic) =>
    nic.configurations
      .filter(({ groups }) => groups.some((path) => keyOf(path) === key))
      .map(({ name }) => `${nic.path}/ipConfigurations/${name}`),
  );
}

/** Security rules, that name an application security group. */
export function rulesNaming({ securityGroups }: Subscription, key: string): readonly string[] {
  return [...securityGroups.referring(key)].flatMap(({ rules }) =>
    rules
      .filter(({ source, destination }) =>
        [...source.groups, ...destination.groups].some((path) => keyOf(path) === key),
      )
      .map(({ path }) => path),
  );
}
