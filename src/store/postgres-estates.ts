import type { Pass } from '../ports/ledger.ts';
import type { Estates } from '../ports/store.ts';
import { chainWrite } from './chain-write.ts';
import type { Context } from './context.ts';
import { noteBody } from './entry-body.ts';
import { checkLease } from './lease-check.ts';
import { saveClaims } from './settle.ts';
import { takeoverOf } from './takeover.ts';

export const postgresEstates = (context: Context): Estates => ({
  store: context.store,
  list: async () => {
    const rows = await context.db.selectFrom('estates').select('name').orderBy('name').execute();
    return rows.map(({ name }) => name);
  },
  takeover: (pass, accepted, reason) => takeover(context, pass, takeoverOf(pass, accepted, reason)),
});

const takeover = (context: Context, pass: Pass, { claims, note }: ReturnType<typeof takeoverOf>): Promise<number> =>
  chainWrite(context, pass.estate, async (write) => {
    await checkLease(write.trx, pass, 'begin');
    await saveClaims(write, pass, claims);
    return write.append([{ type: 'note', body: noteBody(pass.estate, note) }]);
  });
