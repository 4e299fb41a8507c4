import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Access, Issuer } from '../../src/core/access/access-document.ts';
import type { Authenticate } from '../../src/http/api/route.ts';
import { type AuthenticatorDependencies, authenticator } from '../../src/http/auth/authenticator.ts';
import type { FetchJson } from '../../src/http/auth/fetch-json.ts';
import type { Log } from '../../src/ports/clock-and-log.ts';
import type { MadeToken } from '../../src/ports/tokens.ts';
import { memoryDatabase } from '../../test/support/memory-store.ts';
import { type VirtualClock, virtualClock } from '../../test/support/virtual-clock.ts';
import { keys } from './signed.ts';

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
