import { sql } from 'kysely';
import type { Inventory } from '../ports/inventory.ts';
import { untilAnswered } from './away.ts';
import { judgeBirths } from './births.ts';
import type { Context } from './context.ts';
import { knowledge } from './knowledge.ts';
import { checkLease } from './lease-check.ts';
import { buried, history, latest, record } from './observations.ts';
import { saveApplied } from './settle.ts';
import { standingChanges } from './settled-changes.ts';
import type { Database } from './tables.ts';

const unrecorded = async (db: Database, intents: readonly string[]): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{ intent: string }>`
    SELECT told.intent::text AS intent FROM unnest(${intents}::uuid[]) AS told (intent)
    WHERE NOT EXISTS (SELECT FROM setpoint.intents AS known WHERE known.intent = told.intent)`.execute(db);
  return new Set(rows.map(({ intent }) => intent));
};

export const postgresInventory = (context: Context): Inventory => ({
  knowledge: (estate, scope) => untilAnswered(() => knowledge(context, estate, scope)),
  record: (estate, observation) => untilAnswered(() => record(context.db, estate, observation)),
  latest: (estate, scope) => untilAnswered(() => latest(context.db, estate, scope)),
  history: (estate, id) => untilAnswered(() => history(context.db, estate, id)),
  births: (pass, verdicts) => judgeBirths(context, pass, verdicts),
  confirm: (pass, standing) =>
    untilAnswered(() =>
      context.db.transaction().execute(async (trx) => {
        await checkLease(trx, pass, 'begin');
        await saveApplied(trx, pass, standingChanges(pass, standing));
      }),
    ),
  unrecorded: (intents) => untilAnswered(() => unrecorded(context.db, intents)),
  buried: (estate, scope, ids) => buried(context.db, estate, scope, ids),
  converged: async (estate, addresses) => {
    await context.db
      .deleteFrom('unstuck')
      .where('estate', '=', estate)
      .where(sql<boolean>`address = ANY(${addresses}::text[])`)
      .execute();
  },
});
