import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { joinEmbedded } from '../src/store/embedded/embedded.ts';
import { openStore } from '../src/store/open-store.ts';
import { ourClock } from './clock.ts';
import type { Catch } from './matrix.ts';
import { secrets } from './violations.ts';

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

/** Holds whoever appends to the ledger, in the middle of its transaction: a trigger that waits for a lock of ours. */
export interface LedgerGate {
  /** Returns when somebody stands inside. */
  caught(): Promise<void>;
  /** Lets it go on; nobody is held any more. */
  open(): Promise<void>;
}

/** Made once in the trials' own database. */
async function installGates(owner: pg.Pool): Promise<void> {
  await owner.query(`
    CREATE SCHEMA chaos;
    CREATE TABLE chaos.gates (estate text PRIMARY KEY, lock bigint NOT NULL, type text NOT NULL, verb text NOT NULL);
    CREATE FUNCTION chaos.gate() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    DECLARE held bigint;
    BEGIN
      SELECT lock INTO held FROM chaos.gates
        WHERE estate = NEW.estate AND type = NEW.type AND verb = NEW.body::json->>'verb';
      IF held IS NOT NULL THEN PERFORM pg_advisory_xact_lock(held); END IF;
      RETURN NULL;
    END
    $$;
    CREATE TRIGGER chaos_gate AFTER INSERT ON setpoint.ledger FOR EACH ROW EXECUTE FUNCTION chaos.gate();`);
}

const lookEveryMs = 10;
const longestMs = 60_000;
let locks = 7_000_000;

/** For the next entry of this kind that the estate's chain gets. */
export async function ledgerGate(
  owner: pg.Pool,
  estate: string,
  { entry, verb }: Pick<Catch, 'entry' | 'verb'>,
): Promise<LedgerGate> {
  const lock = ++locks * 10 + (process.pid % 10);
  const keeper = await owner.connect();
  await keeper.query('SELECT pg_advisory_lock($1)', [lock]);
  await keeper.query('INSERT INTO chaos.gates VALUES ($1, $2, $3, $4)', [estate, lock, entry, verb]);
  return {
    caught: async () => {
      for (const until = Date.now() + longestMs; Date.now() < until; ) {
        const { rowCount } = await keeper.query(
          `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = $1::bigint::oid AND classid = 0`,
          [lock],
        );
        if (rowCount !== null && rowCount > 0) return;
        await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      }
      throw new Error(`nobody appended a ${entry} of a ${verb} to the ledger of ${estate}`);
    },
    open: async () => {
      await keeper.query('DELETE FROM chaos.gates WHERE estate = $1', [estate]);
      await keeper.query('SELECT pg_advisory_unlock($1)', [lock]);
      keeper.release();
    },
  };
}
