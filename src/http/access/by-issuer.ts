import { type Access, boundGrants } from '../../core/access/access-document.ts';
import type { Caller } from '../api/route.ts';
import { type KeyDesk, remoteKeys } from './jwt/remote-keys.ts';
import { type JwtGuards, jwtGuards, type Verified, verifyJwt } from './jwt/verify-jwt.ts';

/** Whom we believe, and the way to their keys. */
export interface IssuerDesk extends KeyDesk {
  readonly access: Access;
  readonly guards?: JwtGuards;
}

/** Who a token of an issuer lets in. Somebody to whom nothing is bound is known, and may do nothing. */
export function byIssuer({
  access,
  guards = jwtGuards,
  ...desk
}: IssuerDesk): (text: string) => Promise<Caller | undefined> {
  const trusted = access.oidc.map((issuer) => ({ issuer, keys: remoteKeys(issuer, desk) }));
  return async (text) => {
    const verified = await verifyJwt(text, { trusted, guards, now: desk.clock.now });
    return verified && callerOf(verified, access);
  };
}

function callerOf(
  { issuer: { issuer, claims: { person: by = 'email' } = {} }, claims }: Verified,
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
    grants: boundGrants({ issuer, subject, groups, ...(person === undefined ? {} : { person }) }, access.bindings),
    expiresAt: claims.exp * 1_000,
  };
}
