import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose';
import { z } from 'zod';
import type { Issuer } from '../../core/access/access-document.ts';
import { authenticationUnavailable } from '../problem.ts';
import type { IssuerKeys, Jwk } from './issuer-keys.ts';

/** One thing that must be so. */
interface Rule<T> {
  readonly name: string;
  holds(given: T): boolean;
}

/** Before anything is read. */
const textRules: readonly Rule<string>[] = [
  { name: 'size', holds: (text) => text.length <= 8_192 },
  // why: the last letter of a part has bits that mean nothing, so one token could be written in several ways
  { name: 'canonical', holds: (text) => text.split('.').every((part) => recoded(part) === part) },
];

const recoded = (part: string): string => Buffer.from(part, 'base64url').toString('base64url');

interface HeaderToCheck {
  readonly header: Readonly<Record<string, unknown>>;
  readonly issuer: Issuer;
}

/** https://www.rfc-editor.org/rfc/rfc8725: what its sender wrote in the head decides nothing. */
const headerRules: readonly Rule<HeaderToCheck>[] = [
  { name: 'typ', holds: ({ header, issuer }) => isTyped(header['typ'], issuer) },
  { name: 'crit', holds: ({ header }) => header['crit'] === undefined },
  { name: 'own-keys', holds: ({ header }) => ['jwk', 'jku', 'x5c', 'x5u'].every((name) => header[name] === undefined) },
  {
    name: 'kid',
    holds: ({ header }) => typeof header['kid'] === 'string' && /^[\x21-\x7e]{1,256}$/.test(header['kid']),
  },
];

/** Tokens of other kinds are signed by the same keys: for logging out, for proving that somebody has a key. */
const isTyped = (typ: unknown, { untyped = false }: Issuer): boolean =>
  typ === undefined
    ? untyped
    : typeof typ === 'string' && ['jwt', 'at+jwt', 'application/at+jwt'].includes(typ.toLowerCase());

/** The claims of a token that Setpoint reads, each of the type that it must have. Times are seconds since the epoch. */
export type Claims = Readonly<z.output<typeof registeredClaims>> & {
  readonly person?: string | undefined;
  readonly groups?: readonly string[] | undefined;
};

const visibleText = (most: number) => z.string().regex(new RegExp(`^[^\\p{C}]{1,${most}}$`, 'u'));
const seconds = () => z.number().int().positive();

/** https://www.rfc-editor.org/rfc/rfc7519#section-4.1, https://openid.net/specs/openid-connect-core-1_0.html#IDToken */
const registeredClaims = z.object({
  iss: visibleText(500),
  sub: visibleText(255),
  aud: z.union([visibleText(500), z.array(visibleText(500)).min(1).max(20)]),
  exp: seconds(),
  iat: seconds(),
  nbf: seconds().optional(),
  azp: visibleText(500).optional(),
  email: visibleText(320).optional(),
  email_verified: z.boolean().optional(),
  events: z.unknown().optional(),
  cnf: z.unknown().optional(),
});

const configuredClaims = z.object({
  person: visibleText(300).optional(),
  groups: z.array(visibleText(300)).max(1_000).optional(),
});

/** Undefined: something has another type, or is missing. What an issuer calls its people and groups has our names for it here. */
function claimsOf(
  said: Readonly<Record<string, unknown>>,
  { claims: { person, groups } = {} }: Issuer,
): Claims | undefined {
  const base = registeredClaims.safeParse(said);
  const more = configuredClaims.safeParse({ person: said[person ?? 'email'], groups: said[groups ?? 'groups'] });
  return base.success && more.success ? { ...base.data, ...more.data } : undefined;
}

/** `now`: seconds since the epoch. */
interface ClaimsToCheck {
  readonly claims: Claims;
  readonly issuer: Issuer;
  readonly now: number;
}

const leewaySeconds = 60;
const longestSeconds = 24 * 3600;

/** Checks that jose lacks, or makes less strictly: it gives an expired token the leeway too. */
const claimRules: readonly Rule<ClaimsToCheck>[] = [
  { name: 'azp', holds: ({ claims, issuer }) => [claims.aud].flat().length === 1 || claims.azp === issuer.audience },
  { name: 'expired', holds: ({ claims, now }) => now < claims.exp },
  { name: 'lifetime', holds: ({ claims }) => claims.exp - claims.iat <= longestSeconds },
  { name: 'future', holds: ({ claims, now }) => claims.iat <= now + leewaySeconds },
  // https://openid.net/specs/openid-connect-backchannel-1_0.html#LogoutToken
  { name: 'event', holds: ({ claims }) => claims.events === undefined },
  // https://www.rfc-editor.org/rfc/rfc7800: worth something only with a proof that we do not ask for
  { name: 'bound', holds: ({ claims }) => claims.cnf === undefined },
];

/** An issuer that we believe, and where its keys are. */
interface TrustedIssuer {
  readonly issuer: Issuer;
  readonly keys: IssuerKeys;
}

/** All that a token is held to. Tests leave out one thing at a time, to see it matter. */
export type JwtGuards = RuleTables & ProofGuards;

/** Checks that jose does not have. */
interface RuleTables {
  readonly texts: readonly Rule<string>[];
  readonly headers: readonly Rule<HeaderToCheck>[];
  readonly claims: readonly Rule<ClaimsToCheck>[];
}

interface ProofGuards {
  /** The issuer that the token names, among those that we trust. */
  issuerOf(trusted: readonly TrustedIssuer[], iss: unknown): TrustedIssuer | undefined;
  claimsOf(payload: JWTPayload, issuer: Issuer): Claims | undefined;
  /** Checks that jose makes beside the signature. */
  checks(issuer: Issuer): JoseChecks;
  /** The key that fits the head of a token, by its use, type and algorithm, among those of one name. */
  keyAmong(named: readonly Jwk[]): JWTVerifyGetKey;
  isProven(text: string, key: JWTVerifyGetKey, checks: JWTVerifyOptions): Promise<boolean>;
}

type JoseChecks = Pick<JWTVerifyOptions, 'audience' | 'algorithms' | 'clockTolerance'>;

export const jwtGuards: JwtGuards = {
  texts: textRules,
  headers: headerRules,
  claims: claimRules,
  issuerOf: (trusted, iss) => trusted.find(({ issuer }) => issuer.issuer === iss),
  claimsOf,
  checks: ({ audience, algorithms }) => ({ audience, algorithms: [...algorithms], clockTolerance: leewaySeconds }),
  keyAmong,
  isProven,
};

export interface VerifiedToken {
  readonly issuer: Issuer;
  readonly claims: Claims;
}

/** `now`: ms since the epoch. */
interface VerifyDependencies {
  readonly trusted: readonly TrustedIssuer[];
  readonly guards: JwtGuards;
  now(): number;
}

/**
 * The proven content of a token; undefined: it proves nothing. Checks that need no key come first, so that most bad tokens cost
 * neither a fetch nor a signature. Rejects where an issuer's keys cannot be had.
 */
export async function verifyJwt(
  text: string,
  { trusted, guards, now }: VerifyDependencies,
): Promise<VerifiedToken | undefined> {
  const jwt = allHold(guards.texts, text) ? decoded(text) : undefined;
  const found = jwt && guards.issuerOf(trusted, jwt.payload.iss);
  if (jwt === undefined || found === undefined) return undefined;
  const { issuer, keys } = found;
  const { head, payload } = jwt;
  if (!allHold(guards.headers, { header: head, issuer })) return undefined;
  const claims = guards.claimsOf(payload, issuer);
  if (claims === undefined || !allHold(guards.claims, { claims, issuer, now: now() / 1_000 })) return undefined;
  const named = await keys.by(head.kid).catch(() => {
    throw authenticationUnavailable();
  });
  const checks = { ...guards.checks(issuer), currentDate: new Date(now()) };
  return (await guards.isProven(text, guards.keyAmong(named), checks)) ? { issuer, claims } : undefined;
}

const allHold = <T>(rules: readonly Rule<T>[], given: T): boolean => rules.every((rule) => rule.holds(given));

/** Nothing of it is proven yet. Undefined: the text is no JWT in its compact form. */
function decoded(text: string): { readonly head: ProtectedHeaderParameters; readonly payload: JWTPayload } | undefined {
  try {
    return { head: decodeProtectedHeader(text), payload: decodeJwt(text) };
  } catch {
    return undefined;
  }
}

async function isProven(text: string, key: JWTVerifyGetKey, checks: JWTVerifyOptions): Promise<boolean> {
  try {
    await jwtVerify(text, key, checks);
    return true;
  } catch {
    return false;
  }
}

const keySets = new WeakMap<Jwk, JWTVerifyGetKey>();

/** A key set imports each of its keys once, which costs as much as a signature: so the set of a key is kept. */
function keyAmong(named: readonly Jwk[]): JWTVerifyGetKey {
  const [only, ...others] = named;
  const known = only && others.length === 0 ? keySets.get(only) : undefined;
  if (known !== undefined) return known;
  const set = createLocalJWKSet({ keys: named as JWK[] }); // why: jose's type has no place for undefined, and its code has
  if (only && others.length === 0) keySets.set(only, set);
  return set;
}
