import type { Bells } from '../ports/sources.ts';
import type { Database } from './tables.ts';

export const postgresBells = (db: Database): Bells => ({
  ring: async (estate) => {
    await db
      .insertInto('bells')
      .values({ estate, rung: 1 })
      .onConflict((conflict) => conflict.column('estate').doUpdateSet(({ eb }) => ({ rung: eb('bells.rung', '+', 1) })))
      .execute();
  },
  rung: async (estate) => {
    const row = await db.selectFrom('bells').select('rung').where('estate', '=', estate).executeTakeFirst();
    return row?.rung ?? 0;
  },
});
