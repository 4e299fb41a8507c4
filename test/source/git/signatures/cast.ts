import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openGpgHome } from './gpg-keys.ts';
import { commitText, openRepository, type Repository } from './repository.ts';
import { makeSshKey, makeTokenKey, type SshKey } from './ssh-keys.ts';

/** A repository and everybody's keys. */
export interface Cast {
  readonly repository: Repository;
  /** An unsigned commit, which most rows sign. */
  readonly text: string;
  readonly ssh: ReturnType<typeof sshCast>;
  /** Made when first asked for, as GPG may not be installed. */
  readonly gpg: () => GpgCast;
  /** Ends and removes all of it. */
  readonly close: () => void;
}

export function openCast(): Cast {
  const folder = mkdtempSync(join(tmpdir(), 'setpoint-signers-'));
  const repository = openRepository(folder);
  const text = commitText({ tree: repository.tree, parents: [repository.root] });
  let gpg: GpgCast | undefined;
  return {
    repository,
    text,
    ssh: sshCast(folder),
    gpg: () => {
      gpg ??= gpgCast(folder, text);
      return gpg;
    },
    close: () => {
      gpg?.home.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const sshCast = (folder: string): Readonly<Record<'ada' | 'eve' | 'rsa' | 'ecdsa' | 'token', SshKey>> => ({
  ada: makeSshKey(folder, 'ada'),
  eve: makeSshKey(folder, 'eve'),
  rsa: makeSshKey(folder, 'rsa', ['-t', 'rsa', '-b', '2048']),
  ecdsa: makeSshKey(folder, 'ecdsa', ['-t', 'ecdsa', '-b', '256']),
  token: makeTokenKey(),
});

export type GpgCast = ReturnType<typeof gpgCast>;

/** Fingerprints, public blocks as they were at some time, and signatures that could not be made any more. */
function gpgCast(under: string, text: string) {
  const home = openGpgHome(under);
  const ada = home.key('Ada Lovelace', 'ada@acme.example');
  const eve = home.key('Eve', 'eve@acme.example');
  const forge = home.key('Forge', 'noreply@forge.example');
  const gone = home.key('Ada before', 'ada@acme.example');
  const old = home.key('Ada since 2020', 'ada@acme.example', { at: '20200101T000000' });
  const ended = home.key('Ada in 2020', 'ada@acme.example', { at: '20200101T000000', expire: '1y' });
  const whole = home.key('Ada at home', 'lovelace@home.example');
  const keys = { ada, eve, forge, gone, old, ended, whole };
  const blocks = {
    ada: home.block(ada),
    eve: home.block(eve),
    forge: home.block(forge),
    gone: home.block(gone),
    old: home.block(old),
    ended: home.block(ended),
    whole: home.block(whole),
  };
  home.gpg(['--quick-set-expire', ended, '0']);
  home.gpg(['--quick-add-key', whole, 'ed25519', 'sign', 'never']);
  const withSubkey = home.block(whole);
  const subkey = /^sub:[\s\S]*?^fpr:+(\w+):/m.exec(home.gpg(['--with-colons', '--list-keys', whole]))?.[1] ?? '';
  const signatures = { gone: home.sign(text, gone), subkey: home.sign(text, `${subkey}!`) };
  home.gpg(['--no-batch', '--command-fd', '0', '--edit-key', whole], 'key 1\nrevkey\ny\n0\n\ny\nsave\n');
  const after = {
    prolonged: home.block(ended),
    withSubkey,
    subkeyRevoked: home.block(whole),
    goneRevoked: home.revoke(gone),
  };
  return { home, ...keys, signatures, blocks: { ...blocks, ...after } };
}
