import { sql } from 'kysely';
import type { Clock } from '../ports/clock.ts';
import type { Database } from './tables.ts';

export const usualHistoryMs = 90 * 86_400_000;

const most = 1000;

/**
 * Called after each look that was kept: deletes versions that ended, and sightings, that are older than what is kept, in the
 * order of their age; a thousand at most beyond what the look itself ended. So no call takes long, and however fast versions
 * end, they go as fast. What is now has not ended, and stays. Never rejects: what was kept stays kept.
 */
export function pruneHistory(db: Database, clock: Clock, keptMs: number): (ended: number) => Promise<void> {
  return async (ended) => {
    const from = clock.now() - keptMs;
    try {
      await pruneVersions(db, from, most + ended);
      await pruneSightings(db, from, most + ended);
    } catch {
      // why: what is not deleted now is deleted later
    }
  };
}

async function pruneVersions(db: Database, from: number, limit: number): Promise<void> {
  await sql`
    DELETE FROM setpoint.versions_past WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM setpoint.versions_past WHERE ended <= ${from} ORDER BY ended LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ))`.execute(db);
}

/** When an object appeared stays known until it has vanished: what comes late of a launch is told by it. */
async function pruneSightings(db: Database, from: number, limit: number): Promise<void> {
  await sql`
    WITH old AS (
      DELETE FROM setpoint.sightings WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM setpoint.sightings
        WHERE change <> 'appeared' AND at < ${from} ORDER BY at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )) RETURNING estate, scope, id, number, change
    )
    DELETE FROM setpoint.sightings AS appeared USING old
    WHERE old.change = 'vanished' AND appeared.change = 'appeared' AND appeared.estate = old.estate
      AND appeared.id = old.id AND appeared.scope = old.scope AND appeared.number < old.number`.execute(db);
}
