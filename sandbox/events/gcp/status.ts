import type { Failure } from '../../compute/records.ts';

/** https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto, by HTTP status; 2 is UNKNOWN. */
const CODES: Readonly<Record<number, number>> = { 400: 3, 403: 7, 404: 5, 409: 6, 412: 9, 429: 8, 503: 14 };

export function statusOf({ code, message, status }: Failure): object {
  return { code: CODES[status] ?? 2, message: `${code}: ${message}` };
}
