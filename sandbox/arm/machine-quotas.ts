import { refused } from './errors.ts';
import { countedAs, SIZES } from './machine-sizes.ts';
import type { Subscription } from './subscription.ts';

/** https://learn.microsoft.com/rest/api/compute/usage/list */
interface Usage {
  readonly unit: 'Count';
  readonly currentValue: number;
  readonly limit: number;
  readonly name: { readonly value: string; readonly localizedValue: string };
}

/** Machines count as long as they stand, deallocated or not: https://learn.microsoft.com/azure/virtual-machines/quotas */
export function usagesOf({ machines, quotas }: Subscription, location: string): readonly Usage[] {
  const bySize = new Map<string, number>();
  for (const { location: place, size } of machines.values())
    if (place === location) bySize.set(size, (bySize.get(size) ?? 0) + 1);
  const families = new Map(SIZES.map(countedAs).map(({ family, shown }) => [family, { shown, used: 0 }]));
  let [count, all] = [0, 0];
  for (const [size, some] of bySize) {
    const { family, shown, cores } = countedAs(size);
    families.set(family, { shown, used: (families.get(family)?.used ?? 0) + some * cores });
    count += some;
    all += some * cores;
  }
  const { machines: most, cores, coresPerFamily } = quotas.machines;
  return [
    usage('cores', 'Total Regional vCPUs', all, cores),
    usage('virtualMachines', 'Virtual Machines', count, most),
    ...[...families].map(([family, { shown, used }]) => usage(family, shown, used, coresPerFamily)),
  ];
}

const usage = (value: string, localizedValue: string, currentValue: number, limit: number): Usage => ({
  unit: 'Count',
  currentValue,
  limit,
  name: { value, localizedValue },
});

/** Throws where the location has no room for one machine of the size more: https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/error-resource-quota */
export function checkMachineQuotas(subscription: Subscription, location: string, size: string): void {
  if (hasPlenty(subscription)) return;
  const { family, cores } = countedAs(size);
  const needs = new Map([
    ['cores', cores],
    ['virtualMachines', 1],
    [family, cores],
  ]);
  for (const { name, currentValue, limit } of usagesOf(subscription, location)) {
    const more = needs.get(name.value) ?? 0;
    if (more === 0 || currentValue + more <= limit) continue;
    const quota = name.value === family ? `${family} Cores` : name.localizedValue;
    throw refused(
      'OperationNotAllowed',
      `Operation could not be completed as it results in exceeding approved ${quota} quota. Additional details - Deployment Model: Resource Manager, Location: ${location}, Current Limit: ${limit}, Current Usage: ${currentValue}, Additional Required: ${more}, (Minimum) New Limit Required: ${currentValue + more}.`,
    );
  }
}

/** vCPUs of the largest size: https://learn.microsoft.com/azure/virtual-machines/sizes/memory-optimized/m-family */
const MOST_CORES = 416;

/** So that not all machines are counted for each that is made, as long as they would fit were they all the largest. */
const hasPlenty = ({ machines, quotas: { machines: most } }: Subscription): boolean =>
  machines.size < most.machines && (machines.size + 1) * MOST_CORES <= Math.min(most.cores, most.coresPerFamily);
