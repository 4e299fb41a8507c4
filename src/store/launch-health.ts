import { sql } from 'kysely';
import { type Birth, type BirthVerdict, whyStopped, withEndedRollouts } from '../core/knowledge.ts';
import { canonical } from '../core/ledger/canonical.ts';
import { type Address, type CloudId, documentOfReplica, type InstanceAttributes } from '../core/resource.ts';
import type { StandingButGraces, StoppedRollout } from '../ports/fleet-state.ts';
import type { Effect, Reconcile } from '../ports/ledger.ts';
import type { Where } from '../ports/queue.ts';
import type { Context } from './context.ts';
import { untilAnswered } from './health.ts';
import { checkLease } from './leases.ts';
import { type ChainWrite, chainWrite } from './ledger-chain.ts';
import { noteBody } from './ledger-entries.ts';
import type { Settling } from './settled-changes.ts';
import { inChunks } from './statements.ts';
import type { Database, Write } from './tables.ts';

/** A settled launch, and ids that this store ended or released: their births show nothing any more. */
export interface BirthChanges {
  readonly born: readonly Birth[];
  readonly released: readonly CloudId[];
}

export function birthChanges(all: readonly Settling[]): BirthChanges {
  return {
    born: all.flatMap(birthIn),
    released: all.flatMap(({ settlement }) => settlement.effects.flatMap(idLetGo)),
  };
}

function idLetGo(effect: Effect): readonly CloudId[] {
  if (effect.do === 'release') return [effect.id];
  return effect.do === 'end' && effect.subject.id !== undefined ? [effect.subject.id] : [];
}

function birthIn({ settlement: { outcome, effects }, record: { action, generation, at } }: Settling): readonly Birth[] {
  if (action.verb !== 'create' || action.kind !== 'instance' || !outcome.ok) return [];
  const claim = effects.find((effect) => effect.do === 'claim');
  const applied = effects.find((effect) => effect.do === 'apply');
  const launched = applied?.attributes ?? claim?.launched;
  const id = claim?.subject.id;
  if (id === undefined || launched === undefined) return [];
  // why: the port carries them as unknown; the engine put the attributes of a machine in
  const attributes = launched as InstanceAttributes;
  return [{ id, address: action.address, attributes, generation, launchedAt: at }];
}

/** In the transaction that settles the launches, and before it says what is applied: that is what the address goes back to. */
export async function saveBirths(
  { trx }: ChainWrite,
  { estate, scope }: Reconcile,
  { born, released }: BirthChanges,
): Promise<void> {
  if (released.length > 0)
    await trx
      .deleteFrom('births')
      .where('estate', '=', estate)
      .where('scope', '=', scope)
      .where('failed', 'is', null)
      .where(sql<boolean>`id = ANY(${released}::text[])`)
      .execute();
  await inChunks(born, async (chunk) => {
    const rows = JSON.stringify(
      chunk.map(({ attributes, launchedAt: launched_at, ...birth }) => ({
        ...birth,
        document: documentOfReplica(birth.address),
        attributes: canonical(attributes),
        launched_at,
      })),
    );
    await sql`
      INSERT INTO setpoint.births (estate, scope, id, address, document, attributes, generation, launched_at, before_generation, before_body)
      SELECT ${estate}::text, ${scope}::text, born.id, born.address, born.document, born.attributes::json, born.generation, born.launched_at,
        applied.generation, applied.body
      FROM json_to_recordset(${rows}::json)
        AS born (id text, address text, document text, attributes text, generation integer, launched_at bigint)
      LEFT JOIN setpoint.applied ON applied.estate = ${estate} AND applied.scope = ${scope} AND applied.address = born.address
      ON CONFLICT DO NOTHING`.execute(trx);
  });
}

/** See the port. */
export async function judgeBirths(
  context: Context,
  reconcile: Reconcile,
  verdicts: readonly BirthVerdict[],
): Promise<void> {
  const failed = verdicts.filter((one) => one.as === 'failed');
  if (failed.length > 0)
    await chainWrite(context, reconcile.estate, async (write) => {
      await checkLease(write.trx, reconcile, 'settle');
      await judgeIn(write.trx, reconcile, verdicts);
      await write.append((await fail(write.trx, reconcile, failed)).map((body) => ({ type: 'note', body })));
    });
  else
    await untilAnswered(() =>
      context.db.transaction().execute(async (trx) => {
        await checkLease(trx, reconcile, 'settle');
        await judgeIn(trx, reconcile, verdicts);
      }),
    );
}

async function judgeIn(trx: Write, { estate, scope }: Reconcile, verdicts: readonly BirthVerdict[]): Promise<void> {
  const of = (id: CloudId) => sql<boolean>`estate = ${estate} AND scope = ${scope} AND id = ${id}`;
  for (const verdict of verdicts)
    switch (verdict.as) {
      case 'ready': {
        const since = sql<number>`COALESCE(ready_since, ${verdict.at}::bigint)`;
        const proven = sql<boolean>`proven OR ${verdict.proven}`;
        await trx.updateTable('births').set({ ready_since: since, proven }).where(of(verdict.id)).execute();
        break;
      }
      case 'unready':
        await trx.updateTable('births').set({ ready_since: null }).where(of(verdict.id)).execute();
        break;
      case 'survived':
        await sql`
          DELETE FROM setpoint.births AS birth USING setpoint.births AS one
          WHERE one.estate = ${estate} AND one.scope = ${scope} AND one.id = ${verdict.id}
            AND birth.estate = one.estate AND birth.scope = one.scope AND birth.document = one.document
            AND (birth.id = one.id
              OR birth.failed IS NOT NULL AND birth.attributes::text = one.attributes::text
                AND birth.launched_at <= one.launched_at)`.execute(trx);
        break;
      case 'failed':
        break;
    }
}

type Failed = Extract<BirthVerdict, { readonly as: 'failed' }>;

/** Keeps each failure once; what never came up is not applied either, so the address goes back to what it held before. */
async function fail(trx: Write, { estate, scope }: Reconcile, failed: readonly Failed[]) {
  const notes: ReturnType<typeof birthNote>[] = [];
  for (const { id, why, wasReady } of failed) {
    const birth = await trx
      .updateTable('births')
      .set({ failed: JSON.stringify(why) })
      .where('estate', '=', estate)
      .where('scope', '=', scope)
      .where('id', '=', id)
      .where('failed', 'is', null)
      .returning(['address', 'generation', 'before_generation'])
      .executeTakeFirst();
    if (birth === undefined) continue;
    const back = wasReady ? undefined : (birth.before_generation ?? birth.generation);
    if (back !== undefined)
      await sql`
        UPDATE setpoint.applied SET generation = ${back}, body = births.before_body
        FROM setpoint.births
        WHERE births.estate = ${estate} AND births.scope = ${scope} AND births.id = ${id}
          AND applied.estate = births.estate AND applied.scope = births.scope AND applied.address = births.address
          AND applied.generation = births.generation`.execute(trx);
    notes.push(birthNote({ estate, scope }, { id, why, ...birth }, back));
  }
  return notes;
}

/** `back`: the generation whose specs are applied at the address again. */
export const birthNote = (
  { estate, scope }: Where,
  { id, address, generation, why }: Pick<Birth, 'id' | 'address' | 'generation'> & { readonly why: string },
  back: number | undefined,
) =>
  noteBody(estate, {
    failedBirth: { scope, address, id, generation, why, ...(back === undefined ? {} : { back }) },
  });

export async function readBirths(db: Database | Write, { estate, scope }: Where): Promise<readonly Birth[]> {
  const rows = await db
    .selectFrom('births')
    .select(['id', 'address', 'attributes', 'generation', 'launched_at', 'ready_since', 'proven', 'failed'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .orderBy('launched_at')
    .orderBy('id')
    .execute();
  if (rows.length === 0) return [];
  const { generation: applied } = await standingButGraces(db, { estate, scope });
  const births = rows.map(({ attributes, launched_at, ready_since, proven, failed, ...birth }) => ({
    ...birth,
    attributes: attributes as InstanceAttributes, // why: only settlements write the column
    launchedAt: launched_at,
    ...(ready_since === null ? {} : { readySince: ready_since }),
    ...(proven ? { proven } : {}),
    ...(failed === null ? {} : { failed: String(failed) }),
  }));
  return withEndedRollouts(births, applied);
}

/** See the port. */
export async function standingButGraces(db: Database | Write, { estate, scope }: Where): Promise<StandingButGraces> {
  const row = await db
    .selectFrom('standing')
    .select(['generation', 'but_graces', 'in_grace'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .executeTakeFirst();
  if (row === undefined) return { generation: 0, inGrace: [] };
  return { generation: Math.max(row.generation, row.but_graces), inGrace: row.in_grace.toSorted() };
}

/** Rollouts that failed births stopped before they ended: those of each document's newest generation that had one. */
export function stoppedByBirths(births: readonly Birth[]): readonly StoppedRollout[] {
  const failed = births.filter((birth) => birth.failed !== undefined && !birth.isRolledOut);
  return [...Map.groupBy(failed, ({ address }) => documentOfReplica(address))].map(([document, all]) => {
    const generation = Math.max(...all.map((birth) => birth.generation));
    return { document, generation, why: whyStopped(all.filter((birth) => birth.generation === generation)) };
  });
}

/** A person lets the documents go on: their failed births count no more. Answers which documents had any. */
export async function forgiveBirths(
  trx: Write,
  { estate, scope }: Where,
  document?: Address,
): Promise<readonly string[]> {
  let query = trx
    .deleteFrom('births')
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('failed', 'is not', null);
  if (document !== undefined) query = query.where('document', '=', document);
  return (await query.returning('document').execute()).map((row) => row.document);
}
