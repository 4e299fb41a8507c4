import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A home of GPG that keys are made in. Its agent ends with `close`. */
interface GpgHome {
  readonly gpg: (args: readonly string[], input?: string) => string;
  readonly key: (name: string, email: string, options?: KeyOptions) => string;
  /** The public block of a key by its fingerprint. */
  readonly block: (fingerprint: string) => string;
  readonly sign: (text: string, fingerprint: string, options?: readonly string[]) => string;
  /** The block of a key after its owner revoked it, beside the one before. */
  readonly revoke: (fingerprint: string) => string;
  readonly close: () => void;
}

interface KeyOptions {
  readonly expire?: string;
  /** YYYYMMDDTHHMMSS: the day on which it is made, by gpg's own clock. */
  readonly at?: string;
}

export const hasGpg = spawnSync('gpg', ['--version']).status === 0;

export function openGpgHome(under: string): GpgHome {
  const home = join(under, 'gnupg');
  mkdirSync(home, { mode: 0o700 });
  const env = { PATH: process.env['PATH'], HOME: under, GNUPGHOME: home, LC_ALL: 'C' };
  const gpg = (args: readonly string[], input = ''): string => {
    const all = ['--batch', '--no-tty', '--yes', '--pinentry-mode', 'loopback', '--passphrase', '', ...args];
    return execFileSync('gpg', all, { env, input, stdio: 'pipe' }).toString('utf8');
  };
  const block = (fingerprint: string): string => gpg(['--armor', '--export', fingerprint]);
  return {
    gpg,
    key: (name, email, { expire = 'never', at } = {}) => {
      const said = gpg([
        ...(at === undefined ? [] : atTime(at)),
        ...['--status-fd', '1', '--quick-generate-key', `${name} <${email}>`, 'ed25519', 'sign', expire],
      ]);
      return /KEY_CREATED \w (\w+)/.exec(said)?.[1] ?? '';
    },
    block,
    sign: (text, fingerprint, options = []) => gpg([...options, '--armor', '-u', fingerprint, '--detach-sign'], text),
    revoke: (fingerprint) => {
      const made = readFileSync(join(home, 'openpgp-revocs.d', `${fingerprint}.rev`), 'utf8');
      gpg(['--import'], made.replace(/^:(?=-----)/m, ''));
      return block(fingerprint);
    },
    close: () => void spawnSync('gpgconf', ['--kill', 'all'], { env }),
  };
}

export const atTime = (at: string): readonly string[] => ['--faked-system-time', `${at}!`, '--ignore-time-conflict'];

/** A key of SSH: its public half as people list it, and how it signs. */
export interface SshKey {
  readonly line: string;
  readonly file: string;
  readonly sign: (text: string | Buffer, namespace?: string) => string;
}

export function makeSshKey(under: string, name: string, options: readonly string[] = ['-t', 'ed25519']): SshKey {
  const file = join(under, name);
  execFileSync('ssh-keygen', ['-q', '-N', '', '-C', name, '-m', 'PEM', '-f', file, ...options], { stdio: 'pipe' });
  return {
    line: readFileSync(`${file}.pub`, 'utf8').trim(),
    file,
    sign: (text, namespace = 'git') =>
      execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-f', file, '-n', namespace], {
        input: text,
        stdio: 'pipe',
      }).toString(),
  };
}

/** Fields of the form that OpenSSH signs in, put together by hand. */
interface SshParts {
  readonly key: Buffer;
  readonly namespace?: string;
  readonly digest?: string;
  readonly signature: (signed: Buffer) => Buffer;
  readonly trailing?: Buffer;
}

export function sshSignatureOf(text: string | Buffer, parts: SshParts): string {
  const { key, namespace = 'git', digest = 'sha512', signature, trailing = Buffer.alloc(0) } = parts;
  const hash = createHash(digest).update(text).digest();
  const signed = Buffer.concat([Buffer.from('SSHSIG'), ...[namespace, '', digest, hash].map(field)]);
  const blob = Buffer.concat([
    Buffer.from('SSHSIG\0\0\0\x01'),
    ...[key, namespace, '', digest, signature(signed)].map(field),
    trailing,
  ]);
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? [];
  return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n');
}

export const blobOf = (line: string): Buffer => Buffer.from(line.split(' ')[1] ?? '', 'base64');

export const field = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** A certificate of a key, by itself: its public line. */
export function certificateOf({ file }: SshKey): string {
  // why: each one made is another
  if (!existsSync(`${file}-cert.pub`))
    execFileSync('ssh-keygen', ['-q', '-s', file, '-I', 'ada', '-n', 'signer', `${file}.pub`], { stdio: 'pipe' });
  return readFileSync(`${file}-cert.pub`, 'utf8').trim();
}

/** By RSA: `ssh-rsa` is over SHA-1, as OpenSSH signed before 8.8. */
export const byRsa = (key: SshKey, algorithm: 'ssh-rsa' | 'rsa-sha2-512'): SshParts => ({
  key: blobOf(key.line),
  signature: (signed) => {
    const digest = algorithm === 'ssh-rsa' ? 'sha1' : 'sha512';
    return Buffer.concat([field(algorithm), field(sign(digest, signed, readFileSync(key.file)))]);
  },
});

/** A key of a FIDO token, without the token: it signs a hash of its application, a flag of touch, a count and a hash. */
export function makeTokenKey(): SshKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const type = 'sk-ssh-ed25519@openssh.com';
  const key = Buffer.concat([type, rawOf(publicKey), 'ssh:'].map(field));
  const touched = Buffer.from([1, 0, 0, 0, 7]);
  const signature = (signed: Buffer): Buffer => {
    const made = sign(null, Buffer.concat([sha256('ssh:'), touched, sha256(signed)]), privateKey);
    return Buffer.concat([field(type), field(made), touched]);
  };
  const line = `${type} ${key.toString('base64')}`;
  return { line, file: '', sign: (text, namespace = 'git') => sshSignatureOf(text, { key, namespace, signature }) };
}

const sha256 = (bytes: string | Buffer): Buffer => createHash('sha256').update(bytes).digest();

const rawOf = (key: KeyObject): Buffer => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
