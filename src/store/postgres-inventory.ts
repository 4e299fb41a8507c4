import { sql } from 'kysely';
import type { ScopeKey } from '../core/resource.ts';
import type { Inventory } from '../ports/inventory.ts';
import { judgeBirths } from './births.ts';
import type { Context } from './context.ts';
import { untilAnswered } from './health.ts';
import { knowledge } from './knowledge.ts';
import { checkLease } from './leases.ts';
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

const halfReplaced = async (db: Database, estate: string): Promise<ReadonlySet<ScopeKey>> => {
  const { rows } = await sql<{ scope: ScopeKey }>`
    WITH successor AS (
      SELECT scope, terms->>'successorOf' AS of FROM setpoint.claims WHERE estate = ${estate} AND ended_at IS NULL
      UNION ALL
      SELECT scope, details->>'successorOf' FROM setpoint.intents WHERE estate = ${estate} AND open AND verb = 'create'
    )
    SELECT DISTINCT predecessor.scope FROM successor JOIN setpoint.claims AS predecessor
      ON predecessor.estate = ${estate} AND predecessor.scope = successor.scope AND predecessor.id = successor.of
    WHERE predecessor.ended_at IS NULL`.execute(db);
  return new Set(rows.map(({ scope }) => scope));
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
  halfReplaced: (estate) => untilAnswered(() => halfReplaced(context.db, estate)),
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
