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
import { hostOf } from './socket.ts';
import { withUsers, withUsersNow } from './users.ts';

/** The server of a folder, joined. It runs on its own, whoever started it; the last one to leave stops it. */
export interface Embedded {
  /** Of the machine itself, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly superuser: string;
  readonly passwords: Passwords;
  /** Whether somebody else uses it, who keeps it running when we leave. */
  readonly shared: boolean;
  leave(): Promise<void>;
}

export interface Passwords {
  readonly owner: string;
  readonly app: string;
  readonly reader: string;
}

export interface Joining {
  /** Our own: `.setpoint`. */
  readonly folder: string;
  /** False: undefined where there is no database yet, and nothing is made. */
  readonly create: boolean;
  readonly onProgress: (message: string) => void;
}

/**
 * Joins the running server of a folder, or starts it. Real PostgreSQL from npm, on a socket, and on 127.0.0.1 and a free port.
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
    const shared = users.count() > 0;
    return { port, passwords, shared, cluster, entry: users.add() };
  });
  const { port, passwords, shared, cluster, entry } = joined;
  const forgotten = atExit(() => leaveNow(file, entry, cluster));
  const leave = async (): Promise<void> => {
    forgotten.takeBack();
    await withUsers(file, async (users) => {
      users.remove(entry);
      if (users.count() === 0) await stop(cluster);
    });
  };
  return { host: await hostOf(cluster, port), port, superuser, passwords, shared, leave };
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

/** Made once, readable by us alone. Those of an older store lack what came later. */
async function passwordsIn(inside: string): Promise<Passwords> {
  const file = join(inside, 'passwords.json');
  const found = await readFile(file, 'utf8').catch(() => '{}');
  const known: Partial<Passwords> = JSON.parse(found);
  if (isWhole(known)) return known;
  const made = { owner: password(), app: password(), reader: password(), ...known };
  const aside = `${file}.new`;
  await writeFile(aside, `${JSON.stringify(made)}\n`, { mode: 0o600 });
  await rename(aside, file);
  return made;
}

const isWhole = (known: Partial<Passwords>): known is Passwords =>
  known.owner !== undefined && known.app !== undefined && known.reader !== undefined;

const password = (): string => randomBytes(24).toString('base64url');
