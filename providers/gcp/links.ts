/** `https://www.googleapis.com/compute/v1/projects/acme/global/networks/core` and its partial forms → `projects/acme/…`. */
export const pathOf = (link: string): string => /(?:^|\/)(projects\/.*)$/.exec(link)?.[1] ?? link;

/** The last segment: `…/zones/europe-west1-b/machineTypes/e2-small` → `e2-small`. */
export const lastOf = (link: string): string => link.slice(link.lastIndexOf('/') + 1);

/** `europe-west1-b` → `europe-west1`: https://cloud.google.com/compute/docs/regions-zones */
export const regionOfZone = (zone: string): string => zone.replace(/-[a-z]$/, '');
