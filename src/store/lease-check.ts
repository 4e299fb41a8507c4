import { sql } from 'kysely';
import { LeaseLost } from '../ports/lease.ts';
import type { Pass } from '../ports/ledger.ts';
import type { Write } from './tables.ts';

/** `settle`: the writes of the pass were sent while it held its lease. */
export type LeasePurpose = 'begin' | 'settle';

/**
 * Throws `LeaseLost` unless the pass holds its scope's newest lease, and keeps others from taking it until this transaction
 * ends. `begin`: it must not have run out either; what was already sent may be settled as long as nobody took the lease.
 */
export async function checkLease(trx: Write, { estate, scope, lease }: Pass, purpose: LeasePurpose): Promise<void> {
  let query = trx
    .selectFrom('leases')
    .select('epoch')
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('epoch', '=', lease.epoch)
    .where('holder', '=', lease.holder)
    .forShare();
  if (purpose === 'begin') query = query.where('expires_at', '>', sql<Date>`clock_timestamp()`);
  if (!(await query.executeTakeFirst())) throw new LeaseLost(scope, lease.holder);
}
