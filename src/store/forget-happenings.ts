import { sql } from 'kysely';
import type { Write } from './tables.ts';

/** For how long happenings are kept, and at most how many: long enough for a watcher to come back after a weekend. */
const kept = { ms: 3 * 86_400_000, rows: 200_000 };

const most = 1000;

/**
 * Forgets the oldest that are too old or too many, a thousand at most, and notes how far that went: whoever comes back from
 * before there is told that he missed something. Only what every watcher may have been told of. Nobody waits for another who
 * is at it. `number`: of the newest one.
 */
export async function forgetHappenings(trx: Write, now: number, number: number): Promise<void> {
  await sql`
    WITH book AS (SELECT FROM setpoint.forgotten_happenings FOR UPDATE SKIP LOCKED),
    oldest AS (
      SELECT tx, number, at FROM setpoint.happenings
      WHERE tx < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY tx, number LIMIT ${most}
    ),
    last AS (
      SELECT tx, number FROM oldest, book
      WHERE at < ${now - kept.ms} OR number <= ${number - kept.rows} ORDER BY tx DESC, number DESC LIMIT 1
    ),
    forgotten AS (
      DELETE FROM setpoint.happenings AS old USING last WHERE (old.tx, old.number) <= (last.tx, last.number)
    )
    UPDATE setpoint.forgotten_happenings AS known SET tx = last.tx, number = last.number FROM last
    WHERE (known.tx, known.number) < (last.tx, last.number)`.execute(trx);
}
