import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Account, isInitialised, run } from './cluster.ts';

/** The folder of a store, whether it was named itself or the one that has it. */
export const storeFolder = (folder: string): string =>
  basename(folder) === '.setpoint' ? folder : join(folder, '.setpoint');

/** The data folder of a folder's server: a folder of ours that nobody else can write to. */
export async function home(inside: string, account: Account, onProgress: (message: string) => void): Promise<string> {
  const note = join(inside, 'home');
  const noted = await readFile(note, 'utf8').catch(() => undefined);
  if (noted !== undefined) return trusted(noted.trim(), note);
  if (account === undefined || (await reaches(account, inside))) return inside;
  const elsewhere = await mkdtemp(join('/var/tmp', `setpoint-${await nameOf(inside)}-`));
  await chmod(elsewhere, 0o711);
  await writeFile(note, `${elsewhere}\n`, { mode: 0o600, flag: 'wx' });
  onProgress(`the database lies in ${elsewhere}: the server's account cannot reach ${inside}`);
  return elsewhere;
}

/** https://nodejs.org/docs/latest-v24.x/api/errors.html#common-system-errors */
const unwritable: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'that disk is read-only',
  ENOTDIR: 'a file is in its way',
  EEXIST: 'a file is in its way',
  ENOSPC: 'that disk is full',
};

/** `.setpoint` itself. Under root others may pass through it, to the data that belongs to the server's account, and see nothing. */
export async function ownFolder(inside: string): Promise<void> {
  const made = await mkdir(inside, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    const why = unwritable[error.code ?? ''];
    if (why === undefined) throw error;
    throw new Error(
      `${inside}, where the store and its keys are kept, cannot be made: ${why}. Name another folder with --dir.`,
      { cause: error },
    );
  });
  const { uid } = await lstat(inside);
  const we = process.getuid?.() ?? uid;
  if (uid !== we && we !== 0)
    throw new Error(`${inside} belongs to user ${uid}, we are ${we}: run as that user, or set DATABASE_URL`);
  if (uid === 0) await chmod(inside, 0o711);
  await ignoreInGit(inside, made !== undefined);
}

/**
 * Keeps keys and data out of a repository around the folder. An existing file stays, and a failure to write it stops nothing. A folder of
 * another name that Setpoint has not made may be a repository: there it writes no file. `isNew`: the caller has just made the folder.
 */
export async function ignoreInGit(inside: string, isNew: boolean): Promise<void> {
  if (!isNew && basename(inside) !== '.setpoint') return;
  await writeFile(join(inside, '.gitignore'), '*\n', { mode: 0o600, flag: 'wx' }).catch(() => {});
}

/** The data folder, if there may be one; undefined where the folder has no store. Changes nothing. */
export async function knownHome(inside: string): Promise<string | undefined> {
  const noted = await readFile(join(inside, 'home'), 'utf8').catch(() => undefined);
  const at = noted?.trim() ?? inside;
  const data = await lstat(join(at, 'data')).catch(() => undefined);
  return data?.isDirectory() ? at : undefined;
}

async function trusted(path: string, note: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  if (!found)
    throw new Error(
      `the database in ${path} is gone. To begin a new one delete ${note}, then "setpoint takeover" finds the resources of the old one.`,
    );
  const ours = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
  if (!ours) throw new Error(`${path} is not a folder that only we can write to: it is not trusted`);
  return path;
}

const reaches = async (account: Account, path: string): Promise<boolean> =>
  (await run('/bin/sh', ['-c', 'cd "$1"', 'sh', path], account)).ok;

const nameOf = async (path: string): Promise<string> =>
  createHash('sha256')
    .update(await realpath(path))
    .digest('hex')
    .slice(0, 12);

/** True where a store's folder has a database. Changes nothing. */
export async function hasData(inside: string): Promise<boolean> {
  const at = await knownHome(inside);
  return at !== undefined && (await isInitialised(at));
}
