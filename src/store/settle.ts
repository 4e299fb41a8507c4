import { sql } from 'kysely';
import type { KeptTerms } from '../core/knowledge.ts';
import { canonical } from '../core/ledger/canonical.ts';
import type { Address } from '../core/resource.ts';
import type { Reconcile, Settlement } from '../ports/ledger.ts';
import type { Accepted } from '../ports/store.ts';
import { settleApprovals } from './approvals.ts';
import type { Context } from './context.ts';
import { keepOwnCalls } from './last-modified.ts';
import { birthChanges, saveBirths } from './launch-health.ts';
import { type ChainWrite, scopeWrite } from './ledger-chain.ts';
import { actionOf, settlementBody } from './ledger-entries.ts';
import { returnPlaces } from './limit-places.ts';
import {
  lateAddresses,
  type Settleable,
  type SettledChanges,
  type Settling,
  settledAs,
  settledChanges,
  settling,
  withoutOutdated,
} from './settled-changes.ts';
import { inChunks } from './statements.ts';
import type { Write } from './tables.ts';
import { saveTombstones, tombstonesIn } from './tombstones.ts';

/** See the port. About 100 ms for a thousand settlements with a claim and an applied spec each. */
export function settle(context: Context, reconcile: Reconcile, settlements: readonly Settlement[]): Promise<void> {
  const takesPlaces = settlements.some(({ outcome, closes }) => closes && !outcome.ok);
  return scopeWrite(context, { reconcile, purpose: 'settle', takesPlaces }, async (write) => {
    const told = settling(reconcile, settlements, await recordsOf(write.trx, reconcile, settlements));
    if (told.length === 0) return;
    const all = withoutOutdated(told, await generationsAt(write.trx, reconcile, lateAddresses(told)));
    await write.append(
      all.map(({ settlement, record }) => ({
        type: 'settlement',
        body: settlementBody(reconcile, settlement, record),
      })),
    );
    await settleApprovals(write.trx, all);
    await keepOwnCalls(write, settlements);
    await noteSettled(write.trx, told);
    await saveBirths(write, reconcile, birthChanges(all));
    const changes = settledChanges(all);
    await change(write, reconcile, changes);
    await saveTombstones(write, reconcile, { made: tombstonesIn(all), changed: [...changes.claims.keys()] });
  });
}

async function generationsAt(
  trx: Write,
  { estate, scope }: Reconcile,
  addresses: readonly Address[],
): Promise<ReadonlyMap<Address, number>> {
  if (addresses.length === 0) return new Map();
  const rows = await trx
    .selectFrom('applied')
    .select(['address', 'generation'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('address', 'in', addresses)
    .execute();
  return new Map(rows.map(({ address, generation }) => [address, generation]));
}

async function recordsOf(trx: Write, { estate, scope }: Reconcile, settlements: readonly Settlement[]) {
  const ids = settlements.map(({ intent }) => intent);
  const rows = await trx
    .selectFrom('intents')
    .select([
      'intent',
      'attempt',
      'at',
      'generation',
      'fields',
      'open',
      'never_shown',
      'settled',
      'verb',
      'kind',
      'address',
      'id',
    ])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where(sql<boolean>`intent = ANY(${ids}::uuid[])`)
    .execute();
  return new Map<string, Settleable>(
    rows.map(({ verb, kind, address, id, never_shown: expired, ...row }) => [
      row.intent,
      { ...row, expired, action: actionOf({ verb, kind, address, id }) },
    ]),
  );
}

/** By this a settlement that is repeated is known. */
async function noteSettled(trx: Write, all: readonly Settling[]): Promise<void> {
  const intents = all.map(({ record }) => record.intent);
  const hashes = all.map(settledAs);
  await sql`
    UPDATE setpoint.intents AS known SET settled = given.settled
    FROM unnest(${intents}::uuid[], ${hashes}::text[]) AS given (intent, settled)
    WHERE known.intent = given.intent`.execute(trx);
}

async function change(write: ChainWrite, reconcile: Reconcile, changes: SettledChanges): Promise<void> {
  await closeIntents(write.trx, changes);
  await returnPlaces(write.trx, reconcile.estate, changes.returned);
  await touch(write, reconcile, changes);
  await saveClaims(write, reconcile, changes.claims);
  await saveApplied(write.trx, reconcile, changes.applied);
  await countUnstuck(write.trx, reconcile, changes);
}

async function closeIntents(trx: Write, { closed, expiredIntents, cameLate }: SettledChanges): Promise<void> {
  const those = (ids: readonly string[]) => sql<boolean>`intent = ANY(${ids}::uuid[])`;
  if (closed.length > 0) await trx.updateTable('intents').set({ open: false }).where(those(closed)).execute();
  if (expiredIntents.length > 0)
    await trx.updateTable('intents').set({ never_shown: true }).where(those(expiredIntents)).execute();
  if (cameLate.length > 0)
    await trx.updateTable('intents').set({ never_shown: false }).where(those(cameLate)).execute();
}

async function touch(
  { trx, at }: ChainWrite,
  { estate, scope }: Reconcile,
  { written }: SettledChanges,
): Promise<void> {
  if (written.size === 0) return;
  await trx
    .updateTable('claims')
    .set({ last_write_at: at })
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where(sql<boolean>`id = ANY(${[...written]}::text[])`)
    .execute();
}

/** Of a twin that was never claimed, and is released: it has none. */
const ended: KeptTerms = { deletionPolicy: 'retain', protect: false, storeOnly: false };

/** Also what a takeover does. */
export async function saveClaims(
  { trx, at }: ChainWrite,
  { estate, scope }: Reconcile,
  claims: SettledChanges['claims'],
): Promise<void> {
  const released = [...claims].flatMap(([id, effect]) => (effect === 'release' ? [id] : []));
  if (released.length > 0)
    await trx
      .deleteFrom('claims')
      .where('estate', '=', estate)
      .where('scope', '=', scope)
      .where(sql<boolean>`id = ANY(${released}::text[])`)
      .execute();
  const row = (id: string, { subject: { kind, address }, terms }: Pick<Accepted, 'subject' | 'terms'>) => ({
    ...{ estate, scope, id, kind, address },
    last_write_at: at,
    terms: canonical(terms),
  });
  const ends = [...claims].flatMap(([id, effect]) =>
    effect !== 'release' && effect.do === 'end'
      ? [{ ...row(id, { ...effect, terms: ended }), ended_at: at, ended_as: effect.as }]
      : [],
  );
  await inChunks(ends, (chunk) =>
    trx
      .insertInto('claims')
      .values(chunk)
      .onConflict((conflict) =>
        conflict.columns(['estate', 'scope', 'id']).doUpdateSet(({ ref }) => ({
          ended_at: ref('excluded.ended_at'),
          ended_as: ref('excluded.ended_as'),
        })),
      )
      .execute(),
  );
  const claimed = [...claims].flatMap(([id, effect]) =>
    effect === 'release' || effect.do === 'end' ? [] : [row(id, effect)],
  );
  await inChunks(claimed, (chunk) =>
    trx
      .insertInto('claims')
      .values(chunk)
      .onConflict((conflict) =>
        conflict.columns(['estate', 'scope', 'id']).doUpdateSet(({ ref }) => ({
          kind: ref('excluded.kind'),
          address: ref('excluded.address'),
          last_write_at: ref('excluded.last_write_at'),
          terms: ref('excluded.terms'),
          seen_at: sql<number | null>`CASE WHEN claims.ended_at IS NULL THEN claims.seen_at END`,
          ended_at: null,
          ended_as: null,
        })),
      )
      .execute(),
  );
}

/** A deleted resource stays as a row without a body: it names the generation up to which nobody may create it again. */
export async function saveApplied(
  trx: Write,
  { estate, scope }: Reconcile,
  applied: SettledChanges['applied'],
): Promise<void> {
  const rows = [...applied].map(([address, { generation, body }]) => ({
    ...{ estate, scope, address, generation },
    body: body === undefined ? null : canonical(body),
  }));
  await inChunks(rows, (chunk) =>
    trx
      .insertInto('applied')
      .values(chunk)
      .onConflict((conflict) =>
        conflict
          .columns(['estate', 'scope', 'address'])
          .doUpdateSet(({ ref }) => ({ generation: ref('excluded.generation'), body: ref('excluded.body') }))
          .whereRef('applied.generation', '<=', 'excluded.generation'),
      )
      .execute(),
  );
}

/**
 * Forgets the last applied state: another store went on from there, or commits were lost. The generations stay, so that no
 * lower one is applied. A machine that fails at birth goes back to nothing either.
 */
export async function forgetApplied(trx: Write, { estate, scope }: Reconcile): Promise<void> {
  await trx
    .updateTable('applied')
    .set({ body: null })
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('body', 'is not', null)
    .execute();
  await trx
    .updateTable('births')
    .set({ before_body: null })
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('before_body', 'is not', null)
    .execute();
}

/** Once more where generation and fields are those of the last one, else from one. */
async function countUnstuck(trx: Write, { estate, scope }: Reconcile, { updated }: SettledChanges): Promise<void> {
  const rows = [...updated].map(([address, { generation, fields }]) => ({
    estate,
    scope,
    address,
    generation,
    fields,
    times: 1,
  }));
  const times = sql<number>`CASE WHEN unstuck.fields = excluded.fields AND unstuck.generation = excluded.generation
    THEN unstuck.times + 1 ELSE 1 END`;
  await inChunks(rows, (chunk) =>
    trx
      .insertInto('unstuck')
      .values(chunk)
      .onConflict((conflict) =>
        conflict.columns(['estate', 'address', 'scope']).doUpdateSet(({ ref }) => ({
          generation: ref('excluded.generation'),
          fields: ref('excluded.fields'),
          times,
        })),
      )
      .execute(),
  );
}
