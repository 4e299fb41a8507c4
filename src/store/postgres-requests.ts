import { sql } from 'kysely';
import type { Pulse, Requests } from '../ports/fleet-state.ts';
import type { Where } from '../ports/queue.ts';
import type { Database } from './tables.ts';

export const postgresRequests = (db: Database): Requests => ({
  ask: async ({ estate, scope }, reason) => {
    const said = JSON.stringify(reason);
    await db
      .insertInto('requests')
      .values({ estate, scope, wish: 1, reason: said })
      .onConflict((conflict) =>
        conflict
          .columns(['estate', 'scope'])
          .doUpdateSet(({ eb }) => ({ wish: eb('requests.wish', '+', 1), reason: said })),
      )
      .execute();
  },
  pulse: (where) => pulse(db, where),
  unanswered: () =>
    db
      .selectFrom('requests')
      .select(['estate', 'scope'])
      .whereRef('wish', '>', 'answered')
      .orderBy('estate')
      .orderBy('scope')
      .execute(),
  answered: async ({ estate, scope }, wish) => {
    await db
      .updateTable('requests')
      .set({ answered: wish })
      .where('estate', '=', estate)
      .where('scope', '=', scope)
      .where('answered', '<', wish)
      .where('wish', '>=', wish)
      .execute();
  },
});

/** Two index look-ups in one statement: a running pass asks every second. */
async function pulse(db: Database, { estate, scope }: Where): Promise<Pulse> {
  const { rows } = await sql<{ wish: number; reason: string | null; generation: number }>`
    SELECT coalesce(open.wish, 0) AS wish, open.reason, newest.generation
    FROM (SELECT coalesce(max(number), 0) AS generation FROM setpoint.generations WHERE estate = ${estate}) AS newest
    LEFT JOIN (
      SELECT wish, reason FROM setpoint.requests
      WHERE estate = ${estate} AND scope = ${scope} AND wish > answered
    ) AS open ON true`.execute(db);
  const [{ wish, reason, generation } = { wish: 0, reason: null, generation: 0 }] = rows;
  return { wish, ...(reason === null ? {} : { reason }), generation };
}
