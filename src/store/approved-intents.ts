import { sql } from 'kysely';
import type { Intended, IntentDraft, Pass } from '../ports/ledger.ts';
import { type Reservation, reserving, settledUses } from './approval-uses.ts';
import { usableApprovals } from './postgres-approvals.ts';
import type { Settling } from './settled-changes.ts';
import { inChunks } from './statements.ts';
import type { Write } from './tables.ts';

/** In the transaction of the intents. Nothing is asked where no draft needs an approval. */
export async function reserveApprovals(trx: Write, { estate, scope }: Pass, drafts: readonly IntentDraft[]) {
  if (!drafts.some(({ approval }) => approval)) return reserving(drafts, []);
  const approvals = await usableApprovals(trx, { estate, scope });
  return reserving(drafts, approvals);
}

export async function keepReservations(
  trx: Write,
  { estate }: Pass,
  reserved: readonly Reservation[],
  answers: readonly Intended[],
): Promise<void> {
  const rows = reserved.flatMap(({ nth, halves, ...use }) => {
    const answer = answers[nth];
    return answer?.ok ? [{ ...use, intent: answer.intent, estate, halves: JSON.stringify(halves) }] : [];
  });
  await inChunks(rows, (chunk) =>
    trx
      .insertInto('approved_intents')
      .values(chunk)
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
}

export async function settleApprovals(trx: Write, all: readonly Settling[]): Promise<void> {
  const { spent, returned } = settledUses(all);
  const those = (ids: readonly string[]) => sql<boolean>`intent = ANY(${ids}::uuid[])`;
  if (spent.length > 0) await trx.updateTable('approved_intents').set({ done: true }).where(those(spent)).execute();
  if (returned.length > 0) await trx.deleteFrom('approved_intents').where(those(returned)).execute();
}
