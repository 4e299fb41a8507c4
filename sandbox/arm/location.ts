import { refused } from './errors.ts';
import type { Tracked } from './records.ts';
import { nameOf } from './resource-id.ts';

/** As ARM shows them, https://learn.microsoft.com/azure/reliability/regions-list; the name is the same in small letters without spaces. */
export const LOCATIONS: readonly string[] = [
  ...['East US', 'East US 2', 'Central US', 'North Central US', 'South Central US', 'West Central US'],
  ...['West US', 'West US 2', 'West US 3', 'Canada Central', 'Canada East', 'Mexico Central', 'Chile Central'],
  ...['Brazil South', 'Brazil Southeast', 'North Europe', 'West Europe', 'UK South', 'UK West'],
  ...[
    'France Central',
    'France South',
    'Germany West Central',
    'Germany North',
    'Switzerland North',
    'Switzerland West',
  ],
  ...['Norway East', 'Norway West', 'Sweden Central', 'Italy North', 'Poland Central', 'Spain Central', 'Austria East'],
  ...['UAE North', 'UAE Central', 'Qatar Central', 'Israel Central', 'South Africa North', 'South Africa West'],
  ...['East Asia', 'Southeast Asia', 'Japan East', 'Japan West', 'Korea Central', 'Korea South', 'Malaysia West'],
  ...['Central India', 'South India', 'West India', 'Jio India West', 'Jio India Central', 'Indonesia Central'],
  ...['Australia East', 'Australia Southeast', 'Australia Central', 'Australia Central 2', 'New Zealand North'],
];

const normalName = (written: string): string => written.replaceAll(' ', '').toLowerCase();

const names: ReadonlySet<string> = new Set(LOCATIONS.map(normalName));

/** `West Europe` is `westeurope`; undefined where there is none. */
function locationNamed(written: string): string | undefined {
  const name = normalName(written);
  return names.has(name) ? name : undefined;
}

/** Of a resource that is put. `type`: `Microsoft.Network/virtualNetworks`. */
function locationName(written: string, type: string): string {
  const name = locationNamed(written);
  if (name !== undefined) return name;
  throw refused(
    'LocationNotAvailableForResourceType',
    `The provided location '${written}' is not available for resource type '${type}'. List of available regions for the resource type is '${[...names].join(',')}'.`,
  );
}

/** Of a resource group that is put. */
export function groupLocation(written: string): string {
  const name = locationNamed(written);
  if (name !== undefined) return name;
  throw refused(
    'LocationNotAvailableForResourceGroup',
    `The provided location '${written}' is not available for resource group. List of available regions is '${[...names].join(',')}'.`,
  );
}

interface InPath {
  readonly written: string;
  /** `locations/usages` */
  readonly type: string;
  readonly version: string;
  readonly versions: readonly string[];
}

/** Of a path below `/locations/`. */
export function pathLocation({ written, type, version, versions }: InPath): string {
  const name = locationNamed(written);
  if (name !== undefined) return name;
  throw refused(
    'NoRegisteredProviderFound',
    `No registered resource provider found for location '${written}' and API version '${version}' for type '${type}'. The supported api-versions are '${versions.join(', ')}'. The supported locations are '${[...names].join(', ')}'.`,
  );
}

interface Placement {
  readonly location: string | undefined;
  readonly known: Tracked | undefined;
  readonly path: string;
}

/** The location of a resource: a PUT must name it, and cannot change it. */
export function placeOf({ location, known, path }: Placement): string {
  if (location === undefined)
    throw refused('LocationRequired', 'The location property is required for this definition.');
  const place = locationName(location, typeOf(path));
  if (known && known.location !== place)
    throw refused(
      'InvalidResourceLocation',
      `The resource '${nameOf(path)}' already exists in location '${known.location}'. A resource with the same name cannot be created in location '${place}'. Please select a new resource name.`,
      { status: 409 },
    );
  return place;
}

/** `Microsoft.Network/virtualNetworks` */
const typeOf = (path: string): string => /\/providers\/([^/]+\/[^/]+)/i.exec(path)?.[1] ?? '';

interface Count {
  readonly known: Tracked | undefined;
  readonly others: Iterable<Tracked>;
  /** Undefined: wherever they are. */
  readonly location: string | undefined;
  readonly most: number;
}

/** The codes of limits are not documented: `NetworkCountLimitReached` is an assumption. */
export function checkCount(what: string, { known, others, location, most }: Count): void {
  if (known) return;
  let count = 0;
  for (const other of others) if (location === undefined || other.location === location) count++;
  if (count >= most)
    throw refused(
      `${what}CountLimitReached`,
      `Cannot create more than ${most} ${what} resources for this subscription in this region.`,
      { details: [] },
    );
}
