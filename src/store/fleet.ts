import { sql } from 'kysely';
import type { Count } from '../core/limits.ts';
import type {
  FleetState,
  OtherScopes,
  PendingState,
  Requests,
  ScopeCount,
  ScopeCounts,
  SpecSnapshot,
  SpecSnapshots,
} from '../ports/fleet-state.ts';
import type { Where } from '../ports/queue.ts';
import { postgresApprovals } from './approvals.ts';
import type { Context } from './context.ts';
import { postgresFights } from './fights.ts';
import { postgresLifetimes } from './lifetimes.ts';
import { postgresPatches } from './patches.ts';
import { postgresPauses } from './pauses.ts';
import { postgresBackoffs, postgresQuarantine } from './quarantine.ts';
import { postgresResourceNotes } from './resource-notes.ts';
import { postgresRollouts } from './rollouts.ts';
import { postgresScopeCosts } from './scope-costs.ts';
import type { Database } from './tables.ts';

export const postgresFleet = (context: Context): FleetState => ({
  specSnapshots: postgresSpecSnapshots(context.db),
  requests: postgresRequests(context.db),
  pauses: postgresPauses(context),
  patches: postgresPatches(context),
  lifetimes: postgresLifetimes(context),
  approvals: postgresApprovals(context),
  rollouts: postgresRollouts(context),
  quarantine: postgresQuarantine(context),
  backoffs: postgresBackoffs(context.db),
  counts: postgresScopeCounts(context),
  costs: postgresScopeCosts(context),
  fights: postgresFights(context),
  resourceNotes: postgresResourceNotes(context),
});

const postgresRequests = (db: Database): Requests => ({
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
  pendingState: (where) => pendingState(db, where),
  unanswered: () =>
    db
      .selectFrom('requests')
      .select(['estate', 'scope'])
      .whereRef('wish', '>', 'answered')
      .orderBy('estate')
      .orderBy('scope')
      .execute(),
  answered: async ({ estate, scope }, request) => {
    await db
      .updateTable('requests')
      .set({ answered: request })
      .where('estate', '=', estate)
      .where('scope', '=', scope)
      .where('answered', '<', request)
      .where('wish', '>=', request)
      .execute();
  },
});

/** Two index lookups in one statement: a running reconcile asks every second. */
async function pendingState(db: Database, { estate, scope }: Where): Promise<PendingState> {
  const { rows } = await sql<{ request: number; reason: string | null; generation: number }>`
    SELECT coalesce(open.wish, 0) AS request, open.reason, newest.generation
    FROM (SELECT coalesce(max(number), 0) AS generation FROM setpoint.generations WHERE estate = ${estate}) AS newest
    LEFT JOIN (
      SELECT wish, reason FROM setpoint.requests
      WHERE estate = ${estate} AND scope = ${scope} AND wish > answered
    ) AS open ON true`.execute(db);
  const [{ request, reason, generation } = { request: 0, reason: null, generation: 0 }] = rows;
  return { request, ...(reason === null ? {} : { reason }), generation };
}

const postgresSpecSnapshots = (db: Database): SpecSnapshots => ({
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
    return row?.tree as SpecSnapshot | undefined; // why: only `keep` writes the column
  },
});

const postgresScopeCounts = ({ db }: Context): ScopeCounts => ({
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

/** True where a row is the current count of this generation. */
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
