import type { Selectable } from 'kysely';
import type { By } from '../ports/by.ts';
import type { Pin, Pins } from '../ports/sources.ts';
import { chainWrite } from './ledger-chain.ts';
import type { Context } from './context.ts';
import { noteBody, pinNote, unpinNote } from './ledger-entries.ts';
import type { Database, Tables } from './tables.ts';

export const postgresPins = (context: Context): Pins => ({
  pin: (estate, revision, by) => pin(context, estate, { revision, by }),
  current: (estate) => pinOf(context.db, estate),
  unpin: (estate, by) => unpin(context, estate, by),
});

const pin = (context: Context, estate: string, { revision, by }: Omit<Pin, 'at'>): Promise<Pin> =>
  chainWrite(context, estate, async ({ trx, at, append }) => {
    const row = { revision, person: by.person, reason: JSON.stringify(by.reason), at };
    await trx
      .insertInto('pins')
      .values({ estate, ...row })
      .onConflict((conflict) => conflict.column('estate').doUpdateSet(row))
      .execute();
    await append([{ type: 'note', body: noteBody(estate, pinNote({ revision, by })) }]);
    return { revision, by, at };
  });

const unpin = (context: Context, estate: string, by: By): Promise<Pin | undefined> =>
  chainWrite(context, estate, async ({ trx, append }) => {
    const ended = await trx.deleteFrom('pins').where('estate', '=', estate).returningAll().executeTakeFirst();
    if (ended === undefined) return undefined;
    await append([{ type: 'note', body: noteBody(estate, unpinNote(ended.revision, by)) }]);
    return asPin(ended);
  });

export async function pinOf(db: Database, estate: string): Promise<Pin | undefined> {
  const row = await db.selectFrom('pins').selectAll().where('estate', '=', estate).executeTakeFirst();
  return row && asPin(row);
}

const asPin = ({ revision, person, reason, at }: Selectable<Tables['pins']>): Pin => ({
  revision,
  by: { person, reason: String(reason) },
  at,
});
