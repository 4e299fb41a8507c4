import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Intended, IntentDraft, Pass } from '../ports/ledger.ts';
import { actionOf, keyText } from './action-key.ts';
import { type ChainWrite, chainWrite } from './chain-write.ts';
import type { Context } from './context.ts';
import { estateCountFor } from './counted.ts';
import { inChunks } from './in-chunks.ts';
import { intending, type Judged } from './intending.ts';
import { checkLease } from './lease-check.ts';
import type { Write } from './tables.ts';

/** See the port. About 60 ms for a thousand drafts. */
export const intend = (context: Context, pass: Pass, drafts: readonly IntentDraft[]): Promise<readonly Intended[]> =>
  chainWrite(context, pass.estate, async (write) => {
    await checkLease(write.trx, pass, 'begin');
    const judged = intending(pass, drafts, {
      open: await openIntents(write.trx, pass, drafts),
      applied: await appliedGenerations(write.trx, pass, drafts),
      count: drafts.some(({ counts }) => counts) ? await estateCountFor(write, pass.authority) : undefined,
      at: write.at,
      nextId: randomUUID,
    });
    await save(write, pass, judged);
    await write.append(judged.entries);
    return judged.answers;
  });

const addressesIn = (drafts: readonly IntentDraft[]): readonly string[] => [
  ...new Set(drafts.map(({ subject }) => subject.address)),
];

async function appliedGenerations(trx: Write, { estate, scope }: Pass, drafts: readonly IntentDraft[]) {
  const rows = await trx
    .selectFrom('applied')
    .select(['address', 'generation'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where(sql<boolean>`address = ANY(${addressesIn(drafts)}::text[])`)
    .execute();
  return new Map(rows.map(({ address, generation }) => [address, generation]));
}

async function openIntents(trx: Write, { estate, scope }: Pass, drafts: readonly IntentDraft[]) {
  const rows = await trx
    .selectFrom('intents')
    .select(['intent', 'attempt', 'verb', 'kind', 'address', 'id'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('open', '=', true)
    .where(sql<boolean>`address = ANY(${addressesIn(drafts)}::text[])`)
    .execute();
  return new Map(rows.map((row) => [keyText(actionOf(row)), row]));
}

async function save({ trx }: ChainWrite, { estate, scope }: Pass, { intents, places }: Judged): Promise<void> {
  const rows = intents.map(({ action, ...record }) => ({ ...record, ...action, estate, scope }));
  await inChunks(rows, (chunk) =>
    trx
      .insertInto('intents')
      .values(chunk)
      .onConflict((conflict) =>
        conflict.column('intent').doUpdateSet(({ ref }) => ({
          attempt: ref('excluded.attempt'),
          at: ref('excluded.at'),
          generation: ref('excluded.generation'),
          fields: ref('excluded.fields'),
          details: ref('excluded.details'),
        })),
      )
      .execute(),
  );
  const generationOf = new Map(intents.map(({ intent, generation, at }) => [intent, { generation, at }]));
  const taken = places.map(({ intent, as, by, address, subject }) => {
    const { generation = 0, at = 0 } = generationOf.get(intent) ?? {};
    return { intent, estate, counts_as: as, counts_by: by, generation, address, subject, at };
  });
  await inChunks(taken, (chunk) => trx.insertInto('places').values(chunk).execute());
}
