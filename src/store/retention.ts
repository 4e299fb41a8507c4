import { sql } from 'kysely';
import type { Clock } from '../ports/clock-and-log.ts';
import type { Where } from '../ports/queue.ts';
import type { Database, Write } from './tables.ts';

const day = 86_400_000;

/** For how long each is of use: senders repeat deliveries for days, audit logs are late by hours, drift is looked at for weeks. */
const keptMs = { deliveries: 7 * day, replies: day, own_calls: 7 * day, touches: 90 * day, passes: 7 * day };

const every = 100;
const mostOld = 1000;

/**
 * Called after each write to a table: at the first and every hundredth it deletes up to a thousand rows that are too old. So no
 * call takes long, and however fast rows come, they go faster. Never rejects: what was written stays written.
 */
export function pruneOld(db: Database, clock: Clock, table: keyof typeof keptMs): () => Promise<void> {
  let writes = 0;
  return async () => {
    if (writes++ % every !== 0) return;
    const rows = sql.table(`setpoint.${table}`);
    const old = sql`SELECT ctid FROM ${rows} WHERE at < ${clock.now() - keptMs[table]} LIMIT ${mostOld} FOR UPDATE SKIP LOCKED`;
    // why: what is not deleted now is deleted later
    await sql`DELETE FROM ${rows} WHERE ctid = ANY (ARRAY(${old}))`.execute(db).catch(() => {});
  };
}

/** Of each scope. Quiet ones are many and much alike, and must not push out those in which something happened. */
const mostQuiet = 200;
const mostReconciles = 2_000;

/** Never rejects: what is not deleted now is deleted after another reconcile. */
export async function pruneReconciles(db: Database, { estate, scope }: Where, quiet: boolean): Promise<void> {
  const ofThese = sql`estate = ${estate} AND scope = ${scope} AND quiet = ${quiet}`;
  const beyond = sql`
    SELECT at FROM setpoint.passes WHERE ${ofThese} ORDER BY at DESC OFFSET ${quiet ? mostQuiet : mostReconciles} LIMIT 1`;
  await sql`DELETE FROM setpoint.passes WHERE ${ofThese} AND at <= (${beyond})`.execute(db).catch(() => {});
}

export const usualHistoryMs = 90 * 86_400_000;

const mostVersions = 1000;

/**
 * Called after each look that was kept: deletes versions that ended, and sightings, that are older than what is kept, in the
 * order of their age; a thousand at most beyond what the look itself ended. So no call takes long, and however fast versions
 * end, they go as fast. What is now has not ended, and stays. Never rejects: what was kept stays kept.
 */
export function pruneHistory(db: Database, clock: Clock, keptMs: number): (ended: number) => Promise<void> {
  return async (ended) => {
    const from = clock.now() - keptMs;
    try {
      await pruneVersions(db, from, mostVersions + ended);
      await pruneSightings(db, from, mostVersions + ended);
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

/** The time of an object's appearance is kept until it has vanished: late changes of a launch need it. */
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

/** For how long events are kept, and at most how many: long enough for a watcher to come back after a weekend. */
const kept = { ms: 3 * 86_400_000, rows: 200_000 };

const mostForgotten = 1000;

/**
 * Forgets the oldest that are too old or too many, a thousand at most, and notes how far that went: whoever comes back from
 * before there is told that he missed something. Only what every watcher may have been told of. Nobody waits for another who
 * is at it. `number`: of the newest one.
 */
export async function forgetEvents(trx: Write, now: number, number: number): Promise<void> {
  await sql`
    WITH book AS (SELECT FROM setpoint.forgotten_happenings FOR UPDATE SKIP LOCKED),
    oldest AS (
      SELECT tx, number, at FROM setpoint.happenings
      WHERE tx < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY tx, number LIMIT ${mostForgotten}
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
