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
import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ignoreInGit } from './embedded/home.ts';

/** Signs checkpoints. The private key never leaves its file, which only we can read. */
export interface SigningKey {
  /** Fingerprint of the public key. */
  readonly id: string;
  sign(text: string): string;
}

/**
 * The Ed25519 key in `keyFile`, or without one the key in a folder's `keys`, made at its first use. The public half is kept in
 * `keys`, under its fingerprint. Throws where the file holds no such key.
 */
export async function signingKey(keys: string, keyFile?: string): Promise<SigningKey> {
  const made = await mkdir(keys, { recursive: true, mode: 0o700 });
  await ignoreInGit(dirname(keys), made !== undefined && resolve(made) !== resolve(keys));
  const secret = keyFile === undefined ? createPrivateKey(await ownKey(keys)) : await keyIn(keyFile);
  const shown = createPublicKey(secret);
  const name = keyFile === undefined ? 'checkpoint.pub' : `${fingerprint(shown)}.pub`;
  await writeFile(join(keys, name), shown.export({ type: 'spki', format: 'pem' }), { mode: 0o600, flag: 'wx' }).catch(
    () => {},
  );
  return { id: fingerprint(shown), sign: (text) => sign(null, Buffer.from(text), secret).toString('base64') };
}

const ownKey = (keys: string): Promise<string> => {
  const file = join(keys, 'checkpoint.key');
  return readFile(file, 'utf8').catch(() => make(file));
};

async function keyIn(file: string): Promise<KeyObject> {
  const how = 'Make one with: openssl genpkey -algorithm ed25519 -out FILE';
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new Error(`SETPOINT_SIGNING_KEY names ${file}, which cannot be read: ${cause.code}. ${how}`, { cause });
  });
  const key = keyOf(text);
  if (key?.asymmetricKeyType !== 'ed25519')
    throw new Error(`SETPOINT_SIGNING_KEY names ${file}, which holds no private Ed25519 key in PEM. ${how}`);
  return key;
}

/** An error of the parser may quote the key, so it goes no further. */
function keyOf(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined;
  }
}

/** The keys whose signatures a folder trusts: every public key in its `keys`. */
export async function trustedKeys(keys: string): Promise<TrustedKeys> {
  const names = await readdir(keys).catch(() => []);
  const files = names.filter((name) => name.endsWith('.pub')).sort();
  return trusting(await Promise.all(files.map((name) => readFile(join(keys, name), 'utf8'))));
}

/** `keys`: fingerprints. `isSigned`: by one of them. */
export interface TrustedKeys {
  readonly keys: readonly string[];
  readonly isSigned: (text: string, signature: string) => boolean;
}

/** Public keys as PEM text; of none, nothing is signed. */
export function trusting(pems: readonly string[]): TrustedKeys {
  const keys = pems.map((pem) => createPublicKey(pem));
  return {
    keys: keys.map(fingerprint),
    isSigned: (text, signature) =>
      keys.some((key) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))),
  };
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

const fingerprint = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);

/** Of the UTF-8 text, as lower-case hex: what the chain is hashed with. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
