import { createHash } from 'node:crypto';

/**
 * What Google answers for no labels and for no tags:
 * https://github.com/aquasecurity/cloudsploit/blob/master/plugins/google/compute/instanceDeletionProtection.spec.js
 */
const OF_NOTHING = '42WmSpB8rSM=';

type Content = ReadonlyMap<string, unknown> | readonly unknown[];

/**
 * Eight bytes in base64 for URLs, padded, over the content alone: equal content has an equal fingerprint, in whatever
 * order the keys of a map or the items of a set came.
 */
export function fingerprint(content: Content): string {
  const parts = [...content].map((part) => JSON.stringify(part)).sort();
  if (parts.length === 0) return OF_NOTHING;
  return createHash('sha256').update(parts.join('\n')).digest().subarray(0, 8).toString('base64url').padEnd(12, '=');
}
