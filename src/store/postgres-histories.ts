import type { Histories } from '../ports/sources.ts';
import { chainWrite } from './ledger-chain.ts';
import type { Context } from './context.ts';
import { noteBody, historyNote } from './ledger-entries.ts';

export const postgresHistories = (context: Context): Histories => ({
  accept: (estate, { head, after }, by) =>
    chainWrite(context, estate, async ({ trx, append }) => {
      const made = await trx
        .insertInto('accepted_histories')
        .values({ estate, head, after })
        .onConflict((conflict) => conflict.doNothing())
        .returning('head')
        .executeTakeFirst();
      if (made) await append([{ type: 'note', body: noteBody(estate, historyNote(head, by)) }]);
    }),
  isAccepted: async (estate, { head, after }) => {
    const row = await context.db
      .selectFrom('accepted_histories')
      .select('head')
      .where('estate', '=', estate)
      .where('head', '=', head)
      .where('after', '=', after)
      .executeTakeFirst();
    return row !== undefined;
  },
});
