import type { BatchLimits } from '../../src/core/batches.ts';
import type { Budget, Cost, Request } from '../../src/ports/limiter.ts';

/**
 * Compute Engine's quotas: per project, and per region too for regional and zonal resources, in windows of 60 s that begin
 * together. Which figure binds depends on the metrics that a project has (the older ones count kinds of reads apart, the newer
 * ones together), so every request is counted under both, at the figures of the older ones: the newer are "higher limits"
 * that only the console shows. Every action that this provider calls is a row here; an action without a row does not compile.
 */
const quota = 'https://docs.cloud.google.com/compute/api-quota';

const window = (calls: number, source: string): Budget => ({ shape: 'window', calls, windowMs: 60_000, source });

/** "1500 requests/minute": of writes (`default`), of reads (`read_requests`), and the same for each region. */
const usual = window(1500, `${quota}#rate-quotas`);
/** Heavy-weight reads, half of it: listings over every place, and waits for operations. https://gitlab.com/gitlab-org/ci-cd/shared-runners/infrastructure/-/issues/108 */
const heavy = window(750, `${quota}#legacy-quotas`);

type Row = 'read' | 'heavy read' | 'write';

export const actions = {
  'projects.get': 'read',
  'regions.get': 'read',

  'networks.list': 'read',
  'networks.get': 'read',
  'networks.insert': 'write',
  'networks.delete': 'write',
  'routes.list': 'read',
  'routes.insert': 'write',
  'routes.delete': 'write',
  'routers.aggregatedList': 'heavy read',
  'subnetworks.aggregatedList': 'heavy read',
  'subnetworks.get': 'read',
  'subnetworks.insert': 'write',
  'subnetworks.delete': 'write',
  'firewalls.list': 'read',
  'firewalls.get': 'read',
  'firewalls.insert': 'write',
  'firewalls.patch': 'write',
  'firewalls.update': 'write',
  'firewalls.delete': 'write',
  'regionNetworkFirewallPolicies.getEffectiveFirewalls': 'read',

  'images.get': 'read',
  'images.getFromFamily': 'read',
  'machineTypes.get': 'read',
  'instances.aggregatedList': 'heavy read',
  'instances.get': 'read',
  'instances.insert': 'write',
  'instances.delete': 'write',
  'instances.start': 'write',
  'instances.stop': 'write',
  'instances.resume': 'write',
  'instances.setLabels': 'write',
  'instances.setMetadata': 'write',
  'instances.setTags': 'write',
  'instances.setMachineType': 'write',
  'instances.setServiceAccount': 'write',
  'disks.aggregatedList': 'heavy read',
  'disks.get': 'read',
  'disks.resize': 'write',
  'disks.setLabels': 'write',

  'globalOperations.wait': 'heavy read',
  'globalOperations.list': 'read',
  'regionOperations.wait': 'heavy read',
  'regionOperations.list': 'read',
  'zoneOperations.wait': 'heavy read',
  'zoneOperations.list': 'read',
} as const satisfies Readonly<Record<string, Row>>;

export type Action = keyof typeof actions;

/** `scope`: `gcp/<project>`. `region`: where the request is regional or zonal. */
export function requestFor(scope: string, action: Action, region?: string): Request {
  const row: Row = actions[action];
  const [place, per] = region === undefined ? [scope, 'global'] : [`${scope}/${region}`, 'regional'];
  const usually = `${place}/${per}_${row === 'write' ? 'writes' : 'reads'}`;
  const costs: Cost[] = [{ rateLimit: { key: usually, budget: usual }, amount: 1 }];
  if (row === 'heavy read') costs.push({ rateLimit: { key: `${place}/${per}_heavy_reads`, budget: heavy }, amount: 1 });
  return { action, mutating: row === 'write', costs };
}

/**
 * Setpoint's bounds for reading one answer. The largest objects are machines, with 512 KiB of metadata
 * (https://cloud.google.com/compute/docs/metadata/setting-custom-metadata#limitations) and up to 128 disks, and firewalls of 5,000
 * ranges (https://cloud.google.com/vpc/docs/quota#per_firewall).
 *
 *   bound   | is      | and this is known
 *   --------+---------+---------------------------------------------------------------------------------------
 *   bytes   | 32 MiB  | a page of 500 machines has 2 MB, and 30 MB where each bears 60 KB, as nodes of GKE do
 *   parts   | 500,000 | a page of 500 machines has 85,000, a machine of 128 disks 10,000
 *   depth   | 64      | a machine in a listing of all zones is 13 deep
 *   gap     | 4 KiB   | no number has over 20 digits; a line of Google's layout has up to 30 blanks
 *   refusal | 256 KiB | a refusal has 1 KB
 *
 * If a page exceeds one of them, Setpoint requests a smaller page: see pages.ts.
 */
export const bounds = {
  bytes: 32 * 1024 * 1024,
  parts: 500_000,
  depth: 64,
  gap: 4096,
  refusal: 256 * 1024,
} as const;

export const most = {
  /** "Acceptable values are 0 to 500": https://cloud.google.com/compute/docs/reference/rest/v1/instances/aggregatedList */
  page: 500,
  /** Of such a page every answer is within its bounds: 5 machines have 3 MiB at most. */
  smallPage: 5,
  /** Parallel requests of one of our calls: the cloud takes one item a request. */
  together: 20,
} as const;

/** The number of actions that one call may carry. */
export const batches: BatchLimits = {
  'network/create': most.together,
  'network/delete': most.together,
  'subnet/create': most.together,
  'subnet/delete': most.together,
  'firewall-rule/create': most.together,
  'firewall-rule/update': most.together,
  'firewall-rule/delete': most.together,
  'instance/create': most.together,
  'instance/update': most.together,
  'instance/delete': most.together,
};
