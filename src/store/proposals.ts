import type { Proposal, ProposalHead, ProposalQuery, Proposals } from '../ports/queries.ts';
import type { Context } from './context.ts';
import { storableText, storeNow } from './statements.ts';
import type { Database } from './tables.ts';

export const postgresProposals = ({ db }: Context): Proposals => ({
  keep: (proposal, most) => keep(db, proposal, most),
  read: (id) => read(db, id),
  list: (query) => list(db, query),
});

async function keep(db: Database, { head, ...body }: Proposal, most: number): Promise<void> {
  const { id, estate, by, times } = head;
  const row = { id, estate, caller: by.caller, until: times.until };
  await db
    .insertInto('proposals')
    .values({ ...row, head: JSON.stringify(head), body: JSON.stringify(body) })
    .execute();
  const newest = db
    .selectFrom('proposals')
    .select('number')
    .where('estate', '=', estate)
    .orderBy('number', 'desc')
    .limit(most);
  await db
    .deleteFrom('proposals')
    .where(({ or, and, eb }) =>
      or([eb('until', '<=', storeNow), and([eb('estate', '=', estate), eb('number', 'not in', newest)])]),
    )
    .execute();
}

async function read(db: Database, id: string): Promise<Proposal | undefined> {
  const row = await db
    .selectFrom('proposals')
    .select(['head', 'body'])
    .where('id', '=', storableText(id))
    .where('until', '>', storeNow)
    .executeTakeFirst();
  // why: only `keep` writes the columns
  return row && ({ ...(row.body as Omit<Proposal, 'head'>), head: row.head as ProposalHead } satisfies Proposal);
}

async function list(db: Database, { estate, by, after, limit }: ProposalQuery): Promise<readonly ProposalHead[]> {
  const rows = await db
    .selectFrom('proposals')
    .select('head')
    .where('estate', '=', estate)
    .where('until', '>', storeNow)
    .$if(by !== undefined, (query) => query.where('caller', '=', by ?? ''))
    .$if(after !== undefined, (query) =>
      query.where('number', '<', (one) =>
        one
          .selectFrom('proposals')
          .select('number')
          .where('id', '=', storableText(after ?? '')),
      ),
    )
    .orderBy('number', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ head }) => head as ProposalHead); // why: only `keep` writes the column
}
