import { writesBetween } from './azure-writes.ts';
import { type Figure, type Spoil, spoilNothing } from './figure.ts';

/**
 * Requests that write 1,000 rules into one NSG whose network stands. That is what one holds
 * (https://learn.microsoft.com/azure/azure-resource-manager/management/azure-subscription-service-limits): 999 documents, and
 * the rule that denies what no document allows, which stands with the network. Asked: at most 2.
 */
export async function nsg1000(documents = 999, spoil: Spoil = spoilNothing): Promise<readonly Figure[]> {
  const { writes, subscription } = await writesBetween(
    { subnets: 1, rules: 0 },
    { subnets: 1, rules: documents },
    spoil,
  );
  const [held = 0, ...others] = [...subscription.securityGroups.values()].map(({ rules }) => rules.length);
  if (held !== documents + 1 || others.length > 0) throw new Error(`${held} rules stand in ${others.length + 1} NSGs`);
  return [{ name: 'nsg-1000', value: writes.length, unit: `writes for ${held} rules`, floor: 1, ratio: writes.length }];
}
