import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Access, Issuer } from '../../src/core/access/access-document.ts';
import type { Authenticate } from '../../src/http/api/route.ts';
import { type AuthenticatorDependencies, authenticator } from '../../src/http/auth/authenticator.ts';
import type { FetchJson } from '../../src/http/auth/fetch-json.ts';
import type { Log } from '../../src/ports/clock-and-log.ts';
import type { MadeToken } from '../../src/ports/tokens.ts';
import { rsa } from '../../test/http/support/google.ts';
import { memoryDatabase } from '../../test/support/memory-store.ts';
import { type VirtualClock, virtualClock } from '../../test/support/virtual-clock.ts';

/** Of issuers, of each use, and of nobody. */
export const keys = {
  main: rsa(),
  curve: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  encrypting: rsa(),
  longer: rsa(),
  unnamed: rsa(),
  other: rsa(),
  nobodys: rsa(),
};

const part = (value: object | string): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A JWT signed with a private key; `hash`: of what is signed. */
export function jwt(
  head: object | string,
  claims: object | string,
  { key = keys.main.privateKey, hash = 'sha256' }: { readonly key?: KeyObject; readonly hash?: string } = {},
): string {
  const text = `${part(head)}.${part(claims)}`;
  const signature = sign(hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

/** The same with whatever stands for a signature. */
export const withSignature = (head: object, claims: object, signature: Buffer): string =>
  `${part(head)}.${part(claims)}.${signature.toString('base64url')}`;

/** An issuer that is believed, another one beside it, and a store with tokens: what somebody would get in by who should not. */
export interface HostileWorld {
  readonly now: number;
  readonly clock: VirtualClock;
  readonly tokens: Tokens;
  /** Every address that was fetched. */
  readonly fetched: readonly string[];
  front(guards?: Partial<Guards>): Authenticate;
}

interface Tokens {
  readonly good: MadeToken;
  readonly expired: MadeToken;
  readonly revoked: MadeToken;
}

/** Tests leave out one check at a time. */
export interface Guards {
  readonly jwt: NonNullable<AuthenticatorDependencies['issuers']>['guards'];
  readonly tokens: AuthenticatorDependencies['apiTokens']['rules'];
  readonly read: AuthenticatorDependencies['readCredential'];
}

export const issuer: Issuer = {
  issuer: 'https://login.acme.example',
  audience: 'setpoint',
  algorithms: ['RS256', 'ES256'],
};
const other: Issuer = { issuer: 'https://other.example', audience: 'setpoint', algorithms: ['RS256'] };

const access: Access = {
  apiVersion: 'setpoint.dev/v1',
  kind: 'Access',
  oidc: [issuer, other],
  bindings: [{ who: { person: 'ann@acme.example', issuer: issuer.issuer }, role: 'admin' }],
};

const shown = (key: KeyObject, more: object) => ({ ...createPublicKey(key).export({ format: 'jwk' }), ...more });

const documents: Readonly<Record<string, unknown>> = {
  'https://login.acme.example/.well-known/openid-configuration': {
    issuer: issuer.issuer,
    jwks_uri: 'https://login.acme.example/keys',
  },
  'https://login.acme.example/keys': {
    keys: [
      shown(keys.main.privateKey, { kid: 'main' }),
      shown(keys.curve.privateKey, { kid: 'curve' }),
      shown(keys.encrypting.privateKey, { kid: 'encrypting', use: 'enc' }),
      shown(keys.longer.privateKey, { kid: 'longer', alg: 'RS512' }),
      shown(keys.unnamed.privateKey, {}),
    ],
  },
  'https://other.example/.well-known/openid-configuration': {
    issuer: other.issuer,
    jwks_uri: 'https://other.example/keys',
  },
  'https://other.example/keys': { keys: [shown(keys.other.privateKey, { kid: 'other' })] },
};

export async function hostileWorld(): Promise<HostileWorld> {
  const clock = virtualClock();
  const now = clock.now();
  const store = memoryDatabase(clock).connect();
  const maker = { person: 'kim', identities: [] };
  const make = (expiresAt: number) => store.tokens.make({ name: 'ci', grants: [{ role: 'admin' }], expiresAt, maker });
  const tokens = { good: await make(now + 3_600_000), expired: await make(now), revoked: await make(now + 3_600_000) };
  await store.tokens.revoke(tokens.revoked.token.id, 'kim');
  const fetched: string[] = [];
  const fetchJson: FetchJson = async (url) => {
    fetched.push(url);
    return documents[url];
  };
  return {
    now,
    clock,
    tokens,
    fetched,
    front: ({ jwt, tokens: rules, read } = {}) =>
      authenticator({
        apiTokens: { tokens: store.tokens, clock, ...(rules && { rules }) },
        issuers: { access, fetchJson, clock, log: silent, ...(jwt && { guards: jwt }) },
        ...(read && { readCredential: read }),
      }),
  };
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };

export const goodHead = { alg: 'RS256', kid: 'main', typ: 'JWT' };

/** The claims of a valid token. `at`: ms since the epoch. */
export function claimsAt(at: number): Readonly<Record<string, unknown>> {
  const now = Math.floor(at / 1_000);
  return {
    iss: issuer.issuer,
    aud: issuer.audience,
    sub: '248289761001',
    email: 'ann@acme.example',
    email_verified: true,
    groups: ['team-net'],
    iat: now,
    exp: now + 3_600,
  };
}

export const without = (of: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(of).filter(([key]) => key !== name));
