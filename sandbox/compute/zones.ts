/** One of Google's places. `number` is its id in the API. */
export interface Location {
  readonly name: string;
  readonly number: string;
}

export interface Zone extends Location {
  readonly region: string;
}

/**
 * The regions that the sandbox has, of those that Google names:
 * https://docs.cloud.google.com/compute/docs/regions-zones#available
 */
export const REGIONS: readonly Location[] = [
  { name: 'europe-west1', number: '1100' },
  { name: 'europe-west4', number: '1250' },
  { name: 'us-central1', number: '1000' },
];

/** Letters do not begin at a everywhere: europe-west1 has no zone a. */
export const ZONES: readonly Zone[] = [
  { name: 'europe-west1-b', number: '2100', region: 'europe-west1' },
  { name: 'europe-west1-c', number: '2103', region: 'europe-west1' },
  { name: 'europe-west1-d', number: '2104', region: 'europe-west1' },
  { name: 'europe-west4-a', number: '2251', region: 'europe-west4' },
  { name: 'europe-west4-b', number: '2252', region: 'europe-west4' },
  { name: 'europe-west4-c', number: '2253', region: 'europe-west4' },
  { name: 'us-central1-a', number: '2000', region: 'us-central1' },
  { name: 'us-central1-b', number: '2001', region: 'us-central1' },
  { name: 'us-central1-c', number: '2002', region: 'us-central1' },
  { name: 'us-central1-f', number: '2004', region: 'us-central1' },
];

const zones: ReadonlyMap<string, Zone> = new Map(ZONES.map((zone) => [zone.name, zone]));

const regions: ReadonlyMap<string, Location> = new Map(REGIONS.map((region) => [region.name, region]));

export function zoneNamed(name: string): Zone | undefined {
  return zones.get(name);
}

export function regionNamed(name: string): Location | undefined {
  return regions.get(name);
}
