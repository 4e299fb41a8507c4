import { type Access, boundGrants } from '../../core/access/access-document.ts';
import type { Authenticate, Caller } from '../api/route.ts';
import { authenticateApiToken, type TokenDependencies } from './api-tokens.ts';
import { issuerKeys, type KeyDependencies } from './issuer-keys.ts';
import { type JwtGuards, jwtGuards, type VerifiedToken, verifyJwt } from './verify-jwt.ts';

/** `people`: by tokens of issuers, as the access file names them; absent: there is none. */
export interface AuthenticatorDependencies {
  readonly apiTokens: TokenDependencies;
  readonly issuers?: IssuerDependencies;
  /** Tests leave it out, to see it matter. */
  readonly readCredential?: typeof bearerToken;
}

/** Authenticates a caller by a token of Setpoint or of a trusted issuer. It logs nothing of the request. */
export function authenticator({
  apiTokens,
  issuers,
  readCredential = bearerToken,
}: AuthenticatorDependencies): Authenticate {
  const byApiToken = authenticateApiToken(apiTokens);
  const byIssuer = issuers && authenticateIssuerToken(issuers);
  return async (authorization) => {
    const credential = readCredential(authorization);
    if (credential === undefined) return undefined;
    return credential.startsWith('setpoint_') ? byApiToken(credential) : byIssuer?.(credential);
  };
}

/**
 * The one header Authorization among the headers as they came: name, value, name, value. Undefined where there is none, or more
 * than one: of two, a proxy before us may have read the other.
 */
export function authorizationHeader(rawHeaders: readonly string[]): string | undefined {
  const given = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization',
  );
  return given.length === 1 ? given[0] : undefined;
}

/** The token after `Bearer`, https://www.rfc-editor.org/rfc/rfc6750#section-2.1; no other scheme is known. */
const bearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization ?? '')?.[1];

/** The trusted issuers, and the way to their keys. */
interface IssuerDependencies extends KeyDependencies {
  readonly access: Access;
  readonly guards?: JwtGuards;
}

/** Authenticates a caller by an issuer's token. A caller without grants is known, and may do nothing. */
export function authenticateIssuerToken({
  access,
  guards = jwtGuards,
  ...dependencies
}: IssuerDependencies): (text: string) => Promise<Caller | undefined> {
  const trusted = access.oidc.map((issuer) => ({ issuer, keys: issuerKeys(issuer, dependencies) }));
  return async (text) => {
    const verified = await verifyJwt(text, { trusted, guards, now: dependencies.clock.now });
    return verified && callerOf(verified, access);
  };
}

function callerOf(
  { issuer: { issuer, claims: { person: by = 'email' } = {} }, claims }: VerifiedToken,
  access: Access,
): Caller {
  const { sub: subject, groups = [] } = claims;
  const email = claims.email_verified === true ? claims.email : undefined;
  const person = by === 'email' ? email : claims.person;
  const lasting = `${issuer}#${subject}`;
  const proven = [email, person].filter((one) => one !== undefined);
  return {
    id: `oidc:${lasting}`,
    person: person ?? lasting,
    identities: [...new Set([...proven, lasting])],
    grants: boundGrants({ issuer, subject, groups, person }, access.bindings),
    expiresAt: claims.exp * 1_000,
  };
}
