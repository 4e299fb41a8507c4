import { sql } from 'kysely';
import { calmMs, fightKey, isFight, type KeptHealing, ruleField } from '../core/fights.ts';
import type { EventDraft } from '../ports/events.ts';
import type { FightCount, Fights, HealingDraft, ListedHealing } from '../ports/fleet-state.ts';
import type { Where } from '../ports/queue.ts';
import type { Context } from './context.ts';
import { publishEvents } from './events.ts';
import { inChunks, storeTime } from './statements.ts';
import type { Database, Write } from './tables.ts';

export const postgresFights = ({ db, storeNow }: Pick<Context, 'db' | 'storeNow'>): Fights => ({
  keep: (where, healings) =>
    db.transaction().execute(async (trx) => keep(trx, where, { healings, now: await storeTime(trx, storeNow()) })),
  list: async (where) => list(db, where, await storeTime(db, storeNow())),
  counts: async () => counts(db, await storeTime(db, storeNow())),
});

interface Keeping {
  readonly healings: readonly HealingDraft[];
  readonly now: number;
}

async function keep(trx: Write, { estate, scope }: Where, { healings, now }: Keeping): Promise<void> {
  await trx
    .deleteFrom('fights')
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('at', '<=', now - calmMs)
    .execute();
  const rows = healings.map(({ address, field, times, from, to, writer, waitMs, closes, targets, owner }) => ({
    ...{ estate, scope, address, field, times, closes, owner, targets: [...targets], since: now, at: now },
    body: JSON.stringify({ from, to, writer }),
    until: now + waitMs,
  }));
  await inChunks(rows, (chunk) =>
    trx
      .insertInto('fights')
      .values(chunk)
      .onConflict((conflict) =>
        conflict.columns(['estate', 'scope', 'address', 'field']).doUpdateSet(({ ref }) => ({
          times: ref('excluded.times'),
          body: ref('excluded.body'),
          closes: ref('excluded.closes'),
          targets: ref('excluded.targets'),
          owner: ref('excluded.owner'),
          since: sql<number>`CASE WHEN excluded.times > 1 THEN fights.since ELSE excluded.since END`,
          at: ref('excluded.at'),
          until: ref('excluded.until'),
        })),
      )
      .execute(),
  );
  await publishEvents(
    trx,
    now,
    healings.flatMap((one) => (one.isTold ? [fightEvent({ estate, scope }, one)] : [])),
  );
}

/** `severity`: a door that somebody opens again and again is worse than a label. */
export const fightEvent = ({ estate, scope }: Where, healing: HealingDraft): EventDraft => {
  const { address, field, times, writer, from, to, closes, targets, owner } = healing;
  return {
    ...{ estate, type: 'fight', targets, owner },
    about: {
      ...{ scope, address, field, times, severity: closes ? 'critical' : 'warning', from, to },
      ...(writer === undefined ? {} : { writer }),
    },
  };
};

/** As the store keeps it in JSON. */
type Body = Pick<KeptHealing, 'from' | 'to' | 'writer'>;

interface Listed {
  readonly estate: string;
  readonly scope?: string;
  /** Without fields that were healed once: they are in no fight, and there may be as many as resources. */
  readonly forPlans?: boolean;
}

async function list(
  db: Database | Write,
  { estate, scope, forPlans = false }: Listed,
  now: number,
): Promise<readonly ListedHealing[]> {
  let query = db
    .selectFrom('fights')
    .select(['scope', 'address', 'field', 'times', 'body', 'closes', 'since', 'at', 'until'])
    .where('estate', '=', estate)
    .where('at', '>', now - calmMs)
    .orderBy(sql`scope COLLATE "C", address COLLATE "C", field COLLATE "C"`);
  if (scope !== undefined) query = query.where('scope', '=', scope);
  if (forPlans) query = query.where(({ eb, or }) => or([eb('times', '>', 1), eb('field', '=', ruleField)]));
  const rows = await query.execute();
  return rows.map(({ body, ...row }) => ({
    ...(body as Body), // why: only `keep` writes the column
    ...row,
    waits: row.until > now,
  }));
}

/** For plans of one scope: by `fightKey`. */
export async function healedLately(
  db: Database | Write,
  where: Where,
  now: number,
): Promise<ReadonlyMap<string, KeptHealing>> {
  const listed = await list(db, { ...where, forPlans: true }, now);
  return new Map(listed.map(({ scope: _, closes: __, ...one }) => [fightKey(one), one]));
}

async function counts(db: Database, now: number): Promise<readonly FightCount[]> {
  const rows = await db
    .selectFrom('fights')
    .select(['scope', 'closes', 'times'])
    .where('at', '>', now - calmMs)
    .where('times', '>', 1)
    .execute();
  const groups = Map.groupBy(rows.filter(isFight), ({ scope, closes }) => `${scope.split('/')[0]} ${closes}`);
  return [...groups.values()].flatMap((alike) =>
    alike.slice(0, 1).map(({ scope, closes }) => ({ cloud: scope.split('/')[0] ?? '', closes, count: alike.length })),
  );
}
