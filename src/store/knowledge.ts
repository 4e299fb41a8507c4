import { sql } from 'kysely';
import type { Applied, Ended, Knowledge, PendingIntent, Settled } from '../core/knowledge.ts';
import type { OnceProtected } from '../core/plan/required-approvals.ts';
import type { CloudId, Kind, ScopeKey } from '../core/resource.ts';
import type { Inventory } from '../ports/knowledge.ts';
import type { Context } from './context.ts';
import { healedLately } from './fights.ts';
import { untilAnswered } from './health.ts';
import { newestTouches } from './last-modified.ts';
import { judgeBirths, readBirths } from './launch-health.ts';
import { checkLease } from './leases.ts';
import { actionOf } from './ledger-entries.ts';
import { buried, history, latest, record } from './observations.ts';
import { saveApplied } from './settle.ts';
import { standingChanges } from './settled-changes.ts';
import { storeTime } from './statements.ts';
import type { Database, Write } from './tables.ts';
import { changeTombstones, readTombstones } from './tombstones.ts';

const unrecorded = async (db: Database, intents: readonly string[]): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{ intent: string }>`
    SELECT given.intent::text AS intent FROM unnest(${intents}::uuid[]) AS given (intent)
    WHERE NOT EXISTS (SELECT FROM setpoint.intents AS known WHERE known.intent = given.intent)`.execute(db);
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

const onceProtected = async (db: Database, estate: string): Promise<OnceProtected> => {
  const rows = await db
    .selectFrom('once_protected as once')
    .innerJoin('claims', (join) => join.onRef('claims.scope', '=', 'once.scope').onRef('claims.id', '=', 'once.id'))
    .select(['once.scope', 'once.id'])
    .where('claims.estate', '=', estate)
    .where('claims.ended_at', 'is', null)
    .execute();
  const byId = Map.groupBy(rows, ({ id }) => id);
  return new Map([...byId].map(([id, all]) => [id, all.map(({ scope }) => scope)]));
};

export const postgresInventory = (context: Context): Inventory => ({
  knowledge: (estate, scope) => untilAnswered(() => knowledge(context, estate, scope)),
  record: (estate, observation) => untilAnswered(() => record(context.db, estate, observation)),
  latest: (estate, scope) => untilAnswered(() => latest(context.db, estate, scope)),
  history: (estate, id) => untilAnswered(() => history(context.db, estate, id)),
  births: (reconcile, verdicts) => judgeBirths(context, reconcile, verdicts),
  confirm: (reconcile, standing) =>
    untilAnswered(() =>
      context.db.transaction().execute(async (trx) => {
        await checkLease(trx, reconcile, 'begin');
        await saveApplied(trx, reconcile, standingChanges(reconcile, standing));
      }),
    ),
  tombstones: (reconcile, changes) => changeTombstones(context, reconcile, changes),
  halfReplaced: (estate) => untilAnswered(() => halfReplaced(context.db, estate)),
  onceProtected: (estate) => untilAnswered(() => onceProtected(context.db, estate)),
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

/** All as of one moment. One query for each map; 10,000 claims take about 50 ms. */
const knowledge = ({ db, store, storeNow }: Context, estate: string, scope: ScopeKey): Promise<Knowledge> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      const of: Scoped = { trx, estate, scope };
      const readAt = await storeTime(trx, storeNow());
      return {
        estate,
        store,
        readAt,
        healed: await healedLately(trx, { estate, scope }, readAt),
        settled: await settled(of),
        pending: await pending(of),
        applied: await applied(of),
        unstuck: await unstuck(of),
        incarnations: await incarnations(of),
        expiredIntents: await expiredIntents(of),
        ended: await ended(of),
        ...(await lost(of)),
        births: await readBirths(trx, { estate, scope }),
        ...(await heard(of)),
        ...(await observedBefore(of)),
        ...(await tombstones(of)),
      };
    });

interface Scoped {
  readonly trx: Write | Database;
  readonly estate: string;
  readonly scope: ScopeKey;
}

async function settled({ trx, estate, scope }: Scoped): Promise<Knowledge['settled']> {
  const rows = await trx
    .selectFrom('claims')
    .select(['id', 'kind', 'address', 'last_write_at', 'seen_at', 'terms'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('ended_at', 'is', null)
    .execute();
  return new Map(
    rows.map(({ id, kind, address, last_write_at, seen_at, terms }) => [
      id,
      {
        address,
        kind: kind as Kind, // why: only settlements write the column
        lastWriteAt: last_write_at,
        ...(seen_at === null ? {} : { seenAt: seen_at }),
        terms: terms as Settled['terms'], // why: only settlements write the column
      },
    ]),
  );
}

async function pending({ trx, estate, scope }: Scoped): Promise<readonly PendingIntent[]> {
  const rows = await intentsOf(trx, estate, scope).where('open', '=', true).orderBy('at').orderBy('address').execute();
  return rows.map(intentFrom);
}

const intentsOf = (trx: Write | Database, estate: string, scope: ScopeKey) =>
  trx
    .selectFrom('intents')
    .select(['intent', 'attempt', 'at', 'verb', 'kind', 'address', 'id', 'details'])
    .where('estate', '=', estate)
    .where('scope', '=', scope);

type IntentRow = Awaited<ReturnType<ReturnType<typeof intentsOf>['execute']>>[number];

function intentFrom({ intent, attempt, at, details, ...row }: IntentRow): PendingIntent {
  const { verb, kind, address, id } = actionOf(row);
  const said = details as PendingIntent['draft']['details']; // why: only `intend` writes the column
  return { intent, attempt, at, verb, address, draft: { kind, ...(id === '' ? {} : { id }), details: said } };
}

async function applied({ trx, estate, scope }: Scoped): Promise<Knowledge['applied']> {
  const rows = await trx
    .selectFrom('applied')
    .select(['address', 'generation', 'body'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('body', 'is not', null)
    .execute();
  return new Map(
    rows.map(({ address, generation, body }) => [
      address,
      { ...(body as Omit<Applied, 'generation'>), generation }, // why: only settlements write the column
    ]),
  );
}

async function unstuck({ trx, estate, scope }: Scoped): Promise<Knowledge['unstuck']> {
  const rows = await trx
    .selectFrom('unstuck')
    .select(['address', 'times'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .execute();
  return new Map(rows.map(({ address, times }) => [address, times]));
}

async function incarnations({ trx, estate, scope }: Scoped): Promise<ReadonlyMap<string, number>> {
  const rows = await trx
    .selectFrom('incarnations')
    .select(['address', 'number'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .execute();
  return new Map(rows.map(({ address, number }) => [address, number]));
}

async function lost({ trx, estate }: Scoped): Promise<Pick<Knowledge, 'lost'>> {
  const row = await trx
    .selectFrom('lost_checkpoints')
    .select(['held', 'signed', 'signed_at as signedAt'])
    .where('estate', '=', estate)
    .executeTakeFirst();
  return row === undefined ? {} : { lost: row };
}

async function expiredIntents({ trx, estate, scope }: Scoped): Promise<ReadonlyMap<string, PendingIntent>> {
  const rows = await intentsOf(trx, estate, scope)
    .where('never_shown', '=', true)
    .orderBy('at', 'desc')
    .limit(mostExpiredIntents)
    .execute();
  return new Map(rows.map((row) => [row.intent, intentFrom(row)]));
}

async function ended({ trx, estate, scope }: Scoped): Promise<ReadonlyMap<CloudId, Ended>> {
  const rows = await trx
    .selectFrom('claims')
    .select(['id', 'kind', 'address', 'ended_at', 'ended_as'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('ended_at', 'is not', null)
    .execute();
  return new Map(
    rows.map(({ id, kind, address, ended_at, ended_as }) => [
      id,
      // why: only settlements write these columns, and both together
      { as: ended_as as Ended['as'], address, kind: kind as Kind, at: ended_at ?? 0 },
    ]),
  );
}

async function tombstones(of: Scoped): Promise<Pick<Knowledge, 'tombstones'>> {
  const known = await readTombstones(of);
  return known.size === 0 ? {} : { tombstones: known };
}

/** The parts of the newest observation that serve the next ones. */
async function observedBefore({ trx, estate, scope }: Scoped): Promise<Pick<Knowledge, 'outerFilters' | 'images'>> {
  const row = await trx
    .selectFrom('looks')
    .select([
      // why: only `record` writes the column
      sql<Knowledge['outerFilters'] | null>`body->'outerFilters'`.as('filters'),
      sql<Knowledge['images'] | null>`body->'images'`.as('images'),
    ])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .executeTakeFirst();
  return {
    ...(row?.filters == null ? {} : { outerFilters: row.filters }),
    ...(row?.images == null ? {} : { images: row.images }),
  };
}

async function heard({ trx, estate, scope }: Scoped): Promise<Pick<Knowledge, 'touches'>> {
  const touches = await newestTouches(trx, { estate, scope });
  return touches.size === 0 ? {} : { touches };
}

/**
 * The number of a scope's known ones, the newest: a process that stopped for longer than that takes is not expected any more.
 */
export const mostExpiredIntents = 300;
