import type { Issuer } from '../../../core/access/access-document.ts';
import type { Claims } from './claims.ts';
import type { Jwk } from './remote-keys.ts';

/** One thing that must be so. */
export interface Rule<T> {
  readonly name: string;
  holds(given: T): boolean;
}

/** Before anything is read. */
export const textRules: readonly Rule<string>[] = [
  { name: 'size', holds: (text) => text.length <= 8_192 },
  // why: the last letter of a part has bits that mean nothing, so one token could be written in several ways
  { name: 'canonical', holds: (text) => text.split('.').every((part) => recoded(part) === part) },
];

const recoded = (part: string): string => Buffer.from(part, 'base64url').toString('base64url');

export interface Headed {
  readonly head: Readonly<Record<string, unknown>>;
  readonly issuer: Issuer;
}

/** https://www.rfc-editor.org/rfc/rfc8725: what its sender wrote in the head decides nothing. */
export const headRules: readonly Rule<Headed>[] = [
  { name: 'algorithm', holds: ({ head, issuer }) => issuer.algorithms.some((one) => one === head['alg']) },
  { name: 'typ', holds: ({ head, issuer }) => isTyped(head['typ'], issuer) },
  { name: 'crit', holds: ({ head }) => head['crit'] === undefined },
  { name: 'own-keys', holds: ({ head }) => ['jwk', 'jku', 'x5c', 'x5u'].every((name) => head[name] === undefined) },
  { name: 'kid', holds: ({ head }) => typeof head['kid'] === 'string' && /^[\x21-\x7e]{1,256}$/.test(head['kid']) },
];

/** Tokens of other kinds are signed by the same keys: for logging out, for proving that somebody has a key. */
const isTyped = (typ: unknown, { untyped = false }: Issuer): boolean =>
  typ === undefined
    ? untyped
    : typeof typ === 'string' && ['jwt', 'at+jwt', 'application/at+jwt'].includes(typ.toLowerCase());

/** `now`: seconds since the epoch. */
export interface Saying {
  readonly claims: Claims;
  readonly issuer: Issuer;
  readonly now: number;
}

const leewaySeconds = 60;
const longestSeconds = 24 * 3600;

export const claimRules: readonly Rule<Saying>[] = [
  { name: 'audience', holds: ({ claims, issuer }) => [claims.aud].flat().includes(issuer.audience) },
  { name: 'azp', holds: ({ claims, issuer }) => [claims.aud].flat().length === 1 || claims.azp === issuer.audience },
  { name: 'expired', holds: ({ claims, now }) => now < claims.exp },
  { name: 'lifetime', holds: ({ claims }) => claims.exp - claims.iat <= longestSeconds },
  { name: 'future', holds: ({ claims, now }) => claims.iat <= now + leewaySeconds },
  { name: 'early', holds: ({ claims, now }) => claims.nbf === undefined || claims.nbf <= now + leewaySeconds },
  // https://openid.net/specs/openid-connect-backchannel-1_0.html#LogoutToken
  { name: 'event', holds: ({ claims }) => claims.events === undefined },
  // https://www.rfc-editor.org/rfc/rfc7800: worth something only with a proof that we do not ask for
  { name: 'bound', holds: ({ claims }) => claims.cnf === undefined },
];

export interface Keyed {
  readonly key: Jwk;
  readonly head: Readonly<Record<string, unknown>>;
}

/** https://www.rfc-editor.org/rfc/rfc7517#section-4: what a key may be used for. */
export const keyRules: readonly Rule<Keyed>[] = [
  { name: 'use', holds: ({ key }) => key.use === undefined || key.use === 'sig' },
  { name: 'key-algorithm', holds: ({ key, head }) => key.alg === undefined || key.alg === head['alg'] },
];
