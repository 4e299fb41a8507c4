import type { BatchLimits } from '../../src/core/batches.ts';
import type { Budget, Request } from '../../src/ports/limiter.ts';

/**
 * Azure's rate limits per subscription and region: Resource Manager counts every request by what it does, and the resource
 * provider behind it counts its own again. Each request that this provider makes is a row, known by its method and the
 * shape of its URL, so that none passes uncounted.
 */
const front = 'https://learn.microsoft.com/azure/azure-resource-manager/management/request-limits-and-throttling';
const network = `${front}#network-throttling`;
const compute = 'https://learn.microsoft.com/azure/virtual-machines/compute-throttling-limits';

const bucket = (capacity: number, perSecond: number, source: string): Budget => ({
  shape: 'bucket',
  capacity,
  perSecond,
  source,
});
const window = (calls: number, windowMs: number, source: string): Budget => ({
  shape: 'window',
  calls,
  windowMs,
  source,
});

/** Compute says what its buckets get back in a minute. */
const minute = 60;

const budgets = {
  'arm-reads': bucket(250, 25, front),
  'arm-writes': bucket(200, 10, front),
  'arm-deletes': bucket(200, 10, front),
  'network-reads': window(10_000, 300_000, network),
  'network-writes': window(1_000, 300_000, network),
  'vm-list': bucket(900, 300 / minute, compute),
  'vm-get': bucket(24_000, 8_000 / minute, compute),
  'vm-put': bucket(1_500, 500 / minute, compute),
  'vm-update': bucket(1_500, 500 / minute, compute),
  'vm-delete': bucket(1_500, 500 / minute, compute),
  'compute-poll': bucket(15_000, 5_000 / minute, compute),
} as const satisfies Readonly<Record<string, Budget>>;

export type RateLimitName = keyof typeof budgets;

/** The bucket of Resource Manager that every request takes one from. */
const inFront: Readonly<Record<string, RateLimitName>> = { GET: 'arm-reads', DELETE: 'arm-deletes' };

const platformImage = 'microsoft.compute/locations/*/publishers/*/artifacttypes/*/offers/*/skus/*/versions';

const publicImage = (galleries: string): string => `microsoft.compute/locations/*/${galleries}/*/images/*`;

/** The API's name of it; method and type, an instance of a type with `/*`; what else it takes one from. */
const rows: readonly (readonly [action: string, shape: string, behind?: RateLimitName])[] = [
  ['Providers_Get', 'GET providers/*'],
  ['ResourceGroups_Get', 'GET resourcegroups/*'],
  ['ResourceGroups_CreateOrUpdate', 'PUT resourcegroups/*'],

  ['VirtualNetworks_ListAll', 'GET microsoft.network/virtualnetworks', 'network-reads'],
  ['VirtualNetworks_Get', 'GET microsoft.network/virtualnetworks/*', 'network-reads'],
  ['VirtualNetworks_ListUsage', 'GET microsoft.network/virtualnetworks/*/usages', 'network-reads'],
  [
    'ListNetworkManagerEffectiveSecurityAdminRules',
    'POST microsoft.network/virtualnetworks/*/listnetworkmanagereffectivesecurityadminrules',
    'network-writes',
  ],
  ['VirtualNetworks_CreateOrUpdate', 'PUT microsoft.network/virtualnetworks/*', 'network-writes'],
  ['VirtualNetworks_UpdateTags', 'PATCH microsoft.network/virtualnetworks/*', 'network-writes'],
  ['VirtualNetworks_Delete', 'DELETE microsoft.network/virtualnetworks/*', 'network-writes'],
  ['Subnets_Get', 'GET microsoft.network/virtualnetworks/*/subnets/*', 'network-reads'],
  ['Subnets_CreateOrUpdate', 'PUT microsoft.network/virtualnetworks/*/subnets/*', 'network-writes'],
  ['Subnets_Delete', 'DELETE microsoft.network/virtualnetworks/*/subnets/*', 'network-writes'],

  ['RouteTables_ListAll', 'GET microsoft.network/routetables', 'network-reads'],

  ['NetworkSecurityGroups_ListAll', 'GET microsoft.network/networksecuritygroups', 'network-reads'],
  ['NetworkSecurityGroups_Get', 'GET microsoft.network/networksecuritygroups/*', 'network-reads'],
  ['NetworkSecurityGroups_CreateOrUpdate', 'PUT microsoft.network/networksecuritygroups/*', 'network-writes'],
  ['NetworkSecurityGroups_UpdateTags', 'PATCH microsoft.network/networksecuritygroups/*', 'network-writes'],
  ['NetworkSecurityGroups_Delete', 'DELETE microsoft.network/networksecuritygroups/*', 'network-writes'],
  ['SecurityRules_Get', 'GET microsoft.network/networksecuritygroups/*/securityrules/*', 'network-reads'],
  ['SecurityRules_CreateOrUpdate', 'PUT microsoft.network/networksecuritygroups/*/securityrules/*', 'network-writes'],
  ['SecurityRules_Delete', 'DELETE microsoft.network/networksecuritygroups/*/securityrules/*', 'network-writes'],

  ['ApplicationSecurityGroups_ListAll', 'GET microsoft.network/applicationsecuritygroups', 'network-reads'],
  ['ApplicationSecurityGroups_Get', 'GET microsoft.network/applicationsecuritygroups/*', 'network-reads'],
  ['ApplicationSecurityGroups_CreateOrUpdate', 'PUT microsoft.network/applicationsecuritygroups/*', 'network-writes'],
  ['ApplicationSecurityGroups_UpdateTags', 'PATCH microsoft.network/applicationsecuritygroups/*', 'network-writes'],
  ['ApplicationSecurityGroups_Delete', 'DELETE microsoft.network/applicationsecuritygroups/*', 'network-writes'],

  ['NetworkInterfaces_ListAll', 'GET microsoft.network/networkinterfaces', 'network-reads'],
  ['NetworkInterfaces_Get', 'GET microsoft.network/networkinterfaces/*', 'network-reads'],
  ['NetworkInterfaces_CreateOrUpdate', 'PUT microsoft.network/networkinterfaces/*', 'network-writes'],
  ['NetworkInterfaces_UpdateTags', 'PATCH microsoft.network/networkinterfaces/*', 'network-writes'],
  ['NetworkInterfaces_Delete', 'DELETE microsoft.network/networkinterfaces/*', 'network-writes'],
  ['PublicIPAddresses_ListAll', 'GET microsoft.network/publicipaddresses', 'network-reads'],
  ['PublicIPAddresses_Get', 'GET microsoft.network/publicipaddresses/*', 'network-reads'],
  ['PublicIPAddresses_CreateOrUpdate', 'PUT microsoft.network/publicipaddresses/*', 'network-writes'],
  ['PublicIPAddresses_UpdateTags', 'PATCH microsoft.network/publicipaddresses/*', 'network-writes'],
  ['PublicIPAddresses_Delete', 'DELETE microsoft.network/publicipaddresses/*', 'network-writes'],
  ['NetworkOperations_Get', 'GET microsoft.network/locations/*/operations/*', 'network-reads'],
  ['NetworkOperationResults_Get', 'GET microsoft.network/locations/*/operationresults/*', 'network-reads'],

  ['VirtualMachines_ListAll', 'GET microsoft.compute/virtualmachines', 'vm-list'],
  ['VirtualMachines_Get', 'GET microsoft.compute/virtualmachines/*', 'vm-get'],
  ['VirtualMachines_InstanceView', 'GET microsoft.compute/virtualmachines/*/instanceview', 'vm-get'],
  ['VirtualMachines_CreateOrUpdate', 'PUT microsoft.compute/virtualmachines/*', 'vm-put'],
  ['VirtualMachines_Update', 'PATCH microsoft.compute/virtualmachines/*', 'vm-update'],
  ['VirtualMachines_Delete', 'DELETE microsoft.compute/virtualmachines/*', 'vm-delete'],
  ['VirtualMachines_Start', 'POST microsoft.compute/virtualmachines/*/start', 'vm-update'],
  ['VirtualMachines_Deallocate', 'POST microsoft.compute/virtualmachines/*/deallocate', 'vm-update'],
  ['Disks_List', 'GET microsoft.compute/disks'],
  ['Disks_Get', 'GET microsoft.compute/disks/*'],
  ['Disks_Update', 'PATCH microsoft.compute/disks/*'],
  ['Disks_Delete', 'DELETE microsoft.compute/disks/*'],
  ['ResourceSkus_List', 'GET microsoft.compute/skus'],
  ['Usage_List', 'GET microsoft.compute/locations/*/usages'],
  ['VirtualMachineImages_List', `GET ${platformImage}`],
  ['VirtualMachineImages_Get', `GET ${platformImage}/*`],
  ['Images_Get', 'GET microsoft.compute/images/*'],
  ['GalleryImages_Get', 'GET microsoft.compute/galleries/*/images/*'],
  ['GalleryImageVersions_Get', 'GET microsoft.compute/galleries/*/images/*/versions/*'],
  ['GalleryImageVersions_ListByGalleryImage', 'GET microsoft.compute/galleries/*/images/*/versions'],
  ['CommunityGalleryImages_Get', `GET ${publicImage('communitygalleries')}`],
  ['SharedGalleryImages_Get', `GET ${publicImage('sharedgalleries')}`],
  ['CommunityGalleryImageVersions_List', `GET ${publicImage('communitygalleries')}/versions`],
  ['CommunityGalleryImageVersions_Get', `GET ${publicImage('communitygalleries')}/versions/*`],
  ['SharedGalleryImageVersions_List', `GET ${publicImage('sharedgalleries')}/versions`],
  ['SharedGalleryImageVersions_Get', `GET ${publicImage('sharedgalleries')}/versions/*`],
  ['ComputeOperations_Get', 'GET microsoft.compute/locations/*/operations/*', 'compute-poll'],
];

const byShape = new Map(rows.map(([action, shape, behind]) => [shape, { action, behind }]));

/** A GET only reads, and so does a POST that lists. */
const isWrite = (shape: string): boolean => !/^(?:GET |POST .*\/list[^/]*$)/.test(shape);

/** The names of all requests that change something, or of all that only read. */
export const actionsThat = (write: boolean): readonly string[] =>
  rows.filter(([, shape]) => isWrite(shape) === write).map(([action]) => action);

/**
 * The type and cost of a request. The cloud chooses the URL for polling an operation, so a read of another shape costs the same as every
 * read; a write of another shape is a defect of ours. Rate limits are named `<scope>/arm-reads`. Azure does not document whether it counts
 * a POST that lists as a read or a write, so the smaller budget counts.
 */
export function requestFor(scope: string, method: string, url: string): Request {
  const shape = shapeOf(method, url);
  const row = byShape.get(shape);
  if (row === undefined && method !== 'GET') throw new Error(`limits.ts has no row for ${shape}`);
  const rateLimits = [inFront[method] ?? 'arm-writes', ...(row?.behind === undefined ? [] : [row.behind])];
  const costs = rateLimits.map((name) => ({
    rateLimit: { key: `${scope}/${name}`, budget: budgets[name] },
    amount: 1,
  }));
  return { action: row?.action ?? 'Other_Get', mutating: isWrite(shape), costs };
}

/** `PUT microsoft.network/virtualnetworks/*`: as Azure compares, without case, subscription, resource group and names. */
function shapeOf(method: string, url: string): string {
  const path = new URL(url).pathname.toLowerCase().replace(/^.*?\/subscriptions\/[^/]+\//, '');
  const [, namespace, types] = /^(?:resourcegroups\/[^/]+\/)?providers\/([^/]+)\/(.+)$/.exec(path) ?? [];
  if (namespace === undefined || types === undefined) return `${method} ${starred(path)}`;
  return `${method} ${namespace}/${starred(types)}`;
}

/** Types and names take turns. */
const starred = (path: string): string =>
  path
    .split('/')
    .map((step, at) => (at % 2 === 0 ? step : '*'))
    .join('/');

/**
 * Bounds for reading one answer. Azure has no option for the length of a page, so a longest page has room.
 *
 *   bound   | is        | and this is known
 *   --------+-----------+------------------------------------------------------------------------------------------------
 *   bytes   | 32 MiB    | Resource Manager asks resource providers for 8 MB at most, and suffers from 16 MB on:
 *           |           | https://github.com/Azure/azure-functions-host/issues/8869
 *   parts   | 2,000,000 | 1,000 machines have 120,000, a security group of 1,000 rules 50,000, a network of 3,000 subnets and
 *           |           | 65,536 addresses 350,000; 32 MiB of rules 1,900,000
 *   depth   | 64        | a machine in a listing is 12 deep
 *   gap     | 4 KiB     | no number has over 20 digits; Azure sends no blanks
 *   refusal | 256 KiB   | a refusal has 1 KB
 */
export const bounds = {
  bytes: 32 * 1024 * 1024,
  parts: 2_000_000,
  depth: 64,
  gap: 4096,
  refusal: 256 * 1024,
} as const;

/** Most things one call takes. */
export const most = {
  /** https://learn.microsoft.com/azure/azure-resource-manager/management/azure-subscription-service-limits#networking-limits: a thousand
   * rules an NSG; of subnets a VNet has three thousand, of which we send a third at once. */
  inline: 1000,
} as const;

/** Most actions in one call of ours; machines go side by side. */
export const batches: BatchLimits = {
  'subnet/create': most.inline,
  'subnet/update': most.inline,
  'firewall-rule/create': most.inline,
  'firewall-rule/update': most.inline,
  'firewall-rule/delete': most.inline,
  'instance/create': 20,
  'instance/update': 20,
  'instance/delete': 20,
};
