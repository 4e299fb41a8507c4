import { sql } from 'kysely';
import type { Count } from '../core/limits.ts';
import type { Where } from '../ports/queue.ts';
import type { OtherScopes, ScopeCount, ScopeCounts } from '../ports/scope-counts.ts';
import type { Context } from './context.ts';
import type { Database } from './tables.ts';

export const postgresScopeCounts = ({ db }: Context): ScopeCounts => ({
  epoch: (estate) => epochOf(db, estate),
  keep: async (where, counted) => {
    await db
      .insertInto('scope_counts')
      .values(rowOf(where, counted))
      .onConflict((conflict) => conflict.columns(['estate', 'scope']).doUpdateSet(rowOf(where, counted)))
      .execute();
  },
  fill: async (where, counted) => {
    await db
      .insertInto('scope_counts')
      .values(rowOf(where, counted))
      .onConflict((conflict) =>
        conflict
          .columns(['estate', 'scope'])
          .doUpdateSet(rowOf(where, counted))
          .where(sql<boolean>`NOT ${isCount(counted.generation)}`),
      )
      .execute();
  },
  others: (where, { generation }) => others(db, where, generation),
});

async function epochOf(db: Database, estate: string): Promise<number> {
  const row = await db.selectFrom('count_epochs').select('epoch').where('estate', '=', estate).executeTakeFirst();
  return row?.epoch ?? 0;
}

const rowOf = ({ estate, scope }: Where, { generation, epoch, until = null, count }: ScopeCountRow) => ({
  ...{ estate, scope, generation, epoch, until },
  ...count,
});
type ScopeCountRow = Omit<ScopeCount, 'until'> & { readonly until?: number | null };

/** Whether a row is the count of this generation, as things are. */
const isCount = (generation: number) => sql<boolean>`(
  scope_counts.generation = ${generation}
  AND scope_counts.epoch = coalesce(
    (SELECT epoch FROM setpoint.count_epochs WHERE count_epochs.estate = scope_counts.estate), 0)
  AND (scope_counts.until IS NULL OR scope_counts.until > (extract(epoch FROM clock_timestamp()) * 1000)::bigint))`;

type Summed = Count & Pick<OtherScopes, 'uncounted'>;

async function others(db: Database, { estate, scope }: Where, generation: number): Promise<OtherScopes> {
  const { rows } = await sql<Summed>`
    SELECT coalesce(sum(deletes), 0)::int AS deletes, coalesce(sum(replaces), 0)::int AS replaces,
      coalesce(sum(creates), 0)::int AS creates, coalesce(sum(closures), 0)::int AS closures,
      coalesce(array_agg(looks.scope ORDER BY looks.scope) FILTER (WHERE scope_counts.scope IS NULL), '{}') AS uncounted
    FROM setpoint.looks
    LEFT JOIN setpoint.scope_counts
      ON scope_counts.estate = looks.estate AND scope_counts.scope = looks.scope AND ${isCount(generation)}
    WHERE looks.estate = ${estate} AND looks.scope <> ${scope}`.execute(db);
  const { uncounted = [], deletes = 0, replaces = 0, creates = 0, closures = 0 } = rows[0] ?? {};
  return { count: { deletes, replaces, creates, closures }, uncounted };
}
