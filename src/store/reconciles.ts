import { type RawBuilder, sql } from 'kysely';
import type { Bounds } from '../core/access/grant.ts';
import type { EventDraft } from '../ports/events.ts';
import { ForeignCursor } from '../ports/inventory-rows.ts';
import type { Where } from '../ports/queue.ts';
import type {
  KeptReconcile,
  ReconcileDetails,
  ReconcileDraft,
  ReconcileEnding,
  ReconcileFilter,
  ReconcilePage,
  ReconcileQuery,
  Reconciles,
  ScopeReconciles,
} from '../ports/reconciles.ts';
import type { ReconcileOutcome } from '../ports/telemetry.ts';
import type { Context } from './context.ts';
import { publishEvents } from './events.ts';
import { inTime } from './health.ts';
import { pruneOld, pruneReconciles } from './retention.ts';
import { storableText } from './statements.ts';
import type { Database } from './tables.ts';
import { withinBounds } from './visibility.ts';

export function postgresReconciles({ db, reading, clock }: Context): Reconciles {
  const prune = pruneOld(db, clock, 'passes');
  return {
    begin: (reconcile) => beginReconcile(db, reconcile),
    end: async (reconcile, ending) => {
      await endReconcile(db, reconcile, ending);
      await pruneReconciles(db, reconcile, ending.quiet);
      await prune();
    },
    page: (query) => inTime(pageReconciles(reading, query)),
    find: (id, seen) => inTime(findReconcile(reading, id, seen)),
    scopes: (estate) => inTime(scopeReconciles(reading, estate)),
  };
}

/** The time after the end of its lease in which a reconcile may still record its end. */
const graceMs = 15_000;

interface Row extends Begun {
  readonly ended: number | null;
  readonly outcome: ReconcileOutcome | null;
  readonly ending: Omit<NonNullable<KeptReconcile['ending']>, 'ended' | 'outcome'> | null;
  readonly alive: boolean;
}

interface Begun extends Where {
  readonly id: string;
  readonly targets: readonly string[];
  readonly at: number;
  readonly about: Pick<KeptReconcile, 'reason'> & { readonly ground: Omit<KeptReconcile['ground'], 'targets'> };
}

async function pageReconciles(db: Database, { seen, filter, limit, after }: ReconcileQuery): Promise<ReconcilePage> {
  const where = [within(seen), ...conditions(filter), ...(after === undefined ? [] : [beyond(after)])];
  const { rows } = await sql<Row>`
    SELECT ${columns} FROM setpoint.passes AS pass WHERE ${sql.join(where, sql` AND `)}
    ORDER BY at DESC, id DESC LIMIT ${limit + 1}`.execute(db);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { reconciles: shown.map(keptOf), ...(last && { next: cursorOf(last) }) };
}

async function findReconcile(db: Database, id: string, seen: readonly Bounds[]): Promise<ReconcileDetails | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<Row & { readonly timeline: ReconcileDetails['timeline'] | null }>`
    SELECT ${columns}, timeline FROM setpoint.passes AS pass WHERE id = ${id}::uuid AND ${within(seen)}`.execute(db);
  const [row] = rows;
  return row && { ...keptOf(row), ...(row.timeline && { timeline: row.timeline }) };
}

async function scopeReconciles(db: Database, estate: string): Promise<readonly ScopeReconciles[]> {
  const [last, open] = await Promise.all([
    sql<Row>`SELECT *, false AS alive FROM setpoint.last_passes WHERE estate = ${estate}`.execute(db),
    sql<Row>`SELECT ${columns} FROM setpoint.passes AS pass WHERE estate = ${estate} AND ended IS NULL ORDER BY at`.execute(
      db,
    ),
  ]);
  const ended = new Map(last.rows.map((row) => [row.scope, keptOf(row)]));
  const running = new Map(open.rows.filter(({ alive }) => alive).map((row) => [row.scope, row]));
  return [...new Set([...ended.keys(), ...running.keys()])].sort().map((scope) => {
    const [before, now] = [ended.get(scope), running.get(scope)];
    return { scope, ...(before && { last: before }), ...(now && { running: { id: now.id, began: now.at } }) };
  });
}

const columns = sql`pass.id, pass.estate, pass.scope, targets, at, about, ended, outcome, ending, ended IS NULL AND EXISTS (
  SELECT FROM setpoint.leases AS lease
  WHERE lease.estate = pass.estate AND lease.scope = pass.scope AND lease.epoch = pass.epoch
    AND lease.expires_at > clock_timestamp() - ${graceMs} * interval '1 millisecond') AS alive`;

/** A reconcile is nobody's in particular: who is bounded to owners sees none. */
const within = (seen: readonly Bounds[]): RawBuilder<boolean> =>
  withinBounds(seen, { estate: 'pass.estate', targets: 'targets' });

const anyOf = (column: string, values: readonly string[] | undefined): readonly RawBuilder<boolean>[] =>
  values === undefined ? [] : [sql<boolean>`${sql.ref(column)} = ANY(${values.map(storableText)}::text[])`];

const sharing = (target: string): RawBuilder<boolean> => sql<boolean>`targets && ${[storableText(target)]}::text[]`;

const conditions = ({
  estate,
  scope,
  target,
  outcomes,
  since,
  until,
}: ReconcileFilter): readonly RawBuilder<boolean>[] => [
  ...(estate === undefined ? [] : anyOf('pass.estate', [estate])),
  ...(scope === undefined ? [] : anyOf('pass.scope', [scope])),
  ...(target === undefined ? [] : [sharing(target)]),
  ...anyOf('outcome', outcomes),
  ...(since === undefined ? [] : [sql<boolean>`at >= ${since}`]),
  ...(until === undefined ? [] : [sql<boolean>`at < ${until}`]),
];

const cursorOf = ({ at, id }: Row): string => `${at}.${id}`;

function beyond(cursor: string): RawBuilder<boolean> {
  const [, at = '', id = ''] = /^(\d{1,15})\.(.*)$/.exec(cursor) ?? [];
  if (at === '' || !isId(id)) throw new ForeignCursor();
  return sql<boolean>`(at, pass.id) < (${at}::bigint, ${id}::uuid)`;
}

const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

function keptOf({ id, estate, scope, targets, at, about: { ground, reason }, ...row }: Row): KeptReconcile {
  const draft = { id, estate, scope, began: at, ...(reason === undefined ? {} : { reason }) };
  const rest = { ...draft, ground: { targets, ...ground } };
  if (row.ended === null || row.outcome === null || row.ending === null)
    return { ...rest, state: row.alive ? 'running' : 'lost' };
  return { ...rest, state: 'ended', ending: { ...row.ending, ended: row.ended, outcome: row.outcome } };
}

const beginReconcile = (db: Database, reconcile: ReconcileDraft): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('passes')
      .values({ ...columnsOf(reconcile), epoch: reconcile.ground.lease?.epoch ?? null })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 1n) await publishEvents(trx, reconcile.began, [reconcileBegan(reconcile)]);
  });

const endReconcile = (db: Database, reconcile: ReconcileDraft, ending: ReconcileEnding): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { ended, outcome, quiet, account } = ending;
    const end = { ended, outcome, ending: JSON.stringify(endOf(ending)) };
    const { timeline, rest } = account;
    const whole = { ...end, quiet, timeline: JSON.stringify({ timeline, rest }) };
    await trx
      .insertInto('passes')
      .values({ ...columnsOf(reconcile), ...whole, epoch: reconcile.ground.lease?.epoch ?? null })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...columnsOf(reconcile), ...whole }))
      .execute();
    await trx
      .insertInto('last_passes')
      .values({ ...columnsOf(reconcile), ...end })
      .onConflict((conflict) =>
        conflict
          .columns(['estate', 'scope'])
          .doUpdateSet({ ...columnsOf(reconcile), ...end })
          // why: a worker that was slow to say so must not hide what came after
          .where('last_passes.at', '<=', reconcile.began),
      )
      .execute();
    await publishEvents(trx, ended, [reconcileEnded(reconcile, ending)]);
  });

const columnsOf = ({ id, estate, scope, began, reason, ground: { targets, ...ground } }: ReconcileDraft) => ({
  ...{ id, estate, scope, targets, at: began },
  about: JSON.stringify({ ground, ...(reason === undefined ? {} : { reason }) }),
});

const endOf = ({ why, nextAt, account: { counts } }: ReconcileEnding) => ({ why, nextAt, counts });

export const reconcileBegan = (reconcile: ReconcileDraft): EventDraft => event(reconcile, { state: 'running' });

export const reconcileEnded = (reconcile: ReconcileDraft, { outcome, nextAt, account }: ReconcileEnding): EventDraft =>
  event(reconcile, {
    state: 'ended',
    outcome,
    ...account.counts,
    ...(nextAt === undefined ? {} : { nextReconcileAt: new Date(nextAt).toISOString() }),
  });

const event = (
  { id, estate, scope, reason, ground: { targets, generation } }: ReconcileDraft,
  about: EventDraft['about'],
): EventDraft => ({
  estate,
  type: 'pass',
  targets,
  about: {
    reconcileId: id,
    scope,
    generation,
    ...(reason === undefined ? {} : { reason: reason.slice(0, 500) }),
    ...about,
  },
});
