import { randomBytes, randomUUID } from 'node:crypto';
import { readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Account,
  binaries,
  type Cluster,
  dataOf,
  initialise,
  isInitialised,
  packagedBinaries,
  type Ran,
  run,
  superuser,
} from './cluster.ts';
import { hasData, home, knownHome, ownFolder } from './home.ts';
import { hostOf, processStart, start, stop, stopNow } from './server.ts';

/** The server of a folder, joined. It runs on its own, whoever started it; the last one to leave stops it. */
export interface Embedded {
  /** Of the machine itself, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly superuser: string;
  readonly passwords: Passwords;
  /** True where another process uses it, which keeps it running when we leave. */
  readonly shared: boolean;
  leave(): Promise<void>;
}

interface Passwords {
  readonly owner: string;
  readonly app: string;
  readonly reader: string;
}

interface Joining {
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

const name = 'postgres';

/**
 * The account that the server runs as. PostgreSQL refuses root, so root lets the owner of the data run it, or the account
 * `postgres`, which is created where it is missing.
 */
async function serverAccount(data: string, exec: typeof run): Promise<Account> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(data).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return (await lookUp(exec)) ?? (await make(exec));
}

export async function lookUp(exec: typeof run): Promise<Account> {
  const [uid, gid] = await Promise.all([exec('id', ['-u', name]), exec('id', ['-g', name])]);
  return uid.ok && gid.ok ? { uid: idOf(uid), gid: idOf(gid) } : undefined;
}

const idOf = ({ output }: Ran): number => Number.parseInt(output, 10);

/** With the tools of most systems, else with those of BusyBox (Alpine). */
export async function make(exec: typeof run): Promise<Account> {
  await exec('groupadd', ['--system', name]);
  const made = await exec('useradd', ['--system', '--gid', name, '--no-create-home', '--shell', '/bin/false', name]);
  if (!made.ok) {
    await exec('addgroup', ['-S', name]);
    await exec('adduser', ['-S', '-D', '-H', '-G', name, '-s', '/bin/false', name]);
  }
  const account = await lookUp(exec);
  if (account) return account;
  throw new Error(
    `PostgreSQL does not run as root, and the account "${name}" could be neither found nor made (${made.output}). ` +
      'Make it, run as another user, or set DATABASE_URL to a database of your own.',
  );
}

const last = new Set<() => void>();

/** Runs `work` when the process exits without having taken it back: after an error nobody caught, or `process.exit`. Synchronous. */
function atExit(work: () => void): { takeBack(): void } {
  if (last.size === 0) process.once('exit', runAll);
  last.add(work);
  return {
    takeBack: () => {
      last.delete(work);
      if (last.size === 0) process.off('exit', runAll);
    },
  };
}

function runAll(): void {
  for (const work of last) work();
}

/** The users of a folder's server: one entry per open store, with the process it lives in. Crashed processes do not count. */
interface Users {
  /** The number of live ones. */
  count(): number;
  /** Returns the entry's name. */
  add(): string;
  remove(entry: string): void;
}

/** The longest wait for another process that starts or stops the server. */
const patienceMs = 120_000;

/**
 * Runs `work` while no other process runs it on the same file. SQLite holds the lock because its locks are the kernel's:
 * they end with their process, however that ends, which no lock file can promise.
 */
export async function withUsers<T>(file: string, work: (users: Users) => Promise<T>): Promise<T> {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    await lock(database, file);
    const result = await attempt(database, work);
    database.exec('COMMIT');
    return result;
  } finally {
    database.close();
  }
}

/** The same without waiting for anybody, for a process that ends: false where another process holds the lock. */
function withUsersNow(file: string, work: (users: Users) => void): boolean {
  const database = new DatabaseSync(file, { timeout: 1000 });
  try {
    begin(database);
    work(usersIn(database));
    database.exec('COMMIT');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  } finally {
    database.close();
  }
}

async function lock(database: DatabaseSync, file: string): Promise<void> {
  for (const end = performance.now() + patienceMs; ; await pause(50)) {
    try {
      begin(database);
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > end)
        throw new Error(`another process has held ${file} for ${patienceMs / 1000} s`, { cause: error });
    }
  }
}

function begin(database: DatabaseSync): void {
  database.exec('BEGIN EXCLUSIVE');
  database.exec(
    'CREATE TABLE IF NOT EXISTS users (entry TEXT PRIMARY KEY, pid INTEGER NOT NULL, started TEXT NOT NULL)',
  );
}

async function attempt<T>(database: DatabaseSync, work: (users: Users) => Promise<T>): Promise<T> {
  try {
    return await work(usersIn(database));
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

/** SQLITE_BUSY, https://sqlite.org/rescode.html#busy */
const isBusy = (error: unknown): boolean => error instanceof Error && 'errcode' in error && error.errcode === 5;

function usersIn(database: DatabaseSync): Users {
  const remove = (entry: string): void => {
    database.prepare('DELETE FROM users WHERE entry = ?').run(entry);
  };
  return {
    count: () => {
      let alive = 0;
      for (const { entry, pid, started } of database.prepare('SELECT entry, pid, started FROM users').all())
        if (processStart(Number(pid)) === started) alive += 1;
        else remove(String(entry));
      return alive;
    },
    add: () => {
      const entry = randomUUID();
      const started = processStart(process.pid) ?? '';
      database.prepare('INSERT INTO users VALUES (?, ?, ?)').run(entry, process.pid, started);
      return entry;
    },
    remove,
  };
}
