import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { rsa } from '../../test/http/support/google.ts';

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
