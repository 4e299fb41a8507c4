import { sql } from 'kysely';
import type { Quarantine, Quarantined } from '../ports/fleet-state.ts';
import type { Database } from './tables.ts';

export const postgresQuarantine = (db: Database): Quarantine => ({
  put: (where, why, generation) => put(db, { ...where, why, generation }),
  list: (estate) => list(db, estate),
  release: async ({ estate, scope }) => {
    await db.deleteFrom('quarantine').where('estate', '=', estate).where('scope', '=', scope).execute();
  },
});

async function put(db: Database, { why, ...row }: Omit<Quarantined, 'since'>): Promise<void> {
  const since = sql<Date>`CASE WHEN quarantine.generation = excluded.generation
    THEN quarantine.since ELSE excluded.since END`;
  await db
    .insertInto('quarantine')
    .values({ ...row, why: JSON.stringify(why), since: sql<Date>`clock_timestamp()` })
    .onConflict((conflict) =>
      conflict.columns(['estate', 'scope']).doUpdateSet(({ ref }) => ({
        generation: ref('excluded.generation'),
        why: ref('excluded.why'),
        since,
      })),
    )
    .execute();
}

async function list(db: Database, estate: string | undefined): Promise<readonly Quarantined[]> {
  const isNewest = sql<boolean>`NOT EXISTS (
    SELECT FROM setpoint.generations AS newer
    WHERE newer.estate = quarantine.estate AND newer.number > quarantine.generation)`;
  let query = db
    .selectFrom('quarantine')
    .select(['estate', 'scope', 'why', 'since', 'generation'])
    .where(isNewest)
    .orderBy('estate')
    .orderBy('scope');
  if (estate !== undefined) query = query.where('estate', '=', estate);
  const rows = await query.execute();
  return rows.map(({ why, since, ...row }) => ({ ...row, why: String(why), since: since.getTime() }));
}
