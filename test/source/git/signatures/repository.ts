import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** A bare repository for crafted commits. Objects go in as they are given, sound or not. */
export interface Repository {
  readonly folder: string;
  readonly git: (...args: readonly string[]) => string;
  readonly store: (bytes: string | Buffer, type?: string) => string;
  /** The empty tree, and an unsigned commit of it. */
  readonly tree: string;
  readonly root: string;
}

export const ADA = 'Ada Lovelace <ada@acme.example>';
export const ada = 'ada@acme.example';

export function openRepository(under: string): Repository {
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
