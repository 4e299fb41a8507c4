import { refused } from './errors.ts';

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
