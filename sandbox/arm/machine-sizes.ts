import { refused } from './errors.ts';
import type { Subscription } from './subscription.ts';

/** https://learn.microsoft.com/azure/virtual-machines/vm-naming-conventions */
const SIZE = /^(Standard|Basic)_([A-Z]+)\d+(?:-\d+)?([a-z]*)(?:_(?!v\d+$)[A-Z]\w*?)?(?:_(v\d+))?$/i;

/** Series with their sizes: https://learn.microsoft.com/azure/virtual-machines/sizes/overview */
const SERIES: readonly (readonly [name: (cpus: string) => string, cpus: string])[] = [
  [(cpus) => `Standard_B${cpus}`, '1s 1ms 2s 2ms 4ms 8ms 12ms 16ms 20ms'],
  [(cpus) => `Standard_B${cpus}_v2`, '2s 2ts 4s 8s 16s 32s'],
  ...['v3', 'v4', 'v5', 'v6'].flatMap((version) =>
    ['D', 'E'].map(
      (letter) => [(cpus: string) => `Standard_${letter}${cpus}s_${version}`, '2 4 8 16 32 48 64'] as const,
    ),
  ),
  [(cpus) => `Standard_F${cpus}s_v2`, '2 4 8 16 32 48 64 72'],
];

/** Sizes that every location offers. */
export const SIZES: readonly string[] = SERIES.flatMap(([name, cpus]) => cpus.split(' ').map(name));

/** As quotas count a size. */
interface Counted {
  /** As usages and sizes name it: `standardDSv5Family`. */
  readonly family: string;
  readonly shown: string;
  readonly cores: number;
}

const counted = new Map<string, Counted>();

/** `Standard_D2s_v5`: 2 of `standardDSv5Family`. https://learn.microsoft.com/azure/virtual-machines/quotas */
export function countedAs(size: string): Counted {
  const known = counted.get(size) ?? taken(size);
  counted.set(size, known);
  return known;
}

/** Of a size with constrained cores the first figure counts: https://learn.microsoft.com/azure/virtual-machines/constrained-vcpu */
function taken(size: string): Counted {
  const [, tier = '', letters = '', features = '', version = ''] = SIZE.exec(size) ?? [];
  const cores = Number(/\d+/.exec(size)?.[0] ?? 0);
  const small = version.toLowerCase();
  const premium = features.includes('s') ? 'S' : '';
  // why: the families of B sizes are spelled in their own ways
  const series = /^B$/i.test(letters)
    ? `B${small === '' ? 'S' : 's'}${small}`
    : `${letters.toUpperCase()}${premium}${small}`;
  return { family: `${tier.toLowerCase()}${series}Family`, shown: `${tier} ${series} Family vCPUs`, cores };
}

/** Listed, and kept from every subscription of the sandbox: https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/error-sku-not-available */
export const RESTRICTED: readonly string[] = ['Standard_M416ms_v2'];

/** https://learn.microsoft.com/azure/virtual-machines/error-codes: InvalidParameter, target vmSize */
export function checkedSize(size: string): string {
  if (SIZE.test(size)) return size;
  throw refused('InvalidParameter', `The value ${size} provided for the VM size is not valid.`, { target: 'vmSize' });
}

/**
 * Two sizes of one cluster: an allocated machine may change from one to the other. If the machine's cluster lacks a size,
 * the machine must be deallocated first: https://learn.microsoft.com/azure/virtual-machines/sizes/resize-vm
 * In the sandbox a cluster offers one series: `Standard_D2s_v5` may become `Standard_D8s_v5`, and no `Standard_D2s_v3`.
 */
export function sameCluster(from: string, to: string): boolean {
  return series(from) === series(to);
}

function series(size: string): string {
  const [, tier = '', letters = '', , version = ''] = SIZE.exec(size) ?? [];
  return [tier, letters, version].join('_').toLowerCase();
}

/** https://learn.microsoft.com/azure/virtual-machines/error-codes, word for word */
export function notInCluster(to: string): Error {
  return refused(
    'OperationNotAllowed',
    `Unable to resize the VM because the requested size ${to} is not available in the cluster where the VM is currently allocated. To resize your VM to ${to} please deallocate (this is Stop operation in the Azure portal) and try the resize operation again. Read more on VM resizing strategy at https://aka.ms/azure-resizevm.`,
    { target: 'vmSize' },
  );
}

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
