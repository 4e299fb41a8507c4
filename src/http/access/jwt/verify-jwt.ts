import { compactVerify, importJWK, type JWK } from 'jose';
import type { Issuer } from '../../../core/access/access-document.ts';
import { cannotTell } from '../cannot-tell.ts';
import { claimRules, type Saying } from './claim-rules.ts';
import { type Claims, claimsOf } from './claims.ts';
import { type Headed, headRules } from './head-rules.ts';
import { type Keyed, keyRules } from './key-rules.ts';
import { type Jwt, readJwt } from './read-jwt.ts';
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

interface RuleTables {
  readonly texts: readonly Rule<string>[];
  readonly heads: readonly Rule<Headed>[];
  readonly claims: readonly Rule<Saying>[];
  readonly keys: readonly Rule<Keyed>[];
}

interface ProofGuards {
  /** Whose token it says that it is, among those that we believe. */
  issuerOf(trusted: readonly Trusted[], iss: unknown): Trusted | undefined;
  claimsOf(said: Jwt['said'], issuer: Issuer): Claims | undefined;
  isSigned(jwt: Jwt, key: Jwk): Promise<boolean>;
}

export const jwtGuards: JwtGuards = {
  texts: textRules,
  heads: headRules,
  claims: claimRules,
  keys: keyRules,
  issuerOf: (trusted, iss) => trusted.find(({ issuer }) => issuer.issuer === iss),
  claimsOf,
  isSigned,
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
 * What a token proves; undefined: nothing. The signature comes last, so that what is wrong otherwise costs neither a key nor a
 * fetch. Rejects where an issuer's keys cannot be had.
 */
export async function verifyJwt(text: string, { trusted, guards, now }: VerifyDesk): Promise<Verified | undefined> {
  const jwt = hold(guards.texts, text) ? readJwt(text) : undefined;
  const found = jwt && guards.issuerOf(trusted, jwt.said['iss']);
  if (jwt === undefined || found === undefined) return undefined;
  const { issuer, keys } = found;
  const { head, said } = jwt;
  if (!hold(guards.heads, { head, issuer })) return undefined;
  const claims = guards.claimsOf(said, issuer);
  if (claims === undefined || !hold(guards.claims, { claims, issuer, now: now() / 1_000 })) return undefined;
  const named = await keys.by(head['kid']).catch(() => {
    throw cannotTell();
  });
  const [key, ...others] = named.filter((one) => hold(guards.keys, { key: one, head }));
  if (key === undefined || others.length > 0) return undefined;
  return (await guards.isSigned(jwt, key)) ? { issuer, claims } : undefined;
}

const hold = <T>(rules: readonly Rule<T>[], given: T): boolean => rules.every((rule) => rule.holds(given));

/** By an algorithm that the head names and the rules of heads have allowed. */
async function isSigned({ text, head }: Jwt, key: Jwk): Promise<boolean> {
  const algorithm = String(head['alg']);
  try {
    const imported = await importOnce(key, algorithm);
    await compactVerify(text, imported, { algorithms: [algorithm] });
    return true;
  } catch {
    return false;
  }
}

type Imported = ReturnType<typeof importJWK>;

const imports = new WeakMap<Jwk, Map<string, Imported>>();

/** A key is imported once: it costs as much as a signature. */
function importOnce(key: Jwk, algorithm: string): Imported {
  const known = imports.get(key) ?? new Map<string, Imported>();
  imports.set(key, known);
  const made = known.get(algorithm) ?? importJWK(key as JWK, algorithm); // why: jose's type has no place for undefined, and its code has
  known.set(algorithm, made);
  return made;
}
