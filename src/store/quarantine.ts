import { sql } from 'kysely';
import type { Backoffs, Quarantine, Quarantined } from '../ports/fleet-state.ts';
import type { Where } from '../ports/queue.ts';
import type { Context } from './context.ts';
import { chainWrite } from './ledger-chain.ts';
import { noteBody, quarantineNote } from './ledger-entries.ts';
import type { Database, Write } from './tables.ts';

export const postgresQuarantine = (context: Context): Quarantine => ({
  put: (where, why, generation) => put(context.db, { ...where, why, generation }),
  list: (estate) => list(context.db, estate),
  release: async (where, by) => {
    if (by === undefined) await released(context.db, where);
    else await releaseBy(by, where, context);
  },
});

const released = (db: Database | Write, { estate, scope }: Where): Promise<readonly { readonly why: unknown }[]> =>
  db.deleteFrom('quarantine').where('estate', '=', estate).where('scope', '=', scope).returning('why').execute();

const releaseBy = (by: Parameters<typeof quarantineNote>[1], where: Where, context: Context): Promise<void> =>
  chainWrite(context, where.estate, async ({ trx, append }) => {
    const { estate, scope } = where;
    for (const { why } of await released(trx, where))
      await append([{ type: 'note', body: noteBody(estate, quarantineNote({ scope, why: String(why) }, by)) }]);
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

export const postgresBackoffs = (db: Database): Backoffs => ({
  list: async ({ estate, scope }) => {
    const rows = await db
      .selectFrom('backoffs')
      .select(['address', 'digest', 'generation', 'failures', 'said', 'until'])
      .select(sql<boolean>`until > clock_timestamp()`.as('waits'))
      .where('estate', '=', estate)
      .where('scope', '=', scope)
      .orderBy(sql`address COLLATE "C"`)
      .execute();
    return rows.map(({ said, until, ...row }) => ({ ...row, said: String(said), until: until.getTime() }));
  },
  put: async ({ estate, scope }, { said, ...refused }, forMs) => {
    const until = sql<Date>`clock_timestamp() + ${forMs} * interval '1 millisecond'`;
    const row = { estate, scope, ...refused, said: JSON.stringify(said), until };
    const { address: _, ...rest } = refused;
    await db
      .insertInto('backoffs')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['estate', 'scope', 'address']).doUpdateSet({ ...rest, said: row.said, until }),
      )
      .execute();
  },
  clear: async ({ estate, scope }, address) => {
    const all = db.deleteFrom('backoffs').where('estate', '=', estate).where('scope', '=', scope);
    await (address === undefined ? all : all.where('address', '=', address)).execute();
  },
});
