import { sql } from 'kysely';
import { canonical } from '../core/ledger/canonical.ts';
import type { Pass, Settlement } from '../ports/ledger.ts';
import type { Accepted } from '../ports/store.ts';
import { actionOf } from './action-key.ts';
import { type ChainWrite, chainWrite } from './chain-write.ts';
import type { Context } from './context.ts';
import { settlementBody } from './entry-body.ts';
import { inChunks } from './in-chunks.ts';
import type { IntentRecord } from './intent-record.ts';
import { checkLease } from './lease-check.ts';
import { keepOwnCalls } from './own-calls.ts';
import { type SettledChanges, settledChanges, settling } from './settled-changes.ts';
import type { Write } from './tables.ts';

/** See the port. About 100 ms for a thousand settlements with a claim and an applied spec each. */
export const settle = (context: Context, pass: Pass, settlements: readonly Settlement[]): Promise<void> =>
  chainWrite(context, pass.estate, async (write) => {
    await checkLease(write.trx, pass, 'settle');
    const all = settling(pass, settlements, await openRecords(write.trx, pass, settlements));
    await write.append(
      all.map(({ settlement, record }) => ({ type: 'settlement', body: settlementBody(pass, settlement, record) })),
    );
    await keepOwnCalls(write, settlements);
    await change(write, pass, settledChanges(all));
  });

async function openRecords(trx: Write, { estate, scope }: Pass, settlements: readonly Settlement[]) {
  const ids = settlements.map(({ intent }) => intent);
  const rows = await trx
    .selectFrom('intents')
    .select(['intent', 'attempt', 'at', 'generation', 'fields', 'verb', 'kind', 'address', 'id'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('open', '=', true)
    .where(sql<boolean>`intent = ANY(${ids}::uuid[])`)
    .execute();
  return new Map<string, IntentRecord>(
    rows.map(({ verb, kind, address, id, ...row }) => [
      row.intent,
      { ...row, action: actionOf({ verb, kind, address, id }) },
    ]),
  );
}

async function change(write: ChainWrite, pass: Pass, changes: SettledChanges): Promise<void> {
  await closeIntents(write.trx, changes);
  await touch(write, pass, changes);
  await saveClaims(write, pass, changes.claims);
  await saveApplied(write.trx, pass, changes.applied);
  await countUnstuck(write.trx, pass, changes);
}

async function closeIntents(trx: Write, { closed, returned, neverShown }: SettledChanges): Promise<void> {
  const those = (ids: readonly string[]) => sql<boolean>`intent = ANY(${ids}::uuid[])`;
  if (closed.length > 0) await trx.updateTable('intents').set({ open: false }).where(those(closed)).execute();
  if (neverShown.length > 0)
    await trx.updateTable('intents').set({ never_shown: true }).where(those(neverShown)).execute();
  if (returned.length > 0) await trx.deleteFrom('places').where(those(returned)).execute();
}

async function touch({ trx, at }: ChainWrite, { estate, scope }: Pass, { written }: SettledChanges): Promise<void> {
  if (written.size === 0) return;
  await trx
    .updateTable('claims')
    .set({ last_write_at: at })
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where(sql<boolean>`id = ANY(${[...written]}::text[])`)
    .execute();
}

/** Also what a takeover does. */
export async function saveClaims(
  { trx, at }: ChainWrite,
  { estate, scope }: Pass,
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
  const row = (id: string, { subject: { kind, address }, terms }: Accepted) => ({
    ...{ estate, scope, id, kind, address },
    last_write_at: at,
    terms: canonical(terms),
  });
  const claimed = [...claims].flatMap(([id, effect]) => (effect === 'release' ? [] : [row(id, effect)]));
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
        })),
      )
      .execute(),
  );
}

/** What was removed stays as a row without a body: it says up to which generation nobody may make it again. */
export async function saveApplied(
  trx: Write,
  { estate, scope }: Pass,
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

/** Once more where generation and fields are those of the last one, else from one. */
async function countUnstuck(trx: Write, { estate, scope }: Pass, { updated }: SettledChanges): Promise<void> {
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
