import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { gitPerson as env } from './git-person.ts';

/** A repository with a work tree, as a person has one; gone when the tests of the file have ended. */
export interface GitCheckout {
  readonly dir: string;
  git(...args: readonly string[]): string;
  /** Writes files; '' removes one. */
  write(files: Readonly<Record<string, string>>): void;
  /** Commits them with all other changes there; returns the commit's name. */
  commit(files: Readonly<Record<string, string>>): string;
}

export function gitCheckout(): GitCheckout {
  const dir = mkdtempSync(join(tmpdir(), 'setpoint-checkout-'));
  after(() => rmSync(dir, { recursive: true, force: true }));
  const git: GitCheckout['git'] = (...args) =>
    execFileSync('git', ['-C', dir, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
      .toString()
      .trimEnd();
  const write: GitCheckout['write'] = (files) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      if (text === '') rmSync(join(dir, path));
      else writeFileSync(join(dir, path), text);
    }
  };
  git('init', '--quiet', '--template=', '--initial-branch=main');
  return {
    dir,
    git,
    write,
    commit: (files) => {
      write(files);
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '--message', `change ${Object.keys(files).join(', ')}`);
      return git('rev-parse', 'HEAD');
    },
  };
}
