import { createHash } from 'node:crypto';

/**
 * A weak ETag (https://www.rfc-editor.org/rfc/rfc9110#section-8.8.1): the same for answers that say the same, however old what
 * they rest on has become. Within a text of JSON no key can look like this one: its quotes would be escaped.
 */
export const etagOf = (json: string): string =>
  `W/"${createHash('sha256')
    .update(json.replace(/"ageSeconds":[\d.e+-]+/g, ''))
    .digest('base64url')
    .slice(0, 22)}"`;

/** Whether If-None-Match names it, by the weak comparison. */
export const isNamed = (etag: string, ifNoneMatch: string | undefined): boolean =>
  (ifNoneMatch ?? '').split(',').some((one) => one.trim() === etag || one.trim() === '*');
