import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A home of GPG that keys are made in. Its agent ends with `close`. */
export interface GpgHome {
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
