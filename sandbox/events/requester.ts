import type { WireRequest } from '../protocol.ts';

interface Requester {
  readonly ip: string;
  readonly agent: string;
}

/** The client of a request. All requests come from this machine, so the sandbox trusts their `X-Forwarded-For`. */
export function requesterOf({ headers, from = '127.0.0.1' }: WireRequest): Requester {
  const first = headers['x-forwarded-for']?.split(',')[0]?.trim() ?? '';
  return { ip: (first || from).replace(/^::ffff:/, ''), agent: headers['user-agent'] ?? '' };
}

/**
 * The claims of a bearer token: a JWT, whose signature the sandbox does not check, or an e-mail address as the token. Any
 * other token has no claims. Tests tell their clients apart by such tokens.
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
