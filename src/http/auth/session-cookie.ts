import type { FastifyRequest } from 'fastify';
import { authorizationHeader } from './authenticator.ts';

/** The cookie that holds the credential of a browser, out of reach of scripts. */
export interface SessionCookie {
  readonly name: string;
  readonly attributes: string;
}

/**
 * `__Host-` keeps other hosts of the domain from setting it, and needs TLS: https://www.rfc-editor.org/rfc/rfc6265#section-5.3 and
 * https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Set-Cookie#cookie_prefixes. Without TLS the server is on this machine. There
 * the cookie goes to every port, so the path keeps it from other programs' pages. `isSecure`: browsers reach the server by HTTPS.
 */
export const sessionCookie = (isSecure: boolean): SessionCookie =>
  isSecure
    ? { name: '__Host-setpoint', attributes: 'Path=/; Secure; HttpOnly; SameSite=Strict' }
    : { name: 'setpoint', attributes: 'Path=/v1; HttpOnly; SameSite=Strict' };

/** Browsers refuse a cookie of more than 4,096 bytes: https://www.rfc-editor.org/rfc/rfc6265#section-6.1 */
export const mostTokenCharacters = 3_800;

/** `expiresAt`: ms since the epoch. Absent: the cookie ends with the browser. */
export const setSession = ({ name, attributes }: SessionCookie, token: string, expiresAt?: number): string =>
  `${name}=${token}; ${attributes}${expiresAt === undefined ? '' : `; Expires=${new Date(expiresAt).toUTCString()}`}`;

export const endSession = ({ name, attributes }: SessionCookie): string => `${name}=; ${attributes}; Max-Age=0`;

/** The credential of a request. `authorization`: as the header has it; absent: none, or none that can be trusted. */
export interface RequestCredential {
  readonly isGiven: boolean;
  readonly authorization?: string;
  /** The browser sent it of its own accord. */
  readonly byCookie: boolean;
}

/** The header Authorization counts alone where there is one. Two cookies of the name are none: another host may have set one. */
export function credentialOf(request: FastifyRequest, cookie: SessionCookie): RequestCredential {
  if (request.headers.authorization !== undefined) {
    const authorization = authorizationHeader(request.raw.rawHeaders);
    return { isGiven: true, byCookie: false, ...(authorization === undefined ? {} : { authorization }) };
  }
  const values = valuesOf(request.headers.cookie, cookie);
  const [token] = values;
  if (token === undefined || token === '') return { isGiven: false, byCookie: false };
  return { isGiven: true, byCookie: true, ...(values.length === 1 ? { authorization: `Bearer ${token}` } : {}) };
}

/** True where the header Cookie has a session's cookie, under either name. */
export const hasSessionCookie = (header: string | undefined): boolean =>
  [true, false].some((isSecure) => valuesOf(header, sessionCookie(isSecure)).length > 0);

const valuesOf = (header: string | undefined, { name }: SessionCookie): readonly string[] =>
  (header ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });

/**
 * True where a page of this very server sent the request, as the browser reports it: https://www.w3.org/TR/fetch-metadata/. SameSite alone
 * does not prove that: another port of this machine is the same site.
 */
export function isSameOrigin(header: (name: string) => string | undefined): boolean {
  const site = header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = header('origin');
  return origin !== undefined && URL.parse(origin)?.host === header('host');
}
