import { refused } from './errors.ts';

/** `West Europe` is `westeurope`: https://learn.microsoft.com/azure/reliability/regions-list */
export function locationName(written: string): string {
  const name = written.replaceAll(' ', '').toLowerCase();
  if (/^[a-z][a-z0-9]*$/.test(name)) return name;
  throw refused(
    'LocationNotAvailableForResourceType',
    `The provided location '${written}' is not available. List of available regions for the resource type is 'westeurope,northeurope,eastus,…'.`,
  );
}
