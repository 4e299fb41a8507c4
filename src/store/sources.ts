import { type Selectable, sql } from 'kysely';
import type { By } from '../ports/fleet-state.ts';
import type { Histories, Pin, Pins, SourceState, SourceStates, Sources, WakeUps } from '../ports/sources.ts';
import type { Context } from './context.ts';
import { chainWrite } from './ledger-chain.ts';
import { historyNote, noteBody, pinNote, unpinNote } from './ledger-entries.ts';
import type { Database, Tables } from './tables.ts';

export const postgresSources = (context: Context): Sources => ({
  states: postgresSourceStates(context),
  pins: postgresPins(context),
  histories: postgresHistories(context),
  wakeUps: postgresWakeUps(context.db),
});

const postgresSourceStates = ({ db, clock }: Context): SourceStates => ({
  record: (estate, draft) => record(db, estate, { ...draft, since: clock.now() }),
  list: (estate) => list(db, estate),
});

/** `since`: of a state that is new. */
async function record(
  db: Database,
  estate: string,
  { source, head, state, code, why, since }: SourceState,
): Promise<void> {
  const kept = sql<number>`CASE
    WHEN source_states.state = excluded.state AND source_states.head IS NOT DISTINCT FROM excluded.head
    THEN source_states.since ELSE excluded.since END`;
  await db
    .insertInto('source_states')
    .values({ estate, source, head: head ?? null, state, code: code ?? null, why: JSON.stringify(why), since })
    .onConflict((conflict) =>
      conflict.columns(['estate', 'source']).doUpdateSet(({ ref }) => ({
        head: ref('excluded.head'),
        state: ref('excluded.state'),
        code: ref('excluded.code'),
        why: ref('excluded.why'),
        since: kept,
      })),
    )
    .execute();
}

async function list(db: Database, estate: string): Promise<readonly SourceState[]> {
  const rows = await db
    .selectFrom('source_states')
    .select(['source', 'head', 'state', 'code', 'why', 'since'])
    .where('estate', '=', estate)
    .orderBy('source')
    .execute();
  return rows.map(
    ({ source, head, state, code, why, since }): SourceState => ({
      ...{ source, state, why: String(why), since },
      ...(head === null ? {} : { head }),
      ...(code === null ? {} : { code }),
    }),
  );
}

const postgresPins = (context: Context): Pins => ({
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

const postgresHistories = (context: Context): Histories => ({
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

const postgresWakeUps = (db: Database): WakeUps => ({
  add: async (estate) => {
    await db
      .insertInto('bells')
      .values({ estate, rung: 1 })
      .onConflict((conflict) => conflict.column('estate').doUpdateSet(({ eb }) => ({ rung: eb('bells.rung', '+', 1) })))
      .execute();
  },
  count: async (estate) => {
    const row = await db.selectFrom('bells').select('rung').where('estate', '=', estate).executeTakeFirst();
    return row?.rung ?? 0;
  },
});
