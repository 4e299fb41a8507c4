import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RefusalCode, Signer } from '../../../../src/source/git/signatures/signers.ts';
import { makeSshKey, makeTokenKey, openGpgHome, type SshKey } from './keys.ts';

/** A possible commit, and the verdict: the signer's name, or the reason of the refusal. */
export interface Row {
  readonly name: string;
  /** Makes it, and gives its name. */
  readonly commit: (cast: Cast) => string;
  readonly signers: (cast: Cast) => readonly Signer[];
  readonly want: { readonly signer: string } | { readonly code: RefusalCode };
}

export const TODAY = '2027-01-31';

export const good = (signer: string) => ({ signer });
export const bad = (code: RefusalCode) => ({ code });

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

/** A bare repository for crafted commits. Objects go in as they are given, sound or not. */
interface Repository {
  readonly folder: string;
  readonly git: (...args: readonly string[]) => string;
  readonly store: (bytes: string | Buffer, type?: string) => string;
  /** The empty tree, and an unsigned commit of it. */
  readonly tree: string;
  readonly root: string;
}

export const ADA = 'Ada Lovelace <ada@acme.example>';
export const ada = 'ada@acme.example';

function openRepository(under: string): Repository {
  const folder = join(under, 'mirror.git');
  mkdirSync(folder);
  const env = {
    PATH: process.env['PATH'],
    HOME: under,
    GNUPGHOME: join(under, 'gnupg'),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ada Lovelace',
    GIT_AUTHOR_EMAIL: ada,
    GIT_COMMITTER_NAME: 'Ada Lovelace',
    GIT_COMMITTER_EMAIL: ada,
  };
  const run = (args: readonly string[], input: string | Buffer = ''): string =>
    execFileSync('git', [`--git-dir=${folder}`, ...args], { env, input, stdio: 'pipe' })
      .toString('utf8')
      .trim();
  const store = (bytes: string | Buffer, type = 'commit'): string =>
    run(['hash-object', '--literally', '-t', type, '-w', '--stdin'], bytes);
  run(['init', '--quiet', '--bare', '--object-format=sha1']);
  const tree = store('', 'tree');
  return { folder, git: (...args) => run(args), store, tree, root: store(commitText({ tree })) };
}

interface CommitFields {
  readonly tree: string;
  readonly parents?: readonly string[];
  readonly author?: string;
  readonly committer?: string;
  readonly message?: string;
}

/** A commit as git writes it, without a signature. */
export function commitText(fields: CommitFields): string {
  const { tree, parents = [], author = ADA, committer = ADA, message = 'rules: open 443\n' } = fields;
  const when = '1795300000 +0100';
  const lines = [`tree ${tree}`, ...parents.map((id) => `parent ${id}`), `author ${author} ${when}`];
  return `${[...lines, `committer ${committer} ${when}`].join('\n')}\n\n${message}`;
}

/** The same with a header more, after all others. */
export const withHeader = (text: string, name: string, value: string): string =>
  text.replace('\n\n', `\n${name} ${value.trimEnd().replaceAll('\n', '\n ')}\n\n`);

export const withSignature = (text: string, armour: string): string => withHeader(text, 'gpgsig', armour);
