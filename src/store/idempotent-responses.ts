import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Begun, IdempotentResponses, KeptResponse, NamedRequest } from '../ports/store.ts';
import type { Context } from './context.ts';
import { pruneOld } from './retention.ts';
import type { Database } from './tables.ts';

const keptMs = 86_400_000;

export function postgresIdempotentResponses({ db, clock, storeNow }: Context): IdempotentResponses {
  const prune = pruneOld(db, clock, 'replies');
  const ours = (name: string, attempt: string) => ({ name, attempt, done: false });
  return {
    begin: async (asked, forMs) => {
      const begun = await begin({ db, now: storeNow() }, asked, forMs);
      await prune();
      return begun;
    },
    end: async (name, attempt, response) => {
      const row = { done: true, reply: response === undefined ? null : JSON.stringify(response) };
      await db
        .updateTable('replies')
        .set(row)
        .where((row) => row.and(ours(name, attempt)))
        .execute();
    },
    drop: async (name, attempt) => {
      await db
        .deleteFrom('replies')
        .where((row) => row.and(ours(name, attempt)))
        .execute();
    },
  };
}

interface At {
  readonly db: Database;
  /** The store's time, ms since the epoch. */
  readonly now: RawBuilder<number>;
}

/** The insert decides who is first; whoever is not reads what the first one wrote, and begins anew where it is gone by then. */
async function begin({ db, now }: At, { name, digest }: NamedRequest, forMs: number): Promise<Begun> {
  const attempt = randomUUID();
  const taken = await db
    .insertInto('replies')
    .values({ name, digest, attempt, at: now })
    .onConflict((held) =>
      held
        .column('name')
        .doUpdateSet({ digest, attempt, at: now, done: false, reply: null })
        .where(({ or, eb }) =>
          or([
            eb('replies.at', '<', sql<number>`${now} - ${keptMs}::bigint`),
            eb.and([eb('replies.done', '=', false), eb('replies.at', '<', sql<number>`${now} - ${forMs}::bigint`)]),
          ]),
        ),
    )
    .executeTakeFirst();
  if (Number(taken.numInsertedOrUpdatedRows ?? 0) > 0) return { as: 'first', attempt };
  const held = await db.selectFrom('replies').selectAll().where('name', '=', name).executeTakeFirst();
  if (held === undefined) return begin({ db, now }, { name, digest }, forMs);
  if (held.digest !== digest) return { as: 'other' };
  if (!held.done) return { as: 'running' };
  // why: only `end` above writes it
  return { as: 'done', response: (held.reply ?? undefined) as KeptResponse | undefined };
}
