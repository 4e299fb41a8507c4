import type pg from 'pg';
import type { Catch } from '../victim/catch.ts';

/** Holds whoever appends to the ledger, in the middle of its transaction: a trigger that waits for a lock of ours. */
export interface LedgerGate {
  /** Returns when somebody stands inside. */
  caught(): Promise<void>;
  /** Lets it go on; nobody is held any more. */
  open(): Promise<void>;
}

/** Made once in the trials' own database. */
export async function installGates(owner: pg.Pool): Promise<void> {
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
