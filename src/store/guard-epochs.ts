import { sql } from 'kysely';
import type { IntentDraft, OnTheWay, Pass } from '../ports/ledger.ts';
import { actionOf } from './action-key.ts';
import type { Database, Write } from './tables.ts';

/** The estate's guard epoch: 0 before anybody said anything. One row by its key. */
export async function guardEpochOf(db: Database, estate: string): Promise<number> {
  const row = await db.selectFrom('guard_epochs').select('epoch').where('estate', '=', estate).executeTakeFirst();
  return row?.epoch ?? 0;
}

/**
 * The epoch that these intents are made under; undefined where people said something stricter since the pass was judged. Until
 * this transaction ends nobody raises it. A pass that names no epoch was judged by what it read under its lease.
 */
export async function heldGuardEpoch(trx: Write, pass: Pass): Promise<number | undefined> {
  const epoch = await lockedEpoch(trx, pass.estate);
  const judged = pass.guardEpoch ?? (await leasedEpoch(trx, pass));
  return judged === epoch ? epoch : undefined;
}

/** The row is made where there is none: what is not there cannot be held. */
async function lockedEpoch(trx: Write, estate: string): Promise<number> {
  const find = () =>
    trx.selectFrom('guard_epochs').select('epoch').where('estate', '=', estate).forShare().executeTakeFirst();
  const found = await find();
  if (found) return found.epoch;
  await trx
    .insertInto('guard_epochs')
    .values({ estate, epoch: sql<number>`0` })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await find())?.epoch ?? 0;
}

async function leasedEpoch(trx: Write, { estate, scope }: Pass): Promise<number> {
  const row = await trx
    .selectFrom('leases')
    .select('guard_epoch')
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .executeTakeFirst();
  return row?.guard_epoch ?? 0;
}

/** Forgetting sends nothing, so no word of people holds it. */
export const isGuarded = ({ verb }: IntentDraft): boolean => verb !== 'forget';

/** The drafts that are not held by a word that came since. */
export const unheld = (drafts: readonly IntentDraft[], guardEpoch: number | undefined): readonly IntentDraft[] =>
  guardEpoch === undefined ? drafts.filter((draft) => !isGuarded(draft)) : drafts;

/** See the port. What was intended before there were epochs is older than any. */
export async function onTheWay(db: Database, estate: string): Promise<readonly OnTheWay[]> {
  const rows = await db
    .selectFrom('intents')
    .select(['intent', 'scope', 'verb', 'kind', 'address', 'id'])
    .where('estate', '=', estate)
    .where('open', '=', true)
    .where('verb', '!=', 'forget')
    .where(sql<boolean>`coalesce(guard_epoch, -1) < (SELECT epoch FROM setpoint.guard_epochs WHERE estate = ${estate})`)
    .orderBy('scope')
    .orderBy('address')
    .execute();
  return rows.map(({ intent, scope, ...row }) => {
    const { address, verb } = actionOf(row);
    return { intent, scope, address, verb };
  });
}
