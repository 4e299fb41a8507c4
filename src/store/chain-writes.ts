import type { Head } from '../core/ledger/chain.ts';
import type { Content } from '../core/ledger/entry.ts';
import { appendTo, lockChain } from './chain-write.ts';
import type { Context } from './context.ts';
import type { Write } from './tables.ts';

/** A transaction that writes one entry into the chains of several estates. */
export interface ChainWrites {
  readonly trx: Write;
  /** When it began, ms since the epoch. */
  readonly at: number;
  /** At most once. Estates are locked in the order of their names, so that two who lock the same never wait for each other. */
  append(estates: readonly string[], contentOf: (estate: string) => Omit<Content, 'at'>): Promise<void>;
}

/** For what concerns several estates, or none. What is of one: `chainWrite`. */
export async function chainWrites<T>(context: Context, work: (write: ChainWrites) => Promise<T>): Promise<T> {
  const { db, clock, store, onWritten } = context;
  const heads = new Map<string, Head>();
  const result = await db.transaction().execute((trx) => {
    const at = clock.now();
    return work({
      trx,
      at,
      append: async (estates, contentOf) => {
        for (const estate of estates.toSorted()) {
          const head = await lockChain(trx, store, estate);
          heads.set(estate, await appendTo(trx, estate, head, [{ ...contentOf(estate), at }]));
        }
      },
    });
  });
  for (const [estate, head] of heads) await onWritten(estate, head);
  return result;
}
