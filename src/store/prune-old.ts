import { sql } from 'kysely';
import type { Clock } from '../ports/clock.ts';
import type { Database } from './tables.ts';

const day = 86_400_000;

/** For how long each is of use: senders repeat deliveries for days, audit logs are late by hours, drift is looked at for weeks. */
const keptMs = { deliveries: 7 * day, replies: day, own_calls: 7 * day, touches: 90 * day, passes: 7 * day };

const every = 100;
const most = 1000;

/**
 * Called after each write to a table: at the first and every hundredth it deletes up to a thousand rows that are too old. So no
 * call takes long, and however fast rows come, they go faster. Never rejects: what was written stays written.
 */
export function pruneOld(db: Database, clock: Clock, table: keyof typeof keptMs): () => Promise<void> {
  let writes = 0;
  return async () => {
    if (writes++ % every !== 0) return;
    const rows = sql.table(`setpoint.${table}`);
    const old = sql`SELECT ctid FROM ${rows} WHERE at < ${clock.now() - keptMs[table]} LIMIT ${most} FOR UPDATE SKIP LOCKED`;
    // why: what is not deleted now is deleted later
    await sql`DELETE FROM ${rows} WHERE ctid = ANY (ARRAY(${old}))`.execute(db).catch(() => {});
  };
}
