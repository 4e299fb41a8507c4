import type { WireRequest } from '../protocol.ts';

interface Requester {
  readonly ip: string;
  readonly agent: string;
}

/** Where a request came from. All come from this machine, so one that says it was passed on by a proxy is believed. */
export function requesterOf({ headers, from = '127.0.0.1' }: WireRequest): Requester {
  const first = headers['x-forwarded-for']?.split(',')[0]?.trim() ?? '';
  return { ip: (first || from).replace(/^::ffff:/, ''), agent: headers['user-agent'] ?? '' };
}

/**
 * What a bearer token says of its bearer: the claims of a JWT, whose signature is not checked, or an e-mail address that is
 * itself the token. Of any other token nothing is known. Tokens that say who they are tell clients of a test apart.
 */
export function bearerClaims({ headers }: WireRequest): ReadonlyMap<string, string> {
  const token = /^Bearer +(\S+)$/i.exec(headers['authorization'] ?? '')?.[1] ?? '';
  if (/^[^@\s.]+(?:\.[^@\s.]+)*@[^@\s]+$/.test(token)) return new Map([['email', token]]);
  const payload = /^[\w-]+\.([\w-]+)\.[\w-]*$/.exec(token)?.[1];
  return payload === undefined ? new Map() : claimsIn(Buffer.from(payload, 'base64url').toString('utf8'));
}

function claimsIn(text: string): ReadonlyMap<string, string> {
  try {
    const claims: unknown = JSON.parse(text);
    if (typeof claims !== 'object' || claims === null) return new Map();
    return new Map(Object.entries(claims).map(([name, value]) => [name, plain(value)]));
  } catch {
    return new Map();
  }
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
