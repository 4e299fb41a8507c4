import { sql } from 'kysely';
import type { Address } from '../core/resource.ts';
import type { Rollouts, StandingButGraces, StoppedRollout } from '../ports/fleet-state.ts';
import type { Where } from '../ports/queue.ts';
import type { Context } from './context.ts';
import { forgiveBirths, readBirths, standingButGraces, stoppedByBirths } from './launch-health.ts';
import { chainWrite } from './ledger-chain.ts';
import { noteBody, rolloutNote } from './ledger-entries.ts';
import type { Database } from './tables.ts';

export const postgresRollouts = (context: Context): Rollouts => ({
  standing: (where) => standing(context.db, where),
  standingButGraces: (where) => standingButGraces(context.db, where),
  any: async () =>
    (await context.db
      .selectFrom('standing')
      .select('scope')
      .where('generation', '>', 0)
      .limit(1)
      .executeTakeFirst()) !== undefined,
  stand: (where, generation, inGrace = []) =>
    inGrace.length === 0
      ? stand(context.db, where, generation)
      : standButGraces(context.db, where, { generation, inGrace }),
  stopped: (where) => stopped(context.db, where),
  stop: (where, rollout) => stop(context.db, where, rollout),
  resume: (where, by, document) => resume(context, { where, by, document }),
});

async function standing(db: Database, { estate, scope }: Where): Promise<number> {
  const row = await db
    .selectFrom('standing')
    .select('generation')
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .executeTakeFirst();
  return row?.generation ?? 0;
}

async function stand(db: Database, { estate, scope }: Where, generation: number): Promise<void> {
  await db
    .insertInto('standing')
    .values({ estate, scope, generation })
    .onConflict((conflict) =>
      conflict
        .columns(['estate', 'scope'])
        .doUpdateSet({ generation, in_grace: [] })
        .where('standing.generation', '<', generation),
    )
    .execute();
}

async function standButGraces(
  db: Database,
  { estate, scope }: Where,
  { generation, inGrace }: StandingButGraces,
): Promise<void> {
  const added = sql<readonly Address[]>`ARRAY(SELECT DISTINCT unnest(standing.in_grace || excluded.in_grace))`;
  await db
    .insertInto('standing')
    .values({ estate, scope, generation: 0, but_graces: generation, in_grace: inGrace })
    .onConflict((conflict) =>
      conflict.columns(['estate', 'scope']).doUpdateSet({
        but_graces: sql<number>`greatest(standing.but_graces, excluded.but_graces)`,
        in_grace: added,
      }),
    )
    .execute();
}

async function stopped(db: Database, { estate, scope }: Where): Promise<readonly StoppedRollout[]> {
  const rows = await db
    .selectFrom('stopped_rollouts')
    .select(['document', 'generation', 'why'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .orderBy('document')
    .execute();
  const byHand = rows.map(({ why, ...row }) => ({ ...row, why: String(why) }));
  const byBirths = stoppedByBirths(await readBirths(db, { estate, scope }));
  return unitedStops(byHand, byBirths);
}

/** One a document: that of the newest generation, and of two the one that names the change that failed. */
export function unitedStops(
  stops: readonly StoppedRollout[],
  byBirths: readonly StoppedRollout[],
): readonly StoppedRollout[] {
  const united = new Map(stops.map((stop) => [stop.document, stop]));
  for (const stop of byBirths)
    if ((united.get(stop.document)?.generation ?? 0) < stop.generation) united.set(stop.document, stop);
  return [...united.values()].sort((a, b) => (a.document < b.document ? -1 : 1));
}

async function stop(db: Database, { estate, scope }: Where, rollout: StoppedRollout): Promise<void> {
  const { document, generation } = rollout;
  const why = JSON.stringify(rollout.why);
  await db
    .insertInto('stopped_rollouts')
    .values({ estate, scope, document, generation, why })
    .onConflict((conflict) =>
      conflict
        .columns(['estate', 'scope', 'document'])
        .doUpdateSet({ generation, why })
        .where('stopped_rollouts.generation', '<=', generation),
    )
    .execute();
}

interface Resuming {
  readonly where: Where;
  readonly by: Parameters<Rollouts['resume']>[1];
  readonly document: string | undefined;
}

const resume = (context: Context, { where, by, document }: Resuming): Promise<void> =>
  chainWrite(context, where.estate, async ({ trx, append }) => {
    let query = trx.deleteFrom('stopped_rollouts').where('estate', '=', where.estate).where('scope', '=', where.scope);
    if (document !== undefined) query = query.where('document', '=', document);
    const stops = (await query.returning('document').execute()).map((row) => row.document);
    const documents = [...new Set([...stops, ...(await forgiveBirths(trx, where, document))])].sort();
    if (documents.length > 0)
      await append([{ type: 'note', body: noteBody(where.estate, rolloutNote(where, documents, by)) }]);
  });
