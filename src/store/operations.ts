import type { KeptOperations } from '../ports/provider.ts';
import type { Database } from './tables.ts';

export const postgresOperations = (db: Database): KeptOperations => ({
  list: (estate, scope) =>
    db
      .selectFrom('operations')
      .select(['id', 'state'])
      .where('estate', '=', estate)
      .where('scope', '=', scope)
      .orderBy('kept_at')
      .orderBy('id')
      .execute(),
  keep: async (estate, scope, { id, state }) => {
    await db
      .insertInto('operations')
      .values({ estate, scope, id, state })
      .onConflict((conflict) => conflict.columns(['estate', 'scope', 'id']).doUpdateSet({ state }))
      .execute();
  },
  drop: async (estate, scope, id) => {
    await db
      .deleteFrom('operations')
      .where('estate', '=', estate)
      .where('scope', '=', scope)
      .where('id', '=', id)
      .execute();
  },
});
