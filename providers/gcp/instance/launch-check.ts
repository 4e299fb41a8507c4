import type { Result } from '../../../src/core/failure.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Call, LaunchAnswer, LaunchQuestion } from '../../../src/ports/provider.ts';
import {
  firstObstacle,
  impossible,
  once,
  possible,
  type Quota,
  unknown,
  withAddress,
  withinQuotas,
} from '../../shared/launch-answer.ts';
import { placeOf } from '../cloud-id.ts';
import { regionOfZone } from '../links.ts';
import type { RegionQuota, Subnetwork } from '../messages.ts';
import type { Scope } from '../scope.ts';
import { canonicalImage, canonicalType } from '../spelling.ts';

/**
 * Checks that Compute Engine would launch such a machine.
 *
 *   asked                                       | impossible where
 *   --------------------------------------------+---------------------------------------------------------------
 *   images.get, images.getFromFamily            | 404; or the image is obsolete or deleted, which nothing can be made from
 *   machineTypes.get in the zone of the address | 404
 *   subnetworks.get with its utilization        | the machine needs room, and the primary range has no free address
 *   regions.get of the zone's region            | the machine needs room, and vCPUs, machines or external addresses are used up
 *
 * https://docs.cloud.google.com/compute/docs/reference/rest/v1/images/get,
 * https://docs.cloud.google.com/compute/docs/images/image-management-best-practices (what OBSOLETE forbids),
 * https://docs.cloud.google.com/compute/docs/reference/rest/v1/subnetworks/get (`views`)
 */
export async function canLaunch(question: LaunchQuestion, scope: Scope, call: Call): Promise<LaunchAnswer> {
  const { address, image, size, subnet, needsRoom } = question;
  const zone = address.split('/')[2] ?? '';
  const type = canonicalType(size);
  return firstObstacle([
    async () => (image === undefined ? possible : imageAnswer(canonicalImage(image, scope.project), scope, call)),
    () => typeAnswer(type, zone, scope, call),
    async () => (needsRoom && subnet !== undefined ? addressAnswer(subnet, scope, call) : possible),
    async () => (needsRoom ? quotaAnswer({ type, zone, publicIp: question.publicIp }, scope, call) : possible),
  ]);
}

const pattern = /^projects\/([^/]+)\/global\/images\/(family\/)?([^/]+)$/;

/** Other spellings (a family as a zone sees it) are left to the launch itself. */
async function imageAnswer(path: string, scope: Scope, call: Call): Promise<LaunchAnswer> {
  const [, project, family, name] = pattern.exec(path) ?? [];
  if (project === undefined || name === undefined) return possible;
  if (scope.known.launchable.has(path)) return possible;
  const found: Result<{ readonly deprecated?: { readonly state?: string | null } | null }> =
    family === undefined
      ? await scope.client.read('images.get', call, (sdk, options) =>
          sdk.images().get({ project, image: name }, options),
        )
      : await scope.client.read('images.getFromFamily', call, (sdk, options) =>
          sdk.images().getFromFamily({ project, family: name }, options),
        );
  if (!found.ok)
    return refusal(found, `image ${path} does not exist: correct the image, or share it with this project`);
  const state = found.value.deprecated?.state;
  if (state === 'OBSOLETE' || state === 'DELETED') {
    const failure = { kind: 'terminal', code: state, message: `images.get says deprecated.state ${state}.` } as const;
    return impossible(failure, `image ${path} is no longer usable: name another`);
  }
  scope.known.launchable.add(path);
  return possible;
}

async function typeAnswer(
  machineType: string,
  zone: string,
  { client, project, known }: Scope,
  call: Call,
): Promise<LaunchAnswer> {
  const key = cpusKey(zone, machineType);
  if (known.cpus.has(key)) return possible;
  const ask = { action: 'machineTypes.get', region: regionOfZone(zone) } as const;
  const found = await client.read(ask, call, (sdk, options) =>
    sdk.machineTypes().get({ project, zone, machineType }, options),
  );
  if (!found.ok)
    return refusal(found, `size ${machineType} is not offered in ${zone}: correct the size, or take another zone`);
  known.cpus.set(key, found.value.guestCpus ?? 0);
  return possible;
}

const cpusKey = (zone: string, type: string): string => `${zone} ${type}`;

const refusal = ({ failure }: Extract<Result<never>, { readonly ok: false }>, why: string): LaunchAnswer =>
  failure.kind === 'not-found' ? impossible(failure, why) : unknown(failure);

async function addressAnswer(subnet: CloudId, { client, project, known }: Scope, call: Call): Promise<LaunchAnswer> {
  const { location: region = '', name: subnetwork } = placeOf(subnet);
  const free = await once(known.free, subnet, async () => {
    const found = await client.read({ action: 'subnetworks.get', region }, call, (sdk, options) =>
      sdk.subnetworks().get({ project, region, subnetwork, views: 'WITH_UTILIZATION' }, options),
    );
    return found.ok ? { ok: true, value: freeIn(found.value) } : found;
  });
  return free.ok ? withAddress(free.value, subnetwork) : unknown(free.failure);
}

/** Machines get their addresses from the primary range, which has an empty name. */
function freeIn({ utilizationDetails }: Subnetwork): number | undefined {
  const primary = utilizationDetails?.ipv4Utilizations?.find(({ rangeName }) => !rangeName);
  const free = primary?.totalFreeIp;
  return free === undefined || free === null ? undefined : Number(free.toString());
}

interface Wanted {
  readonly type: string;
  readonly zone: string;
  readonly publicIp: boolean;
}

async function quotaAnswer(
  { type, zone, publicIp }: Wanted,
  { client, project, known }: Scope,
  call: Call,
): Promise<LaunchAnswer> {
  const region = regionOfZone(zone);
  const quotas = await once(known.quotas, region, async () => {
    const found = await client.read({ action: 'regions.get', region }, call, (sdk, options) =>
      sdk.regions().get({ project, region }, options),
    );
    return found.ok ? { ok: true, value: new Map((found.value.quotas ?? []).map(quotaOf)) } : found;
  });
  if (!quotas.ok) return unknown(quotas.failure);
  const needs = new Map([
    ['INSTANCES', 1],
    [cpuMetricOf(type), known.cpus.get(cpusKey(zone, type)) ?? 0],
    ['IN_USE_ADDRESSES', publicIp ? 1 : 0],
  ]);
  return withinQuotas(quotas.value, needs, region);
}

const quotaOf = ({ metric, limit, usage }: RegionQuota): readonly [string, Quota] => [
  metric ?? '',
  { name: metric ?? '', limit: limit ?? -1, used: usage ?? 0 },
];

/** Series that share the quota CPUS: https://docs.cloud.google.com/compute/resource-usage#cpu_quota */
const sharing: ReadonlySet<string> = new Set(['e2', 'n1', 'f1', 'g1', 'custom']);

/** `n2-standard-4` → `N2_CPUS`. Newer series have no such quota; then only the launch shows the limit. */
function cpuMetricOf(type: string): string {
  const series = type.split('-')[0] ?? '';
  return sharing.has(series) ? 'CPUS' : `${series.toUpperCase()}_CPUS`;
}
