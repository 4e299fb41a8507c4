import { sql } from 'kysely';
import { readerRole } from './reader-role.ts';
import type { Database } from './tables.ts';

/**
 * Ends sessions of people with psql that have a number of a transaction: they have nothing to write, and hold up all that
 * happens until they end. Where the server is the user's own it sees none, and ends none.
 */
export async function endReaders(db: Database): Promise<void> {
  await sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE usename = ${readerRole} AND backend_xid IS NOT NULL`.execute(db);
}
