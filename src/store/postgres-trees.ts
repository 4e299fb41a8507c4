import type { KeptTree, Trees } from '../ports/fleet-state.ts';
import type { Database } from './tables.ts';

export const postgresTrees = (db: Database): Trees => ({
  keep: async (estate, revision, tree) => {
    await db
      .insertInto('trees')
      .values({ estate, revision, tree: JSON.stringify(tree) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  },
  read: async (estate, revision) => {
    const row = await db
      .selectFrom('trees')
      .select('tree')
      .where('estate', '=', estate)
      .where('revision', '=', revision)
      .executeTakeFirst();
    return row?.tree as KeptTree | undefined; // why: only `keep` writes the column
  },
});
