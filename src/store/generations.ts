import { sql } from 'kysely';
import type { Guards } from '../core/guards.ts';
import type { Applied } from '../core/knowledge.ts';
import { canonical } from '../core/ledger/canonical.ts';
import { baseRevision } from '../core/patch.ts';
import { type Address, documentOfReplica } from '../core/resource.ts';
import type { EventDraft } from '../ports/events.ts';
import { type AcceptTerms, type Generation, type Generations, Overtaken } from '../ports/knowledge.ts';
import { Pinned } from '../ports/sources.ts';
import type { Context } from './context.ts';
import { publishEvents } from './events.ts';
import { chainWrite } from './ledger-chain.ts';
import { decideLifetimes } from './lifetimes.ts';
import { spentBy } from './limit-places.ts';
import { decide } from './patches.ts';
import { pinOf } from './sources.ts';
import { inChunks } from './statements.ts';
import type { Database, Write } from './tables.ts';

export const postgresGenerations = (context: Context): Generations => ({
  current: (estate) => newest(context.db, estate),
  previous: (estate) => previous(context.db, estate),
  numbered: (estate, number) => numbered(context.db, estate, number),
  at: (estate, time) => acceptedBy(context.db, estate, time),
  ofCommit: (estate, commit) => ofCommit(context.db, estate, commit),
  accept: (estate, revision, guards, terms = {}) => accept(context, { estate, revision, guards, ...terms }),
  spent: (estate, generation) => spentBy(context.db, { estate, generation, now: context.clock.now() }),
});

async function newest(db: Database, estate: string): Promise<Generation | undefined> {
  const row = await newestFirst(db, estate).executeTakeFirst();
  return row && generationOf(row);
}

/** The same specs with other patches are no other specs: the index finds the few rows of them first. */
async function previous(db: Database, estate: string): Promise<Generation | undefined> {
  const current = await newest(db, estate);
  if (current === undefined) return undefined;
  const row = await newestFirst(db, estate)
    .where(sql<string>`split_part(revision, '~', 1)`, '<>', baseRevision(current.revision))
    .executeTakeFirst();
  return row && generationOf(row);
}

const newestFirst = (db: Database, estate: string) =>
  db
    .selectFrom('generations')
    .select(['number', 'revision', 'guards'])
    .where('estate', '=', estate)
    .orderBy('number', 'desc')
    .limit(1);

async function numbered(db: Database, estate: string, number: number): Promise<Generation | undefined> {
  const row = await db
    .selectFrom('generations')
    .select(['number', 'revision', 'guards'])
    .where('estate', '=', estate)
    .where('number', '=', number)
    .executeTakeFirst();
  return row && generationOf(row);
}

async function acceptedBy(db: Database, estate: string, time: number): Promise<Generation | undefined> {
  const row = await db
    .selectFrom('generations')
    .select(['number', 'revision', 'guards'])
    .where('estate', '=', estate)
    .where(sql<boolean>`accepted_at <= to_timestamp(${time}::double precision / 1000)`)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && generationOf(row);
}

async function ofCommit(db: Database, estate: string, commit: string): Promise<Generation | undefined> {
  const row = await db
    .selectFrom('generations')
    .select(['number', 'revision', 'guards'])
    .where('estate', '=', estate)
    .where(({ fn, eb, or }) =>
      or([
        eb(fn<boolean>('starts_with', ['revision', eb.val(`git:${commit}`)]), '=', true),
        eb(fn<number>('strpos', ['revision', eb.val(`=${commit}`)]), '>', 0),
      ]),
    )
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && generationOf(row);
}

const generationOf = (row: { readonly number: number; readonly revision: string; readonly guards: unknown }) => ({
  ...row,
  guards: row.guards as Guards, // why: only `accept` writes the column
});

interface Accepting extends AcceptTerms {
  readonly estate: string;
  readonly revision: string;
  readonly guards: Guards;
}

/** Under the estate's lock, so that two processes never give one number to two revisions, and none passes a pin. */
const accept = (
  context: Context,
  { estate, revision, guards, after, patches, lifetimes }: Accepting,
): Promise<Generation> =>
  chainWrite(context, estate, async (write) => {
    const { trx, at } = write;
    const current = await newest(trx, estate);
    if (current?.revision === revision) return current;
    const pin = await pinOf(trx, estate);
    if (pin !== undefined && pin.revision !== baseRevision(revision)) throw new Pinned(pin);
    const newestNumber = current?.number ?? 0;
    if (after !== undefined && after !== newestNumber) throw new Overtaken(estate, after, newestNumber);
    const number = newestNumber + 1;
    if (current !== undefined) await keepLifted(trx, estate, liftedBy(current.guards, guards));
    await trx
      .insertInto('generations')
      .values({ estate, number, revision, guards: canonical(guards) })
      .execute();
    await decide(write, patches ?? { holding: [], ends: [] }, { number, revision });
    await decideLifetimes(write, lifetimes, { number, revision });
    await publishEvents(trx, at, [acceptedOf(estate, number, revision)]);
    return { number, revision, guards };
  });

/** The documents that a generation protected, and the next one does not. */
export function liftedBy(before: Guards, now: Guards): readonly Address[] {
  const still = new Set(now.protected);
  return before.protected.filter((address) => !still.has(address));
}

/**
 * Notes the objects of documents whose protection is lifted. Most are noted already, by their claims; not those that the protecting
 * generation was never applied to.
 */
async function keepLifted(trx: Write, estate: string, lifted: readonly Address[]): Promise<void> {
  if (lifted.length === 0) return;
  const protectedOnce = new Set(lifted);
  const claims = await trx
    .selectFrom('claims')
    .leftJoin('applied', (join) =>
      join
        .onRef('applied.estate', '=', 'claims.estate')
        .onRef('applied.scope', '=', 'claims.scope')
        .onRef('applied.address', '=', 'claims.address'),
    )
    .select(['claims.scope', 'claims.id', 'claims.address', sql<unknown>`applied.body -> 'documents'`.as('documents')])
    .where('claims.estate', '=', estate)
    .where('claims.ended_at', 'is', null)
    .execute();
  const rows = claims.flatMap(({ scope, id, address, documents: applied }) => {
    // why: only settlements write the column
    const documents = (applied ?? []) as NonNullable<Applied['documents']>;
    return isOfAny(protectedOnce, { address, documents }) ? [{ scope, id }] : [];
  });
  await inChunks(rows, (chunk) =>
    trx
      .insertInto('once_protected')
      .values(chunk)
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
}

/** True where a resource belongs to one of these documents, by its address or by its last applied documents. */
export const isOfAny = (
  documents: ReadonlySet<Address>,
  { address, documents: own = [] }: { readonly address: Address; readonly documents?: readonly Address[] | undefined },
): boolean => [address, documentOfReplica(address), ...own].some((one) => documents.has(one));

/** The event of an accepted generation. */
export const acceptedOf = (estate: string, number: number, revision: string): EventDraft => ({
  estate,
  type: 'generation',
  about: { number, revision },
});
