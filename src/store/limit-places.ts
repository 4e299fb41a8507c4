import { type RawBuilder, sql } from 'kysely';
import type { Guards } from '../core/guards.ts';
import {
  countOfPlaces,
  type EstateCount,
  healingWindowMs,
  mostNamed,
  type Place,
  periodCount,
  placeKey,
  type Ran,
} from '../core/ledger/estate-count.ts';
import {
  allowanceIn,
  allowed,
  type Budget,
  budgetOf,
  budgets,
  type Count,
  fieldOf,
  type LimitBounds,
  mostOf,
  noCount,
  plus,
  type Sort,
  shareBound,
  sorts,
  stricterLimits,
  usedOf,
} from '../core/limits.ts';
import type { Spent } from '../ports/knowledge.ts';
import type { Authority, Reconcile } from '../ports/ledger.ts';
import type { ChainWrite } from './ledger-chain.ts';
import type { IntentRecord } from './ledger-entries.ts';
import { inChunks } from './statements.ts';
import type { Database, Write } from './tables.ts';

/**
 * Places in an estate's count: `limit_counts` holds how many of each period are taken, `places` which intents hold them.
 *
 *   - A place is taken by one conditional update of its period's row, in the transaction of its intent. Two scopes that
 *     commit at the same time meet on that row and nowhere else; whoever takes no place never touches it.
 *   - Only its own scope takes or returns a place of a scope, one transaction at a time. So it can tell without a lock
 *     which of its subjects are counted already.
 *   - A place of healing expires after 24 h, by whichever scope comes next. So healing locks its row before it looks.
 *   - Rows are locked in the order of their periods, so that no two transactions wait for each other.
 */
const healing = 0;

const periodOf = ({ by }: Pick<Place, 'by'>, generation: number): number => (by === 'healing' ? healing : generation);

/** A transaction that may take places. */
type Taking = Pick<ChainWrite, 'trx' | 'estate' | 'at'>;

interface Period {
  readonly estate: string;
  readonly period: number;
}

/** Takes these places, as far as the limits allow. What it returns knows the answer for each of them. */
export async function takePlaces(write: Taking, reconcile: Reconcile, wanted: readonly Place[]): Promise<EstateCount> {
  const { trx, estate } = write;
  const { generation } = reconcile.authority;
  const refused = new Map<string, string>();
  const take: EstateCount['take'] = (place) => refused.get(refusalKey(place));
  if (wanted.length === 0) return { take };
  const bounds = await boundsOf(trx, estate, reconcile.authority);
  const byPeriod = Map.groupBy(wanted, (place) => periodOf(place, generation));
  for (const period of [...byPeriod.keys()].sort((a, b) => a - b)) {
    const of = { estate, period };
    if (period === healing) await expire(write, of);
    const fresh = await uncounted(trx, of, byPeriod.get(period) ?? []);
    if (fresh.length === 0) continue;
    const some = (await takeAll(trx, of, { fresh, bounds })) ? [] : await takeSome(trx, of, { fresh, bounds });
    for (const [place, why] of some) refused.set(refusalKey(place), why);
    const given = fresh.filter((place) => !refused.has(refusalKey(place)));
    if (period !== healing && given.length > 0) await lowerScopeCount(trx, reconcile, given);
  }
  return { take };
}

/** The action of a taken place leaves the scope's count: see ports/fleet-state.ts. */
async function lowerScopeCount(
  trx: Write,
  { estate, scope, authority }: Reconcile,
  given: readonly Place[],
): Promise<void> {
  const less = countOfPlaces(given);
  await sql`
    UPDATE setpoint.scope_counts SET deletes = greatest(deletes - ${less.deletes}::int, 0),
      replaces = greatest(replaces - ${less.replaces}::int, 0), creates = greatest(creates - ${less.creates}::int, 0),
      closures = greatest(closures - ${less.closures}::int, 0)
    WHERE estate = ${estate} AND scope = ${scope} AND generation = ${authority.generation}`.execute(trx);
}

const refusalKey = (place: Place): string => `${place.by} ${placeKey(place)}`;

/** The stricter limits of a reconcile's generation and the one before. `owned`: only where a share is of it. */
export async function boundsOf(trx: Write, estate: string, authority: Authority): Promise<LimitBounds> {
  const { generation } = authority;
  const [active, before] = await trx
    .selectFrom('generations')
    .select(['number', 'guards'])
    .where('estate', '=', estate)
    .where('number', '<=', generation)
    .orderBy('number', 'desc')
    .limit(2)
    .execute();
  if (active?.number !== generation) throw new Error(`generation ${generation} of estate ${estate} was never accepted`);
  const limits = stricterLimits(limitsOf(active.guards), before && limitsOf(before.guards));
  const owned = limits.share === undefined ? 0 : await ownedBy(trx, { estate, generation, since: 0 });
  return { limits, owned, ...allowanceIn(authority) };
}

const limitsOf = (guards: unknown): Guards['limits'] => (guards as Guards).limits; // why: only `accept` writes the column

/** Each place once, and none whose subject has its place already. */
async function uncounted(trx: Write, { estate, period }: Period, wanted: readonly Place[]): Promise<readonly Place[]> {
  const distinct = new Map(wanted.map((place) => [placeKey(place), place]));
  const subjects = [...distinct.values()].map(({ subject }) => subject);
  const rows = await trx
    .selectFrom('places')
    .select(['counts_as as as', 'scope', 'subject'])
    .distinct()
    .where('estate', '=', estate)
    .where('period', '=', period)
    .where('expired', '=', false)
    .where(sql<boolean>`subject = ANY(${subjects}::text[])`)
    .execute();
  for (const row of rows) distinct.delete(placeKey(row));
  return [...distinct.values()];
}

interface Asked {
  readonly fresh: readonly Place[];
  readonly bounds: LimitBounds;
}

/** All or nothing, in one statement. False also where the period has no row yet. */
async function takeAll(trx: Write, { estate, period }: Period, { fresh, bounds }: Asked): Promise<boolean> {
  const more = countOfPlaces(fresh);
  const { numAffectedRows = 0n } = await sql`
    UPDATE setpoint.limit_counts SET ${raised(more)}
    WHERE estate = ${estate} AND period = ${period} AND ${fits(more, bounds)}`.execute(trx);
  return numAffectedRows > 0n;
}

const raised = (more: Count): RawBuilder<unknown> =>
  sql.join(
    sorts.map((sort) => fieldOf[sort]).map((field) => sql`${sql.ref(field)} = ${sql.ref(field)} + ${more[field]}::int`),
  );

/** True only where each of them, one after the other, would find a place; never true where one would not. */
function fits(more: Count, bounds: LimitBounds): RawBuilder<boolean> {
  const asked = budgets.filter((budget) => usedOf(more, budget) > 0);
  return sql<boolean>`${sql.join(
    asked.map((budget) => fitsBudget(more, bounds, budget)),
    sql` AND `,
  )}`;
}

/** As `excessesOf`, of a row. */
function fitsBudget(more: Count, bounds: LimitBounds, budget: Budget): RawBuilder<boolean> {
  const own = sorts.filter((sort) => budgetOf[sort] === budget);
  const used = sql.join(
    own.map((sort) => sql.ref(fieldOf[sort])),
    sql` + `,
  );
  const total = sql`${used} + ${usedOf(more, budget)}::int`;
  const share = budget === 'deletes' ? shareBound(bounds.limits, bounds.owned) : undefined;
  const within = [
    ...own.flatMap((sort) => {
      const field = fieldOf[sort];
      return more[field] > 0
        ? [sql`${sql.ref(field)} + ${more[field]}::int <= ${mostOf(bounds.limits, sort)}::bigint`]
        : [];
    }),
    ...(share === undefined ? [] : [sql`${total} <= ${share}::bigint`]),
  ];
  return sql<boolean>`(${total} <= ${allowed(bounds, budget)}::bigint OR (${sql.join(within, sql` AND `)}))`;
}

/** As many as fit, in their order, under the row's lock. Returns those that do not, with the reason. */
async function takeSome(
  trx: Write,
  of: Period,
  { fresh, bounds }: Asked,
): Promise<readonly (readonly [Place, string])[]> {
  const count = periodCount(bounds, { count: await lockCount(trx, of), named: await firstPlaces(trx, of, fresh) });
  const refused = fresh.flatMap((place): (readonly [Place, string])[] => {
    const why = count.take(place);
    return why === undefined ? [] : [[place, why]];
  });
  const without = new Set(refused.map(([place]) => place));
  const more = countOfPlaces(fresh.filter((place) => !without.has(place)));
  await sql`
    UPDATE setpoint.limit_counts SET ${raised(more)}
    WHERE estate = ${of.estate} AND period = ${of.period}`.execute(trx);
  return refused;
}

/** Locks the period's row until the transaction ends; makes it where there is none. */
async function lockCount(trx: Write, { estate, period }: Period): Promise<Count> {
  await trx
    .insertInto('limit_counts')
    .values({ estate, period })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return trx
    .selectFrom('limit_counts')
    .select(['deletes', 'replaces', 'creates', 'closures'])
    .where('estate', '=', estate)
    .where('period', '=', period)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

/** The first places of every budget that these are of, to name in a refusal. */
async function firstPlaces(trx: Write, { estate, period }: Period, fresh: readonly Place[]): Promise<Ran['named']> {
  const asked = new Set<Budget>(fresh.map(({ as }) => budgetOf[as]));
  const named = [...asked].map((budget) =>
    trx
      .selectFrom('places')
      .select(({ fn }) => ['counts_as as as', fn.min('address').as('address'), fn.min('at').as('first')])
      .where('estate', '=', estate)
      .where('period', '=', period)
      .where('expired', '=', false)
      .where(
        'counts_as',
        'in',
        sorts.filter((sort) => budgetOf[sort] === budget),
      )
      .groupBy(['counts_as', 'scope', 'subject'])
      .orderBy('first')
      .orderBy('address')
      .limit(mostNamed)
      .execute(),
  );
  return (await Promise.all(named)).flat();
}

/** Under the lock of the row: healings of more than 24 h ago have no place any more. */
async function expire({ trx, at }: Taking, of: Period): Promise<void> {
  await lockCount(trx, of);
  await give(
    trx,
    of.estate,
    sql`
    UPDATE setpoint.places SET expired = true
    WHERE estate = ${of.estate} AND period = ${healing} AND NOT expired AND at <= ${at - healingWindowMs}`,
  );
}

/** Intents that came to nothing give their places back, where no other intent holds the same one. */
export async function returnPlaces(trx: Write, estate: string, intents: readonly string[]): Promise<void> {
  if (intents.length === 0) return;
  const ofThem = sql`estate = ${estate} AND intent = ANY(${intents}::uuid[])`;
  await sql`
    SELECT FROM setpoint.limit_counts WHERE estate = ${estate}
      AND period IN (SELECT period FROM setpoint.places WHERE ${ofThem}) ORDER BY period FOR UPDATE`.execute(trx);
  await give(trx, estate, sql`DELETE FROM setpoint.places WHERE ${ofThem}`);
}

/** `ending`: the statement that ends places, under the locks of their periods' rows. A subject is free with its last place. */
async function give(trx: Write, estate: string, ending: RawBuilder<unknown>): Promise<void> {
  await sql`
    WITH ended AS (${ending} RETURNING intent, period, scope, counts_as, subject, expired),
    freed AS (
      SELECT DISTINCT period, scope, counts_as, subject FROM ended WHERE NOT EXISTS (
        SELECT FROM setpoint.places AS other
        WHERE other.estate = ${estate} AND other.period = ended.period AND other.scope = ended.scope
          AND other.counts_as = ended.counts_as AND other.subject = ended.subject AND NOT other.expired
          AND other.intent NOT IN (SELECT intent FROM ended))),
    less AS (SELECT period, ${countedBySort} FROM freed GROUP BY period),
    more AS (SELECT period, scope, ${countedBySort} FROM freed GROUP BY period, scope),
    raised AS (
      UPDATE setpoint.scope_counts AS counts
      SET deletes = counts.deletes + more.deletes, replaces = counts.replaces + more.replaces,
        creates = counts.creates + more.creates, closures = counts.closures + more.closures
      FROM more
      WHERE counts.estate = ${estate} AND counts.scope = more.scope AND counts.generation = more.period)
    UPDATE setpoint.limit_counts AS counts
    SET deletes = counts.deletes - less.deletes, replaces = counts.replaces - less.replaces,
      creates = counts.creates - less.creates, closures = counts.closures - less.closures
    FROM less WHERE counts.estate = ${estate} AND counts.period = less.period`.execute(trx);
}

const countedBySort = sql.join(
  sorts.map((sort) => sql`count(*) FILTER (WHERE counts_as = ${sql.lit(sort)}) AS ${sql.ref(fieldOf[sort])}`),
);

/** Writes down which intents hold the places that were taken. */
export async function keepPlaces(
  { trx, estate }: Pick<ChainWrite, 'trx' | 'estate'>,
  places: readonly (Place & Pick<IntentRecord, 'intent' | 'generation' | 'at'>)[],
): Promise<void> {
  const rows = places.map(({ as, by, ...place }) => {
    const period = periodOf({ by }, place.generation);
    return { ...place, estate, counts_as: as, counts_by: by, period };
  });
  await inChunks(rows, (chunk) => trx.insertInto('places').values(chunk).execute());
}

interface When {
  readonly estate: string;
  readonly generation: number;
  readonly now: number;
}

/** The places taken at this moment, for plans. Reads without a lock. */
export async function spentBy(db: Database, { estate, generation, now }: When): Promise<Spent> {
  const within = { estate, generation, since: now - healingWindowMs };
  const { rows } = await sql<{ by: Place['by']; as: Sort; subjects: number }>`
    SELECT counts_by AS by, counts_as AS as, count(DISTINCT (scope, subject)) AS subjects
    FROM setpoint.places WHERE ${isCounted(within)} GROUP BY counts_by, counts_as`.execute(db);
  const tally = (by: Place['by']): Count =>
    rows.filter((row) => row.by === by).reduce((count, { as, subjects }) => plus(count, as, subjects), noCount);
  return { generation: tally('generation'), healing: tally('healing'), owned: await ownedBy(db, within) };
}

interface Counted {
  readonly estate: string;
  readonly generation: number;
  readonly since: number;
}

const isCounted = ({ estate, generation, since }: Counted): RawBuilder<boolean> => sql<boolean>`
  estate = ${estate} AND (period = ${generation} OR (period = ${healing} AND NOT expired AND at > ${since}))`;

/** A share does not shrink as it is used: what was deleted under these counts is still of the whole. What is only made is not. */
async function ownedBy(db: Database, counted: Counted): Promise<number> {
  const { rows } = await sql<{ owned: number }>`
    SELECT count(*) AS owned FROM (
      SELECT address FROM setpoint.claims WHERE estate = ${counted.estate} AND ended_at IS NULL
      UNION SELECT address FROM setpoint.places WHERE ${isCounted(counted)} AND counts_as IN ('delete', 'replace')
    ) AS addresses`.execute(db);
  return rows[0]?.owned ?? 0;
}
