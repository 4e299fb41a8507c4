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
import type { Issuer } from '../../../core/access/access-document.ts';
import { cannotTell } from '../cannot-tell.ts';
import { claimRules, leewaySeconds, type Saying } from './claim-rules.ts';
import { type Claims, claimsOf } from './claims.ts';
import { type Headed, headRules } from './head-rules.ts';
import type { Jwk, Keys } from './remote-keys.ts';
import type { Rule } from './rule.ts';
import { textRules } from './text-rules.ts';

/** An issuer that we believe, and where its keys are. */
export interface Trusted {
  readonly issuer: Issuer;
  readonly keys: Keys;
}

/** All that a token is held to. Tests leave out one thing at a time, to see it matter. */
export type JwtGuards = RuleTables & ProofGuards;

/** Checks that jose does not have. */
interface RuleTables {
  readonly texts: readonly Rule<string>[];
  readonly heads: readonly Rule<Headed>[];
  readonly claims: readonly Rule<Saying>[];
}

interface ProofGuards {
  /** The issuer that the token names, among those that we trust. */
  issuerOf(trusted: readonly Trusted[], iss: unknown): Trusted | undefined;
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
  heads: headRules,
  claims: claimRules,
  issuerOf: (trusted, iss) => trusted.find(({ issuer }) => issuer.issuer === iss),
  claimsOf,
  checks: ({ audience, algorithms }) => ({ audience, algorithms: [...algorithms], clockTolerance: leewaySeconds }),
  keyAmong,
  isProven,
};

export interface Verified {
  readonly issuer: Issuer;
  readonly claims: Claims;
}

/** `now`: ms since the epoch. */
export interface VerifyDesk {
  readonly trusted: readonly Trusted[];
  readonly guards: JwtGuards;
  now(): number;
}

/**
 * The proven content of a token; undefined: it proves nothing. Checks that need no key come first, so that most bad tokens cost
 * neither a fetch nor a signature. Rejects where an issuer's keys cannot be had.
 */
export async function verifyJwt(text: string, { trusted, guards, now }: VerifyDesk): Promise<Verified | undefined> {
  const jwt = hold(guards.texts, text) ? decoded(text) : undefined;
  const found = jwt && guards.issuerOf(trusted, jwt.payload.iss);
  if (jwt === undefined || found === undefined) return undefined;
  const { issuer, keys } = found;
  const { head, payload } = jwt;
  if (!hold(guards.heads, { head, issuer })) return undefined;
  const claims = guards.claimsOf(payload, issuer);
  if (claims === undefined || !hold(guards.claims, { claims, issuer, now: now() / 1_000 })) return undefined;
  const named = await keys.by(head.kid).catch(() => {
    throw cannotTell();
  });
  const checks = { ...guards.checks(issuer), currentDate: new Date(now()) };
  return (await guards.isProven(text, guards.keyAmong(named), checks)) ? { issuer, claims } : undefined;
}

const hold = <T>(rules: readonly Rule<T>[], given: T): boolean => rules.every((rule) => rule.holds(given));

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

const sets = new WeakMap<Jwk, JWTVerifyGetKey>();

/** A key set imports each of its keys once, which costs as much as a signature: so the set of a key is kept. */
function keyAmong(named: readonly Jwk[]): JWTVerifyGetKey {
  const [only, ...others] = named;
  const known = only && others.length === 0 ? sets.get(only) : undefined;
  if (known !== undefined) return known;
  const set = createLocalJWKSet({ keys: named as JWK[] }); // why: jose's type has no place for undefined, and its code has
  if (only && others.length === 0) sets.set(only, set);
  return set;
}
