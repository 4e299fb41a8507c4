import { sql } from 'kysely';
import { type KeptLifetime, type LifetimeDecision, lifetimesAfter } from '../core/ttl.ts';
import type { Lifetimes } from '../ports/fleet-state.ts';
import { Overtaken } from '../ports/knowledge.ts';
import type { Context } from './context.ts';
import type { ChainWrite } from './ledger-chain.ts';
import { endDocumentNote, noteBody } from './ledger-entries.ts';
import { inChunks } from './statements.ts';
import type { Database, Tables } from './tables.ts';

export const postgresLifetimes = ({ db, storeNow }: Context): Lifetimes => ({
  list: async (estate) => {
    const rows = await db
      .selectFrom('lifetimes')
      .select([
        'document',
        'ttl_ms',
        'since',
        'generation',
        'ended_at',
        sql<boolean>`since + ttl_ms <= ${storeNow()}`.as('over'),
      ])
      .where('estate', '=', estate)
      .orderBy(sql`since + ttl_ms`)
      .orderBy('document')
      .execute();
    return rows.map((row) => {
      const kept = keptOf(row);
      return { ...kept, until: kept.since + kept.ttlMs, isOver: row.over };
    });
  },
  due: async () => {
    const rows = await db
      .selectFrom('lifetimes')
      .select('estate')
      .distinct()
      .where('ended_at', 'is', null)
      .where(sql<boolean>`since + ttl_ms <= ${storeNow()}`)
      .orderBy('estate')
      .execute();
    return rows.map(({ estate }) => estate);
  },
});

/**
 * Begins and ends the lifetimes of a generation that is being accepted. Throws where others are over than those that its specs were made
 * with: no generation returns a document that has ended. `decision` absent: no lifetimes were considered.
 */
export async function decideLifetimes(
  { trx, estate, at, append }: ChainWrite,
  decision: LifetimeDecision | undefined,
  generation: { readonly number: number; readonly revision: string },
): Promise<void> {
  const before = await keptIn(trx, estate);
  const unasked = before.length === 0 ? [] : undefined;
  const after = decision === undefined ? unasked : lifetimesAfter(before, decision, { number: generation.number, at });
  if (after === undefined) throw new Overtaken(estate, generation.number - 1, generation.number, 'lifetime');
  if (before.length + after.length === 0) return;
  await trx.deleteFrom('lifetimes').where('estate', '=', estate).execute();
  await inChunks(after, (chunk) =>
    trx
      .insertInto('lifetimes')
      .values(
        chunk.map(({ document, ttlMs, since, generation: first, endedAt }) => ({
          ...{ estate, document, ttl_ms: ttlMs, since, generation: first, ended_at: endedAt ?? null },
        })),
      )
      .execute(),
  );
  const endedBefore = new Map(before.map(({ document, endedAt }) => [document, endedAt]));
  const ending = after.filter(
    ({ document, endedAt }) => endedAt !== undefined && endedBefore.get(document) !== endedAt,
  );
  if (ending.length > 0)
    await append(ending.map((one) => ({ type: 'note', body: noteBody(estate, endDocumentNote(one, generation)) })));
}

async function keptIn(db: Database, estate: string): Promise<readonly KeptLifetime[]> {
  const rows = await db
    .selectFrom('lifetimes')
    .select(['document', 'ttl_ms', 'since', 'generation', 'ended_at'])
    .where('estate', '=', estate)
    .execute();
  return rows.map(keptOf);
}

const keptOf = ({
  document,
  ttl_ms,
  since,
  generation,
  ended_at,
}: Omit<Tables['lifetimes'], 'estate'>): KeptLifetime => ({
  ...{ document, ttlMs: ttl_ms, since, generation },
  ...(ended_at === null ? {} : { endedAt: ended_at }),
});
