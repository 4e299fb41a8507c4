import { execFileSync } from 'node:child_process';
import { gitPerson as env } from '../../support/git-person.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The folder as a work tree with one commit, and a bare repository that it names `upstream`. */
export function inGit(dir: string): { readonly git: (...args: readonly string[]) => string; readonly remote: string } {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', dir, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] }).toString();
  const remote = temporaryFolder();
  git('init', '--quiet', '--bare', '--template=', remote);
  git('init', '--quiet', '--template=', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'specs');
  git('remote', 'add', 'upstream', remote);
  return { git, remote };
}
