import { sql } from 'kysely';
import type { Backoffs } from '../ports/backoffs.ts';
import type { Database } from './tables.ts';

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
