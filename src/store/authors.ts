import { sql } from 'kysely';
import type { AuthorNames } from '../core/inventory/authors.ts';
import type { Authors, GenerationAuthors, Move } from '../ports/sources.ts';
import type { Context } from './context.ts';
import { inChunks } from './statements.ts';
import type { Database } from './tables.ts';

export const postgresAuthors = ({ db }: Context): Authors => ({
  record: (move, authors) => record(db, move, authors),
  since: async (estate, generation, most) => {
    const generations = await generationsOf(db, estate)
      .where('number', '>', generation)
      .orderBy('number')
      .limit(most)
      .execute();
    return authorsOf(db, estate, generations);
  },
  of: async (estate, numbers) => {
    const generations = await generationsOf(db, estate)
      .where(sql<boolean>`number = ANY(${[...numbers]}::integer[])`)
      .orderBy('number')
      .execute();
    return authorsOf(db, estate, generations);
  },
});

/** Rows are only ever added: the application's role may neither change nor delete one. */
async function record(db: Database, move: Move, { names, more }: AuthorNames): Promise<void> {
  const rows = [
    ...[...new Set(names)].map((name) => ({ ...move, what: 'name' as const, name })),
    ...(more ? [{ ...move, what: 'more' as const, name: '' }] : []),
    { ...move, what: 'told' as const, name: '' },
  ];
  await db.transaction().execute((trx) =>
    inChunks(rows, (chunk) =>
      trx
        .insertInto('authors')
        .values([...chunk])
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    ),
  );
}

const generationsOf = (db: Database, estate: string) =>
  db.selectFrom('generations').select(['number', 'revision']).where('estate', '=', estate);

/** One query for all of them. */
async function authorsOf(
  db: Database,
  estate: string,
  generations: readonly { readonly number: number; readonly revision: string }[],
): Promise<readonly GenerationAuthors[]> {
  const revisions = generations.map(({ revision }) => revision);
  const before = generations.map(({ number }) => number - 1);
  const rows = await db
    .selectFrom('authors')
    .select(['after', 'what', 'name'])
    .where('estate', '=', estate)
    .where(sql<boolean>`(revision, after) IN (SELECT * FROM unnest(${revisions}::text[], ${before}::integer[]))`)
    .orderBy('name')
    .execute();
  const byMove = Map.groupBy(rows, ({ after }) => after);
  return generations.map(({ number }) => ({ generation: number, ...namesIn(byMove.get(number - 1) ?? []) }));
}

function namesIn(rows: readonly { readonly what: string; readonly name: string }[]): {
  readonly authors?: AuthorNames;
} {
  if (!rows.some(({ what }) => what === 'told')) return {};
  const names = rows.flatMap(({ what, name }) => (what === 'name' ? [name] : []));
  return { authors: { names, more: rows.some(({ what }) => what === 'more') } };
}
