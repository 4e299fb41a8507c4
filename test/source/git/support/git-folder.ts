import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitPerson as env } from '../../../support/git-person.ts';

/** A folder of repositories that tests make by plain git, without the machine's configuration. */
export interface GitFolder {
  readonly dir: string;
  git(repository: string, args: readonly string[], input?: string | Buffer): string;
  /** A bare repository; answers with its path. */
  bare(name: string): string;
  /** A commit of these files on a branch, beside the branch's files; '' removes a file. Returns its name. */
  commit(repository: string, files: Readonly<Record<string, string>>, branch?: string): string;
  /** A PATH with a git that notes the arguments of each run, and its new notes since the last call. */
  watched(): { readonly PATH: string; readonly lines: () => readonly string[] };
  remove(): void;
}

export function gitFolder(prefix = 'setpoint-git-'): GitFolder {
  const dir = mkdtempSync(join(tmpdir(), prefix));
  const git: GitFolder['git'] = (repository, args, input) =>
    execFileSync('git', [`--git-dir=${repository}`, ...args], {
      env,
      cwd: dir,
      ...(input === undefined ? {} : { input }),
      stdio: ['pipe', 'pipe', 'pipe'],
    })
      .toString()
      .trimEnd();
  return {
    dir,
    git,
    bare: (name) => {
      const path = join(dir, name);
      execFileSync('git', ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', path], { env });
      return path;
    },
    commit: (repository, files, branch = 'main') => {
      git(repository, ['fast-import', '--quiet', '--force'], stream(files, branch, hasBranch(git, repository, branch)));
      return git(repository, ['rev-parse', `refs/heads/${branch}`]);
    },
    watched: () => watched(dir),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

function watched(dir: string): ReturnType<GitFolder['watched']> {
  const [folder, log] = [mkdtempSync(join(dir, 'path-')), join(dir, 'verbs')];
  const script = `#!/bin/sh\necho "$*" >> '${log}'\nPATH='${env.PATH}' exec git "$@"\n`;
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
  writeFileSync(log, '');
  return {
    PATH: `${folder}:${env.PATH}`,
    lines: () => {
      const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
      writeFileSync(log, '');
      return lines;
    },
  };
}

function hasBranch(git: GitFolder['git'], repository: string, branch: string): boolean {
  return git(repository, ['for-each-ref', `refs/heads/${branch}`]) !== '';
}

/** https://git-scm.com/docs/git-fast-import: a commit by one process, however many files it has. */
function stream(files: Readonly<Record<string, string>>, branch: string, goesOn: boolean): string {
  const who = 'Ada <ada@acme.example> 1800000000 +0000';
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const changes = Object.entries(files).map(([path, text]) =>
    text === '' ? `D ${path}\n` : `M ${text.startsWith('#!') ? '100755' : '100644'} inline ${path}\n${data(text)}`,
  );
  const from = goesOn ? `from refs/heads/${branch}^0\n` : '';
  const subject = `change ${Object.keys(files).join(', ').slice(0, 100)}`;
  return `commit refs/heads/${branch}\nauthor ${who}\ncommitter ${who}\n${data(subject)}${from}${changes.join('')}\n`;
}
