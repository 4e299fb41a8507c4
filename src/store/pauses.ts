import type { Selectable } from 'kysely';
import type { Held, PauseDraft, PauseSubject } from '../core/pause.ts';
import type { Pause, Pauses } from '../ports/fleet-state.ts';
import type { Context } from './context.ts';
import { chainWrite } from './ledger-chain.ts';
import { noteBody, pauseNote, resumeNote } from './ledger-entries.ts';
import { storeNow } from './statements.ts';
import type { Database, Tables } from './tables.ts';

export const postgresPauses = (context: Context): Pauses => ({
  begin: (estate, draft) => begin(context, estate, draft),
  end: (estate, held, by) => end(context, { estate, held, by }),
  active: async (estate) => (await active(context.db, estate).execute()).map(pauseOf),
});

const begin = (context: Context, estate: string, draft: PauseDraft): Promise<Pause> =>
  chainWrite(context, estate, async ({ trx, at, append }) => {
    const { reason, person, until, letsNarrow = false } = draft;
    const row = {
      ...columnsOf(estate, draft),
      reason: JSON.stringify(reason),
      person,
      at,
      until,
      lets_narrow: letsNarrow,
    };
    const { id } = await trx.insertInto('pauses').values(row).returning('id').executeTakeFirstOrThrow();
    const pause = { ...draft, id, at };
    await append([{ type: 'note', body: noteBody(estate, pauseNote(pause)) }]);
    return pause;
  });

interface Ending {
  readonly estate: string;
  readonly held: Held;
  readonly by: Parameters<Pauses['end']>[2];
}

const end = (context: Context, { estate, held, by }: Ending): Promise<readonly Pause[]> =>
  chainWrite(context, estate, async ({ trx, append }) => {
    const { what, held_by, subject, incident } = columnsOf(estate, held);
    const rows = await active(trx, estate)
      .where('what', '=', what)
      .where('held_by', '=', held_by)
      .where('subject', '=', subject)
      .where('incident', 'is not distinct from', incident)
      .execute();
    const ended = rows.map(pauseOf);
    if (ended.length === 0) return ended;
    const ids = ended.map(({ id }) => id);
    await trx.updateTable('pauses').set({ ended: true }).where('id', 'in', ids).execute();
    await append([{ type: 'note', body: noteBody(estate, resumeNote(held, ids, by)) }]);
    return ended;
  });

const active = (db: Database, estate: string) =>
  db
    .selectFrom('pauses')
    .selectAll()
    .where('estate', '=', estate)
    .where('ended', '=', false)
    .where('until', '>', storeNow)
    .orderBy('id');

const columnsOf = (estate: string, { what, of, incident }: Held) => ({
  estate,
  what,
  held_by: of.by,
  subject: of.by === 'estate' ? '' : of.name,
  incident: incident ?? null,
});

function pauseOf(row: Selectable<Tables['pauses']>): Pause {
  const { id, what, held_by, subject, reason, person, at, until, incident, lets_narrow } = row;
  const of: PauseSubject = held_by === 'estate' ? { by: held_by } : { by: held_by, name: subject };
  return {
    ...{ id, what, of, reason: String(reason), person, at, until },
    ...(incident === null ? {} : { incident }),
    ...(lets_narrow ? { letsNarrow: true } : {}),
  };
}
