import { createHash } from 'node:crypto';

/**
 * The requestId of one request: a UUID derived from the intent's token and the request. So the cloud recognises a repeated
 * request, and does not take another request of the intent for it.
 * https://cloud.google.com/compute/docs/api/how-tos/idempotency
 */
export function requestId(token: string, ...what: readonly string[]): string {
  const hex = createHash('sha256')
    .update([token, ...what].join('\n'))
    .digest('hex');
  // why: version 8, of one's own making, and the variant of RFC 9562: https://www.rfc-editor.org/rfc/rfc9562#section-5.8
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(18, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
