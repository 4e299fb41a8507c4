/**
 * A resource without what only Azure may write: it ignores that in a PUT, and its own definitions forbid it there. All else
 * stays, whether we know it or not. Its id says of which type it is.
 */
export function writable<R extends object>(resource: R): R {
  const id = 'id' in resource ? String(resource.id).toLowerCase() : '';
  const type = /\/([a-z]+)\/[^/]+$/.exec(id)?.[1] ?? '';
  return without(resource, { top: true, own: ofType[type] ?? [] }) as R; // why: only what is not ours to write was left out
}

/**
 * `"readOnly": true` in Microsoft's definitions, anywhere within a resource:
 * https://github.com/Azure/azure-rest-api-specs/tree/main/specification/network/resource-manager
 */
const everywhere: ReadonlySet<string> = new Set([
  'provisioningState',
  'etag',
  'resourceGuid',
  'defaultSecurityRules',
  'ipConfigurationProfiles',
  'privateEndpoints',
  'resourceNavigationLinks',
  'serviceAssociationLinks',
  'purpose',
  'vnetEncryptionSupported',
  'remoteVirtualNetworkEncryption',
  'tapConfigurations',
  'macAddress',
  'hostedWorkloads',
  'virtualMachine',
  'privateLinkService',
  'dscpConfiguration',
  'appliedDnsServers',
  'internalDomainNameSuffix',
]);

/** Of the resource itself, not of what lies in it. */
const atTop: ReadonlySet<string> = new Set(['name', 'type']);

/** Right below the `properties` of a type; elsewhere the same word may be ours to write. */
const ofType: Readonly<Record<string, readonly string[]>> = {
  networksecuritygroups: ['subnets', 'networkInterfaces'],
  networkinterfaces: ['primary', 'privateEndpoint'],
  subnets: ['ipConfigurations', 'privateEndpoint'],
};

interface Level {
  readonly top: boolean;
  readonly own: readonly string[];
}

function without(value: unknown, { top, own }: Level): unknown {
  if (Array.isArray(value)) return value.map((each) => without(each, inside));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !everywhere.has(key) && !(top && atTop.has(key)))
      .map(([key, each]) => [key, partOf(key, each, { top, own })]),
  );
}

/** Tags are called as people like. */
function partOf(key: string, value: unknown, { top, own }: Level): unknown {
  if (top && key === 'tags') return value;
  return top && key === 'properties' ? withoutOwn(value, own) : without(value, inside);
}

const inside: Level = { top: false, own: [] };

function withoutOwn(properties: unknown, own: readonly string[]): unknown {
  if (typeof properties !== 'object' || properties === null) return properties;
  const kept = Object.entries(properties).filter(([key]) => !own.includes(key) && !everywhere.has(key));
  return Object.fromEntries(kept.map(([key, each]) => [key, key === 'subnets' ? inline(each) : without(each, inside)]));
}

/** Subnets in their network, with their names. */
const inline = (subnets: unknown): unknown =>
  Array.isArray(subnets) ? subnets.map((subnet: object) => ({ ...named(subnet), ...writable(subnet) })) : subnets;
const named = (child: object): object => ('name' in child ? { name: child.name } : {});
