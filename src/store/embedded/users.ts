import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { processStart } from './process-start.ts';

/** Who uses the server of a folder: one entry per open store, with the process it lives in. Crashed processes do not count. */
export interface Users {
  /** How many live ones there are. */
  count(): number;
  /** Returns the entry's name. */
  add(): string;
  remove(entry: string): void;
}

/** How long to wait for another process that starts or stops the server. */
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
export function withUsersNow(file: string, work: (users: Users) => void): boolean {
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
