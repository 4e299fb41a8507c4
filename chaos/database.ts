import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { joinEmbedded } from '../src/store/embedded/embedded.ts';
import { openStore } from '../src/store/open-store.ts';
import { secrets } from './judge/secrets.ts';
import { ourClock } from './pace.ts';
import { installGates } from './wire/ledger-gate.ts';

/** One embedded PostgreSQL for all trials, each an estate of its own in one database. */
export interface ChaosDatabase {
  readonly url: string;
  /** `--dir` of every process of a trial: one key signs for all that share a database, and it lies here. */
  readonly dir: string;
  /** A connection that may do anything. */
  readonly owner: pg.Pool;
  close(): Promise<void>;
}

/** Of an account of the sandbox. */
export const ourKeys = { ...secrets, AWS_ACCESS_KEY_ID: 'test', AWS_EC2_METADATA_DISABLED: 'true' };

export async function startDatabase(): Promise<ChaosDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-chaos-pg-'));
  await chmod(folder, 0o711); // why: as root the database runs under an account of its own, which must get through
  const joined = await joinEmbedded({ folder, create: true, onProgress: () => {} });
  if (joined === undefined) throw new Error('a database that was to be made was not');
  const { port, superuser, passwords, leave } = joined;
  const url = `postgres://${superuser}:${encodeURIComponent(passwords.owner)}@127.0.0.1:${port}/postgres`;
  const owner = new pg.Pool({ connectionString: url, max: 20 });
  owner.on('error', () => {});
  // why: processes die here and the server never does, so nothing need reach a disk
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes'])
    await owner.query(`ALTER SYSTEM SET ${setting} = off`);
  await owner.query('SELECT pg_reload_conf()');
  const store = await openStore({ folder, databaseUrl: url, clock: ourClock, create: true });
  await store.close();
  await installGates(owner);
  return {
    url,
    dir: folder,
    owner,
    close: async () => {
      await owner.end();
      await leave();
      const elsewhere = await readFile(join(folder, 'home'), 'utf8').catch(() => undefined);
      if (elsewhere !== undefined) await rm(elsewhere.trim(), { recursive: true, force: true, maxRetries: 3 });
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
