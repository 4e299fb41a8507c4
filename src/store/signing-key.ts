import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
  verify,
} from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Signs checkpoints. The private key never leaves its file, which only we can read. */
export interface SigningKey {
  /** Fingerprint of the public key. */
  readonly id: string;
  sign(text: string): string;
}

/** The Ed25519 key in a folder's `keys`, made at its first use. */
export async function signingKey(keys: string): Promise<SigningKey> {
  await mkdir(keys, { recursive: true, mode: 0o700 });
  const file = join(keys, 'checkpoint.key');
  const text = await readFile(file, 'utf8').catch(() => make(file));
  const secret = createPrivateKey(text);
  const shown = createPublicKey(secret);
  await writeFile(join(keys, 'checkpoint.pub'), shown.export({ type: 'spki', format: 'pem' }), { flag: 'wx' }).catch(
    () => {},
  );
  return { id: fingerprint(shown), sign: (text) => sign(null, Buffer.from(text), secret).toString('base64') };
}

/** The public half as PEM text; undefined where no key was made yet. */
export const publicKey = (keys: string): Promise<string | undefined> =>
  readFile(join(keys, 'checkpoint.pub'), 'utf8').catch(() => undefined);

/** Tells signatures of one key from all else. `pem` undefined: there is no key, so nothing is signed. */
export function signedBy(pem: string | undefined): (text: string, signature: string) => boolean {
  if (pem === undefined) return () => false;
  const key = createPublicKey(pem);
  return (text, signature) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'));
}

/** Two processes may come here at once: a link is made by one of them only, and both read what it made. */
async function make(file: string): Promise<string> {
  const aside = `${file}.${randomUUID()}`;
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  await writeFile(aside, pem, { mode: 0o600, flag: 'wx' });
  await link(aside, file).catch(() => {});
  await rm(aside);
  return readFile(file, 'utf8');
}

/** Of the public key as PEM text. */
export const fingerprintOf = (pem: string | undefined): string | undefined =>
  pem === undefined ? undefined : fingerprint(createPublicKey(pem));

const fingerprint = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);
