import { hexDigits, type Random } from '../random.ts';
import { refused } from './errors.ts';

/** Resource ids: https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules */

/** The key of an id, for comparisons and tables: ARM ignores case. */
export function keyOf(path: string): string {
  return path.toLowerCase();
}

export function groupPath(subscription: string, group: string): string {
  return `/subscriptions/${subscription}/resourceGroups/${group}`;
}

/** `type` with its namespace, such as `Microsoft.Network/virtualNetworks`. */
export function resourcePath(group: { readonly path: string }, type: string, name: string): string {
  return `${group.path}/providers/${type}/${name}`;
}

export function childPath(parent: { readonly path: string }, collection: string, name: string): string {
  return `${parent.path}/${collection}/${name}`;
}

/** The last segment. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Without the child: the network of a subnet, the security group of a rule. */
export function parentPath(path: string): string {
  return path.split('/').slice(0, -2).join('/');
}

export function freshGuid(random: Random): string {
  const digits = hexDigits(random, 32);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`;
}

/** https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules#microsoftnetwork */
const NAME = /^\w(?:[\w.-]*\w)?$/;

/** The name of a resource of Microsoft.Network, or of a child of one. */
export function checkedName(name: string, longest = 80): string {
  if (name.length <= longest && NAME.test(name)) return name;
  throw refused(
    'InvalidResourceName',
    `Resource name ${name} is invalid. The name can be up to ${longest} characters long. It must begin with a word character, and it must end with a word character or with '_'. The name may contain word characters or '.', '-', '_'.`,
    { details: [] },
  );
}

/** Children have names of their own, but for case. */
export function refuseTwins(parent: string, names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name.toLowerCase()))
      throw refused(
        'DuplicateResourceName',
        `Resource ${parent} has two child resources with the same name (${name}).`,
        {
          details: [],
        },
      );
    seen.add(name.toLowerCase());
  }
}
