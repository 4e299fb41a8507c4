import { randomBytes } from 'node:crypto';
import { readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serverAccount } from './account.ts';
import { atExit } from './at-exit.ts';
import { binaries, packagedBinaries } from './binaries.ts';
import { type Cluster, dataOf, initialise, isInitialised, superuser } from './cluster.ts';
import { hasData } from './has-data.ts';
import { home, knownHome, ownFolder } from './home.ts';
import { run } from './run.ts';
import { start, stop, stopNow } from './server.ts';
import { withUsers, withUsersNow } from './users.ts';

/** The server of a folder, joined. It runs on its own, whoever started it; the last one to leave stops it. */
export interface Embedded {
  readonly port: number;
  readonly superuser: string;
  readonly passwords: Passwords;
  leave(): Promise<void>;
}

export interface Passwords {
  readonly owner: string;
  readonly app: string;
}

export interface Joining {
  /** Our own: `.setpoint`. */
  readonly folder: string;
  /** False: undefined where there is no database yet, and nothing is made. */
  readonly create: boolean;
  readonly onProgress: (message: string) => void;
}

/**
 * Joins the running server of a folder, or starts it. Real PostgreSQL from npm, on 127.0.0.1 and a free port.
 * First start about 3 s, later ones under 1 s. A server whose users all crashed is joined or started again by the next.
 */
export async function joinEmbedded({ folder, create, onProgress }: Joining): Promise<Embedded | undefined> {
  if (!create && !(await hasData(folder))) return undefined;
  await ownFolder(folder);
  const inside = await realpath(folder);
  const file = join(inside, 'users.sqlite');
  const joined = await withUsers(file, async (users) => {
    const cluster = await clusterOf(inside, onProgress);
    const passwords = await passwordsIn(inside);
    if (!(await isInitialised(cluster.home))) {
      onProgress(`creating a database in ${cluster.home}`);
      await initialise(cluster, passwords.owner);
    }
    const port = await start(cluster);
    users.count();
    return { port, passwords, cluster, entry: users.add() };
  });
  const { port, passwords, cluster, entry } = joined;
  const forgotten = atExit(() => leaveNow(file, entry, cluster));
  const leave = async (): Promise<void> => {
    forgotten.takeBack();
    await withUsers(file, async (users) => {
      users.remove(entry);
      if (users.count() === 0) await stop(cluster);
    });
  };
  return { port, superuser, passwords, leave };
}

function leaveNow(file: string, entry: string, cluster: Cluster): void {
  withUsersNow(file, (users) => {
    users.remove(entry);
    if (users.count() === 0) stopNow(cluster);
  });
}

async function clusterOf(inside: string, onProgress: (message: string) => void): Promise<Cluster> {
  const account = await serverAccount(dataOf((await knownHome(inside)) ?? inside), run);
  const at = await home(inside, account, onProgress);
  return {
    home: at,
    account,
    binaries: await binaries({ packaged: packagedBinaries(), home: at, account, onProgress }),
  };
}

/** Made once, readable by us alone. */
async function passwordsIn(inside: string): Promise<Passwords> {
  const file = join(inside, 'passwords.json');
  const found = await readFile(file, 'utf8').catch(() => undefined);
  if (found !== undefined) return JSON.parse(found);
  const made = { owner: randomBytes(24).toString('base64url'), app: randomBytes(24).toString('base64url') };
  const aside = `${file}.new`;
  await writeFile(aside, `${JSON.stringify(made)}\n`, { mode: 0o600 });
  await rename(aside, file);
  return made;
}
