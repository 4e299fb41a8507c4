import { type Head, headOf, peopleChain } from '../core/ledger/chain.ts';
import type { Content } from '../core/ledger/entry.ts';
import { appendTo, lockChain, untilFree } from './ledger-chain.ts';
import type { Context } from './context.ts';
import type { Write } from './tables.ts';

/** A transaction that writes one note into each of several estates. */
export interface ChainWrites {
  readonly trx: Write;
  /** When it began, ms since the epoch. */
  readonly at: number;
  /** At most once. Estates are locked in the order of their names, so that two who lock the same never wait for each other. */
  append(estates: readonly string[], contentOf: (estate: string) => Omit<Content, 'at'>): Promise<void>;
}

/** For what concerns several estates, or none. What is of one: `chainWrite`. */
export const chainWrites = <T>(context: Context, work: (write: ChainWrites) => Promise<T>): Promise<T> =>
  context.queue.run([peopleChain], async () => {
    const { result, heads } = await untilFree(() => attempt(context, work));
    for (const [estate, head] of heads) await context.onWritten(estate, head);
    return result;
  });

/** `heads`: of the chains that were written to, by estate. */
interface Attempt<T> {
  readonly result: T;
  readonly heads: ReadonlyMap<string, Head>;
}

function attempt<T>(context: Context, work: (write: ChainWrites) => Promise<T>): Promise<Attempt<T>> {
  const heads = new Map<string, Head>();
  return context.writing.transaction().execute(async (trx) => {
    const { at } = await trx.selectNoFrom(context.storeNow().as('at')).executeTakeFirstOrThrow();
    const result = await work({
      trx,
      at,
      append: async (estates, contentOf) => {
        for (const estate of estates.toSorted()) {
          const chain = await lockChain(trx, context, { estate, chain: peopleChain });
          const last = await appendTo(trx, estate, chain, [{ ...contentOf(estate), at: Math.max(at, chain.at) }]);
          if (last) heads.set(estate, headOf(last));
        }
      },
    });
    return { result, heads };
  });
}
