import type { Applied, Knowledge, PendingIntent, Settled } from '../core/knowledge.ts';
import type { Kind, ScopeKey } from '../core/resource.ts';
import { actionOf } from './action-key.ts';
import type { Context } from './context.ts';
import { mostNeverShown } from './never-shown.ts';
import { newestTouches } from './newest-touches.ts';
import type { Database, Write } from './tables.ts';

/** All as of one moment. One query for each map; 10,000 claims take about 50 ms. */
export const knowledge = ({ db, store }: Context, estate: string, scope: ScopeKey): Promise<Knowledge> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      const of: Scoped = { trx, estate, scope };
      return {
        estate,
        store,
        settled: await settled(of),
        pending: await pending(of),
        applied: await applied(of),
        unstuck: await unstuck(of),
        neverShown: await neverShown(of),
        ...(await heard(of)),
      };
    });

interface Scoped {
  readonly trx: Write | Database;
  readonly estate: string;
  readonly scope: ScopeKey;
}

async function settled({ trx, estate, scope }: Scoped): Promise<Knowledge['settled']> {
  const rows = await trx
    .selectFrom('claims')
    .select(['id', 'kind', 'address', 'last_write_at', 'terms'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .execute();
  return new Map(
    rows.map(({ id, kind, address, last_write_at, terms }) => [
      id,
      {
        address,
        kind: kind as Kind, // why: only settlements write the column
        lastWriteAt: last_write_at,
        terms: terms as Settled['terms'], // why: only settlements write the column
      },
    ]),
  );
}

async function pending({ trx, estate, scope }: Scoped): Promise<readonly PendingIntent[]> {
  const rows = await trx
    .selectFrom('intents')
    .select(['intent', 'attempt', 'at', 'verb', 'kind', 'address', 'id', 'details'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('open', '=', true)
    .orderBy('at')
    .orderBy('address')
    .execute();
  return rows.map(({ intent, attempt, at, details, ...row }) => {
    const { verb, kind, address, id } = actionOf(row);
    const said = details as PendingIntent['draft']['details']; // why: only `intend` writes the column
    return { intent, attempt, at, verb, address, draft: { kind, ...(id === '' ? {} : { id }), details: said } };
  });
}

async function applied({ trx, estate, scope }: Scoped): Promise<Knowledge['applied']> {
  const rows = await trx
    .selectFrom('applied')
    .select(['address', 'generation', 'body'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('body', 'is not', null)
    .execute();
  return new Map(
    rows.map(({ address, generation, body }) => [
      address,
      { ...(body as Omit<Applied, 'generation'>), generation }, // why: only settlements write the column
    ]),
  );
}

async function unstuck({ trx, estate, scope }: Scoped): Promise<Knowledge['unstuck']> {
  const rows = await trx
    .selectFrom('unstuck')
    .select(['address', 'times'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .execute();
  return new Map(rows.map(({ address, times }) => [address, times]));
}

async function neverShown({ trx, estate, scope }: Scoped): Promise<ReadonlySet<string>> {
  const rows = await trx
    .selectFrom('intents')
    .select('intent')
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('never_shown', '=', true)
    .orderBy('at', 'desc')
    .limit(mostNeverShown)
    .execute();
  return new Set(rows.map(({ intent }) => intent));
}

async function heard({ trx, estate, scope }: Scoped): Promise<Pick<Knowledge, 'touches'>> {
  const touches = await newestTouches(trx, { estate, scope });
  return touches.size === 0 ? {} : { touches };
}
