import { execFile, spawnSync } from 'node:child_process';

/** An account of the operating system; undefined: the one we run as. */
export type Account = { readonly uid: number; readonly gid: number } | undefined;

export interface Ran {
  readonly ok: boolean;
  /** stdout and stderr, in that order, trimmed. */
  readonly output: string;
}

/**
 * Runs a program to its end as `account`. It sees nothing of our environment but the search path: `PGDATA`, `PGPORT` and
 * locales of the user must not reach PostgreSQL.
 */
export function run(program: string, args: readonly string[], account?: Account): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program, args, { ...account, env: env(), cwd: '/', maxBuffer: 1 << 24 }, (error, stdout, stderr) => {
      const output = [stdout, stderr, error && !stderr ? error.message : ''].join('\n').trim();
      resolve({ ok: error === null, output });
    });
  });
}

/** The same while nothing else in this process goes on, with no word of how it went. */
export function runNow(program: string, args: readonly string[], account?: Account): void {
  spawnSync(program, args, { ...account, env: env(), cwd: '/', stdio: 'ignore' });
}

const env = () => ({ PATH: `${process.env['PATH'] ?? '/usr/bin:/bin'}:/usr/sbin:/sbin`, LC_ALL: 'C', TZ: 'UTC' });
