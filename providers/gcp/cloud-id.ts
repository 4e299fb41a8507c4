import type { CloudId } from '../../src/core/resource.ts';
import { lastOf, pathOf } from './links.ts';

/**
 * Names can be used again, so an id holds the cloud's own number too, which cannot: it is given once and for ever.
 * `projects/acme/global/networks/core#3912`, `projects/acme/zones/europe-west1-b/instances/web-0#77`
 */
export interface Named {
  readonly id?: number | string | { toString(): string } | null;
  readonly selfLink?: string | null;
}

/** Undefined where the cloud left out one of the two. */
export function idOf({ id, selfLink }: Named): CloudId | undefined {
  const number = numberOf(id);
  const path = pathOf(selfLink ?? '');
  return number === undefined || !path.startsWith('projects/') ? undefined : `${path}#${number}`;
}

/** An answer without a number is decoded as 0. */
export function numberOf(id: Named['id']): string | undefined {
  const text = id?.toString() ?? '';
  return /^[1-9]\d*$/.test(text) ? text : undefined;
}

/** An id, taken apart. `location`: a region or a zone; absent for global resources. `number` is '' if the id has none. */
export interface Place {
  readonly path: string;
  readonly number: string;
  readonly name: string;
  readonly location?: string;
}

export function placeOf(id: CloudId): Place {
  const [path = '', number = ''] = id.split('#');
  const location = /^projects\/[^/]+\/(?:regions|zones)\/([^/]+)\//.exec(path)?.[1];
  return { path, number, name: lastOf(path), location };
}
