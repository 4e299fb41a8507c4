import { type Selectable, sql } from 'kysely';
import type { EndedPatch, Patch, PatchEnd } from '../core/patch.ts';
import type { PatchDecision, Patches } from '../ports/fleet-state.ts';
import { Overtaken } from '../ports/knowledge.ts';
import type { Context } from './context.ts';
import type { ChainWrite } from './ledger-chain.ts';
import { endPatchNote, noteBody, patchNote } from './ledger-entries.ts';
import { storableJson } from './statements.ts';
import type { Database, Tables } from './tables.ts';

export const postgresPatches = ({ db, storeNow }: Context): Patches => ({
  active: (estate) => active(db, estate, storeNow()),
  ended: (estate, most) => ended(db, estate, most),
  next: async (estate) => (await newestId(db, estate)) + 1,
  due: async () => {
    const rows = await db
      .selectFrom('patches')
      .select('estate')
      .distinct()
      .where('ended_at', 'is', null)
      .where('until', '<=', storeNow())
      .orderBy('estate')
      .execute();
    return rows.map(({ estate }) => estate);
  },
});

async function active(db: Database, estate: string, now: ReturnType<Context['storeNow']>): Promise<readonly Patch[]> {
  const rows = await db
    .selectFrom('patches')
    .selectAll()
    .select(sql<boolean>`until <= ${now}`.as('over'))
    .where('estate', '=', estate)
    .where('ended_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...draftOf(row), isOver: row.over }));
}

async function ended(db: Database, estate: string, most: number): Promise<readonly EndedPatch[]> {
  const rows = await db
    .selectFrom('patches')
    .selectAll()
    .where('estate', '=', estate)
    .where('ended_at', 'is not', null)
    .orderBy('ended_at', 'desc')
    .orderBy('id', 'desc')
    .limit(most)
    .execute();
  return rows.map((row) => ({
    ...draftOf(row),
    // why: only `decide` writes the column
    end: { ...(row.ended as Omit<PatchEnd, 'id'>), at: row.ended_at ?? 0 },
  }));
}

async function newestId(db: Database, estate: string): Promise<number> {
  const row = await db
    .selectFrom('patches')
    .select(({ fn }) => fn.max('id').as('id'))
    .where('estate', '=', estate)
    .executeTakeFirst();
  return row?.id ?? 0;
}

const draftOf = ({ id, at, until, body }: Selectable<Tables['patches']>): Omit<Patch, 'isOver'> => ({
  // why: only `decide` writes the column
  ...(body as Omit<Patch, 'id' | 'at' | 'until' | 'isOver'>),
  ...{ id, at, until },
});

/**
 * Begins and ends the patches of a generation that is being accepted. Throws where others hold than those that its specs were made with:
 * no generation drops a patch that nobody ended.
 */
export async function decide(
  { trx, estate, at, append }: ChainWrite,
  { holding, begins, ends }: PatchDecision,
  generation: { readonly number: number; readonly revision: string },
): Promise<void> {
  const rows = await trx
    .selectFrom('patches')
    .selectAll()
    .where('estate', '=', estate)
    .where('ended_at', 'is', null)
    .execute();
  const known = new Map(rows.map((row) => [row.id, row]));
  const after = [...known.keys()].filter((id) => !ends.some((end) => end.id === id));
  const wanted = holding.filter((id) => id !== begins?.id);
  const isSame = after.length === wanted.length && wanted.every((id) => after.includes(id));
  if (!isSame || ends.some(({ id }) => !known.has(id)))
    throw new Overtaken(estate, generation.number - 1, generation.number, 'patch');
  for (const { id, ...end } of ends) {
    await trx
      .updateTable('patches')
      .set({ ended_at: at, ended: storableJson(JSON.stringify(end)) })
      .where('estate', '=', estate)
      .where('id', '=', id)
      .execute();
    const row = known.get(id);
    if (row) await append([note(estate, endPatchNote(draftOf(row), end, generation))]);
  }
  if (begins === undefined) return;
  const { id, until, at: _, isOver: __, ...body } = begins;
  await trx
    .insertInto('patches')
    .values({ estate, id, at: begins.at, until, body: storableJson(JSON.stringify(body)) })
    .execute();
  await append([note(estate, patchNote(begins, generation))]);
}

const note = (estate: string, body: Readonly<Record<string, unknown>>) => ({
  type: 'note' as const,
  body: noteBody(estate, body),
});
