import type { WireRequest } from '../protocol.ts';

export interface Requester {
  readonly ip: string;
  readonly agent: string;
}

/** Where a request came from. All come from this machine, so one that says it was passed on by a proxy is believed. */
export function requesterOf({ headers, from = '127.0.0.1' }: WireRequest): Requester {
  const first = headers['x-forwarded-for']?.split(',')[0]?.trim() ?? '';
  return { ip: (first || from).replace(/^::ffff:/, ''), agent: headers['user-agent'] ?? '' };
}
