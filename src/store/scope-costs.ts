import { sql } from 'kysely';
import type { Guards } from '../core/guards.ts';
import { type CostLimit, stricterCostLimit } from '../core/limits.ts';
import { type CostCount, costCount } from '../core/plan/cost-limit.ts';
import type { ListedScopeCost, ScopeCost, ScopeCosts } from '../ports/fleet-state.ts';
import type { IntentDraft, Reconcile } from '../ports/ledger.ts';
import type { Where } from '../ports/queue.ts';
import type { Context } from './context.ts';
import type { ChainWrite } from './ledger-chain.ts';
import { boundsOf } from './limit-places.ts';
import type { Database, Write } from './tables.ts';

export const postgresScopeCosts = ({ db }: Context): ScopeCosts => ({
  keep: async ({ estate, scope, lease }, cost) => {
    const { generation, currency, monthly, plannedIncrease, unpriced } = cost;
    // why: a worker that lost its lease would undo the increases of the next one
    await sql`
      WITH held AS (
        SELECT FROM setpoint.leases
        WHERE estate = ${estate} AND scope = ${scope} AND holder = ${lease.holder} AND epoch = ${lease.epoch} FOR SHARE)
      INSERT INTO setpoint.scope_costs (estate, scope, generation, currency, monthly, planned_increase, unpriced)
      SELECT ${estate}::text, ${scope}::text, ${generation}::integer, ${currency}::text, ${monthly}::double precision,
        coalesce(${plannedIncrease ?? null}::double precision, kept.planned_increase), ${[...unpriced]}::text[]
      FROM held LEFT JOIN setpoint.scope_costs AS kept
        ON kept.estate = ${estate} AND kept.scope = ${scope} AND kept.generation = ${generation}
      WHERE ${plannedIncrease !== undefined}::boolean OR kept.planned_increase IS NOT NULL
      ON CONFLICT (estate, scope) DO UPDATE
      SET generation = excluded.generation, currency = excluded.currency, monthly = excluded.monthly,
        planned_increase = excluded.planned_increase, unpriced = excluded.unpriced
      WHERE scope_costs.generation <= excluded.generation`.execute(db);
  },
  fill: async ({ estate, scope }, cost, before) => {
    const { plannedIncrease, ...rest } = cost;
    const row = { estate, scope, ...rest, planned_increase: plannedIncrease, unpriced: [...cost.unpriced] };
    await db
      .insertInto('scope_costs')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['estate', 'scope'])
          .doUpdateSet(row)
          .whereRef('scope_costs.generation', '<', 'excluded.generation')
          // why: null equals nothing, so a row that came into being meanwhile stays
          .where('scope_costs.monthly', '=', before ?? null),
      )
      .execute();
  },
  dropEmpty: (named) => dropEmpty(db, named),
  list: (estate) => list(db, estate),
});

async function dropEmpty(db: Database, { estate, scopes }: Parameters<ScopeCosts['dropEmpty']>[0]): Promise<void> {
  const left = sql<boolean>`estate = ${estate} AND scope <> ALL(${[...scopes]}::text[])`;
  const some = await db.selectFrom('scope_costs').select('scope').where(left).limit(1).executeTakeFirst();
  if (some === undefined) return;
  await db.transaction().execute(async (trx) => {
    // why: an intent that raises a cost holds these rows, and only a statement after it sees that it is open
    await trx.selectFrom('scope_costs').select('scope').where(left).orderBy('scope').forUpdate().execute();
    await sql`
      DELETE FROM setpoint.scope_costs AS costs WHERE ${left}
        AND NOT EXISTS (
          SELECT FROM setpoint.claims
          WHERE claims.estate = ${estate} AND claims.scope = costs.scope AND kind = 'instance' AND ended_at IS NULL)
        AND NOT EXISTS (
          SELECT FROM setpoint.intents WHERE intents.estate = ${estate} AND intents.scope = costs.scope AND open)`.execute(
      trx,
    );
  });
}

type Row = Pick<Where, 'scope'> & { readonly [K in keyof ScopeCost]: ScopeCost[K] | null };

async function list(db: Database, estate: string): Promise<readonly ListedScopeCost[]> {
  const { rows } = await sql<Row>`
    SELECT scope, generation, currency, monthly, planned_increase AS "plannedIncrease", unpriced
    FROM (SELECT scope FROM setpoint.looks WHERE estate = ${estate}) AS looks
    FULL JOIN (SELECT * FROM setpoint.scope_costs WHERE estate = ${estate}) AS costs USING (scope)
    ORDER BY scope`.execute(db);
  return rows.map(({ scope, generation, currency, monthly, plannedIncrease, unpriced }) =>
    generation === null || currency === null || monthly === null || plannedIncrease === null || unpriced === null
      ? { scope }
      : { scope, cost: { generation, currency, monthly, plannedIncrease, unpriced } },
  );
}

export const notCounted = 'the cost of this scope is not counted yet, and limits.cost needs it; plan again.';

/**
 * Adds the increases by these drafts to the cost of their scope, as far as the limit allows; returns those that it refuses, with the
 * reason. Two scopes that commit at the same time meet on the rows of the estate, which are locked in one order.
 */
export async function takeCosts(
  { trx, estate }: Pick<ChainWrite, 'trx' | 'estate'>,
  reconcile: Reconcile,
  drafts: readonly IntentDraft[],
): Promise<ReadonlyMap<IntentDraft, string>> {
  const raising = drafts.filter(({ raisesCostBy = 0 }) => raisesCostBy > 0);
  if (raising.length === 0) return new Map();
  const { limits, allowCost } = await boundsOf(trx, estate, reconcile.authority);
  const limit = stricterCostLimit(limits.cost, await newestCostLimit(trx, estate));
  if (limit === undefined) return new Map();
  const rows = await trx
    .selectFrom('scope_costs')
    .select(['scope', 'currency', 'monthly'])
    .where('estate', '=', estate)
    .orderBy('scope')
    .forUpdate()
    .execute();
  const own = rows.find(({ scope }) => scope === reconcile.scope);
  if (own === undefined) return new Map(raising.map((draft) => [draft, notCounted]));
  const count = costCount({ limit, allowCost }, own, rows);
  const refused = refusedBy(count, raising);
  if (count.taken > 0) await addToCost(trx, reconcile, count.taken);
  return refused;
}

/** The limit of the newest generation holds for healing by a former one, too. */
async function newestCostLimit(trx: Write, estate: string): Promise<CostLimit | undefined> {
  const row = await trx
    .selectFrom('generations')
    .select('guards')
    .where('estate', '=', estate)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return (row?.guards as Guards | undefined)?.limits.cost; // why: only `accept` writes the column
}

const refusedBy = (count: CostCount, drafts: readonly IntentDraft[]): ReadonlyMap<IntentDraft, string> =>
  new Map(
    drafts.flatMap((draft) => {
      const why = count.take(draft.raisesCostBy ?? 0, draft.approval !== undefined);
      return why === undefined ? [] : [[draft, why]];
    }),
  );

/** A failed launch stays counted until the next observation of its scope. */
const addToCost = (trx: Write, { estate, scope }: Reconcile, by: number) =>
  sql`
    UPDATE setpoint.scope_costs
    SET monthly = monthly + ${by}::double precision, planned_increase = greatest(planned_increase - ${by}::double precision, 0)
    WHERE estate = ${estate} AND scope = ${scope}`.execute(trx);
