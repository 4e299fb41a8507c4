import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Intended, IntentDraft, Pass } from '../ports/ledger.ts';
import { actionOf, keyText } from './action-key.ts';
import { keepReservations, reserveApprovals } from './approved-intents.ts';
import { type ChainWrite, scopeWrite } from './chain-write.ts';
import type { Context } from './context.ts';
import { heldGuardEpoch, unheld } from './guard-epochs.ts';
import { intending, type Judged, placesWanted } from './intending.ts';
import { keepPlaces, takePlaces } from './limit-places.ts';
import { inChunks } from './statements.ts';
import type { Write } from './tables.ts';

/** See the port. About 60 ms for a thousand drafts. */
export function intend(context: Context, pass: Pass, drafts: readonly IntentDraft[]): Promise<readonly Intended[]> {
  const takesPlaces = drafts.some(({ counts }) => counts);
  return scopeWrite(context, { pass, purpose: 'begin', takesPlaces }, async (write) => {
    const guardEpoch = await heldGuardEpoch(write.trx, pass);
    const known = {
      open: await openIntents(write.trx, pass, drafts),
      applied: await appliedGenerations(write.trx, pass, drafts),
    };
    const approvals = await reserveApprovals(write.trx, pass, drafts);
    const wanted = unheld(drafts, guardEpoch).filter((draft) => !approvals.refused.has(draft));
    const count = await takePlaces(write, pass, placesWanted(pass, wanted, known));
    const judged = intending(pass, drafts, {
      ...{ ...known, count, guardEpoch, at: write.at, nextId: randomUUID },
      unapproved: approvals.refused,
    });
    await save(write, pass, judged);
    await keepReservations(write.trx, pass, approvals.reserved, judged.answers);
    await write.append(judged.entries);
    return judged.answers;
  });
}

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

async function save(write: ChainWrite, { estate, scope }: Pass, { intents, places }: Judged): Promise<void> {
  const rows = intents.map(({ action, guardEpoch: guard_epoch, ...record }) => ({
    ...record,
    ...action,
    ...{ estate, scope, guard_epoch },
  }));
  await inChunks(rows, (chunk) =>
    write.trx
      .insertInto('intents')
      .values(chunk)
      .onConflict((conflict) =>
        conflict.column('intent').doUpdateSet(({ ref }) => ({
          attempt: ref('excluded.attempt'),
          at: ref('excluded.at'),
          generation: ref('excluded.generation'),
          fields: ref('excluded.fields'),
          details: ref('excluded.details'),
          guard_epoch: ref('excluded.guard_epoch'),
        })),
      )
      .execute(),
  );
  await keepPlaces(write, places);
}
