import { sql } from 'kysely';
import type { SourceDraft, SourceState, SourceStates } from '../ports/sources.ts';
import type { Context } from './context.ts';
import type { Database } from './tables.ts';

export const postgresSourceStates = ({ db, clock }: Context): SourceStates => ({
  tell: (estate, draft) => tell(db, estate, { ...draft, since: clock.now() }),
  list: (estate) => list(db, estate),
});

/** `since`: of a state that is new. */
async function tell(db: Database, estate: string, { source, head, state, why, since }: SourceState): Promise<void> {
  const kept = sql<number>`CASE
    WHEN source_states.state = excluded.state AND source_states.head IS NOT DISTINCT FROM excluded.head
    THEN source_states.since ELSE excluded.since END`;
  await db
    .insertInto('source_states')
    .values({ estate, source, head: head ?? null, state, why: JSON.stringify(why), since })
    .onConflict((conflict) =>
      conflict.columns(['estate', 'source']).doUpdateSet(({ ref }) => ({
        head: ref('excluded.head'),
        state: ref('excluded.state'),
        why: ref('excluded.why'),
        since: kept,
      })),
    )
    .execute();
}

async function list(db: Database, estate: string): Promise<readonly SourceState[]> {
  const rows = await db
    .selectFrom('source_states')
    .select(['source', 'head', 'state', 'why', 'since'])
    .where('estate', '=', estate)
    .orderBy('source')
    .execute();
  return rows.map(({ source, head, state, why, since }): SourceState => {
    const draft: SourceDraft = { source, ...(head === null ? {} : { head }), state, why: String(why) };
    return { ...draft, since };
  });
}
