import { refused } from './errors.ts';
import { locationName } from './location.ts';
import type { Tracked } from './records.ts';
import { nameOf } from './resource-id.ts';

interface Wish {
  readonly location: string | undefined;
  readonly known: Tracked | undefined;
  readonly path: string;
}

/** Where a resource is put: what a PUT must say, and cannot change. */
export function placeOf({ location, known, path }: Wish): string {
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
