import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { push } from './front.ts';

/** Google, as far as a push token goes: keys at an address of this machine, and tokens made by hand, so that wrong ones can be. */
export interface Google {
  readonly url: string;
  readonly pair: Pair;
  /** The number of fetches of the keys. */
  readonly fetched: () => number;
  close(): Promise<void>;
}

export interface Pair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export const rsa = (): Pair => generateKeyPairSync('rsa', { modulusLength: 2048 });
export const kid = '7d680d8c70d44e947133cbd499ebc1a61c3d5abc';

/** `status`: the answer in place of the keys. */
export async function startGoogle({ status = 200 } = {}): Promise<Google> {
  const pair = rsa();
  let fetched = 0;
  const server = createServer((_, response) => {
    fetched += 1;
    // why: Google's keys name their algorithm; without it nothing but our own rule refuses another
    const key = { ...pair.publicKey.export({ format: 'jwk' }), kid, use: 'sig' };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [key] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // why: it listens on a port
  return {
    url: `http://127.0.0.1:${port}/certs`,
    pair,
    fetched: () => fetched,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Wrong ones may hold anything. */
type Claims = Readonly<Record<string, unknown>>;

export const goodHead = { alg: 'RS256', kid, typ: 'JWT' };

/** `at`: ms since the epoch. */
export function goodClaims(at: number): Claims {
  const now = Math.floor(at / 1000);
  return {
    aud: push.audience,
    azp: '113774264463038321964',
    email: push.serviceAccount,
    email_verified: true,
    exp: now + 3600,
    iat: now,
    iss: 'https://accounts.google.com',
    sub: '113774264463038321964',
  };
}

const part = (value: object | string): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Signed by `key`: an RSA key, a text for HMAC, or nothing. `digest`: of RSA and HMAC. */
export function token(
  head: object,
  claims: object | string,
  { key, digest = 'sha256' }: { readonly key?: KeyObject | string | Buffer; readonly digest?: string } = {},
): string {
  const signed = `${part(head)}.${part(claims)}`;
  if (key === undefined) return `${signed}.`;
  if (typeof key === 'string' || Buffer.isBuffer(key))
    return `${signed}.${createHmac(digest, key).update(signed).digest('base64url')}`;
  return `${signed}.${createSign(digest).update(signed).sign(key).toString('base64url')}`;
}
