import { formatCidr, parseBlock } from '../../src/core/cidr.ts';
import { lastOf, pathOf } from './links.ts';

/**
 * The canonical text of a block: `2600:2900:3070:BE4:6000:0:0:0/128` is `2600:2900:3070:be4:6000::/128`. Firewalls also hold an address
 * without a mask, as it was sent: recorded answers say `130.41.238.42` for `130.41.238.42/32`.
 */
export function canonicalCidr(text: string): string {
  const block = parseBlock(text);
  return block === undefined ? text : formatCidr(block);
}

/**
 * An image by one text: `projects/P/global/images/N` or `projects/P/global/images/family/F`. What names no project is one of
 * the project's own: https://cloud.google.com/compute/docs/reference/rest/v1/instances/insert (initializeParams.sourceImage)
 */
export function canonicalImage(text: string, project: string): string {
  const path = pathOf(text);
  return path.startsWith('global/images/') ? `projects/${project}/${path}` : path;
}

/** A machine type or disk type: by its name, a partial URL or a whole one. */
export const canonicalType = (text: string): string => lastOf(text);

/** IAM alone limits a machine's permissions: https://cloud.google.com/compute/docs/access/service-accounts#scopes_best_practice */
export const accountScopes: readonly string[] = ['https://www.googleapis.com/auth/cloud-platform'];
