import type { AuthorNames, Authors, GenerationAuthors, Move } from '../ports/sources.ts';
import type { Context } from './context.ts';
import { inChunks } from './statements.ts';
import type { Database } from './tables.ts';

export const postgresAuthors = ({ db }: Context): Authors => ({
  record: (move, authors) => record(db, move, authors),
  since: (estate, generation, most) => since(db, { estate, generation, most }),
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

interface Asked {
  readonly estate: string;
  readonly generation: number;
  readonly most: number;
}

async function since(db: Database, { estate, generation, most }: Asked): Promise<readonly GenerationAuthors[]> {
  const generations = await db
    .selectFrom('generations')
    .select(['number', 'revision'])
    .where('estate', '=', estate)
    .where('number', '>', generation)
    .orderBy('number')
    .limit(most)
    .execute();
  const found: GenerationAuthors[] = [];
  for (const { number, revision } of generations) {
    const rows = await db
      .selectFrom('authors')
      .select(['what', 'name'])
      .where('estate', '=', estate)
      .where('revision', '=', revision)
      .where('after', '=', number - 1)
      .orderBy('name')
      .execute();
    found.push({ generation: number, ...authorsOf(rows) });
  }
  return found;
}

function authorsOf(rows: readonly { readonly what: string; readonly name: string }[]): {
  readonly authors?: AuthorNames;
} {
  if (!rows.some(({ what }) => what === 'told')) return {};
  const names = rows.flatMap(({ what, name }) => (what === 'name' ? [name] : []));
  return { authors: { names, more: rows.some(({ what }) => what === 'more') } };
}
