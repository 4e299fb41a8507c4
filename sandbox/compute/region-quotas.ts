import { refused } from './errors.ts';
import { machineTypeNamed } from './machine-types.ts';
import { nameIn } from './place.ts';
import type { Project } from './project.ts';
import type { Scope } from './records.ts';
import { ZONES, zoneNamed } from './zones.ts';

/** One line of a region's `quotas`: https://docs.cloud.google.com/compute/docs/reference/rest/v1/regions/get */
interface RegionQuota {
  readonly metric: string;
  readonly limit: number;
  readonly usage: number;
}

/**
 * Series whose vCPUs have a quota by themselves; those of all others count as CPUS.
 * https://docs.cloud.google.com/compute/resource-usage#cpu_quota
 */
const OWN_METRICS: Readonly<Record<string, string>> = { n2: 'N2_CPUS', t2a: 'T2A_CPUS' };

/** vCPUs of the largest type that the sandbox has. */
const MOST_CPUS = 96;

/** A machine that is stopped gives back its vCPUs and its ephemeral address, and is still an instance. */
export function quotasOf(project: Project, region: string): readonly RegionQuota[] {
  const { instances, cpus, externalAddresses } = project.quotas;
  const { all, external, running } = inRegion(project, region);
  const used = new Map<string, number>();
  for (const [type, count] of running) {
    const metric = metricOf(type);
    used.set(metric, (used.get(metric) ?? 0) + count * cpusOf(type));
  }
  return [
    ...['CPUS', ...Object.values(OWN_METRICS)].map((metric) => ({ metric, limit: cpus, usage: used.get(metric) ?? 0 })),
    { metric: 'INSTANCES', limit: instances, usage: all },
    { metric: 'IN_USE_ADDRESSES', limit: externalAddresses, usage: external },
  ];
}

/** Throws where the region has no room for one such machine more. */
export function checkRegionQuotas(project: Project, scope: Scope, machineType: string, external: boolean): void {
  const { instances, quotas } = project;
  // why: so that not all machines are counted for each that is made, as long as they would fit were they all the largest and in one region
  const most = instances.size + 1;
  if (most <= Math.min(quotas.instances, quotas.externalAddresses) && most * MOST_CPUS <= quotas.cpus) return;
  const region = zoneNamed(nameIn(scope))?.region ?? '';
  const needs = new Map([
    ['INSTANCES', 1],
    [metricOf(machineType), cpusOf(machineType)],
    ['IN_USE_ADDRESSES', external ? 1 : 0],
  ]);
  for (const { metric, limit, usage } of quotasOf(project, region)) {
    const needed = needs.get(metric) ?? 0;
    if (needed > 0 && usage + needed > limit)
      throw refused('quotaExceeded', `Quota '${metric}' exceeded. Limit: ${limit.toFixed(1)} in region ${region}.`);
  }
}

interface Counted {
  readonly all: number;
  readonly external: number;
  /** By machine type, those that are not stopped. */
  readonly running: ReadonlyMap<string, number>;
}

/** Asked at each insertion, among thousands: so types are counted first, and looked up once. */
function inRegion({ instances }: Project, region: string): Counted {
  const running = new Map<string, number>();
  let [all, external] = [0, 0];
  for (const zone of ZONES) {
    if (zone.region !== region) continue;
    for (const { hardware, power, nic } of instances.of(`zones/${zone.name}`)) {
      all += 1;
      if (power.status === 'TERMINATED') continue;
      if (nic.access !== undefined) external += 1;
      running.set(hardware.machineType, (running.get(hardware.machineType) ?? 0) + 1);
    }
  }
  return { all, external, running };
}

const metricOf = (type: string): string => OWN_METRICS[type.split('-')[0] ?? ''] ?? 'CPUS';

/** A type has as many in each zone that offers it. */
function cpusOf(type: string): number {
  for (const { name } of ZONES) {
    const found = machineTypeNamed(name, type);
    if (found) return found.cpus;
  }
  return 0;
}
