import { type RawBuilder, sql } from 'kysely';
import { canonical } from '../core/ledger/canonical.ts';
import { peopleOf } from '../core/ledger/entry.ts';
import type { EntryMatch, EntryPage, EntryPages, EntryQuery } from '../ports/entry-pages.ts';
import type { LedgerEntry } from '../ports/ledger.ts';
import type { Context } from './context.ts';
import { inTime } from './health.ts';
import { entryOf, type LedgerRow } from './postgres-ledger.ts';
import { storableText } from './statements.ts';
import type { Database } from './tables.ts';

/** So many entries are looked at for one page: bodies are texts, and nothing is indexed in them. */
const mostLooked = 20_000;
const chunk = 1_000;

export const postgresEntryPages = ({ reading: db }: Pick<Context, 'reading'>): EntryPages => ({
  page: (query) => inTime(entryPage(db, query)),
  count: async (estate, address) => {
    let counting = db
      .selectFrom('ledger')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('estate', '=', estate);
    if (address !== undefined) counting = counting.where('address', '=', storableText(address));
    return (await inTime(counting.executeTakeFirstOrThrow())).count;
  },
});

async function entryPage(db: Database, query: EntryQuery): Promise<EntryPage> {
  const entries: LedgerEntry[] = [];
  let next = query.after;
  for await (const row of looked(db, query)) {
    if (row === 'more' || entries.length === query.limit) return { entries, ...(next === undefined ? {} : { next }) };
    next = row.seq;
    const entry = row.may ? entryOf(row) : undefined;
    if (entry !== undefined && matches(entry, query.filter)) entries.push(entry);
  }
  return { entries };
}

/** `more`: enough was looked at, and there may be others. */
async function* looked(db: Database, query: EntryQuery): AsyncGenerator<Found | 'more'> {
  let { after } = query;
  for (let count = 0; count < mostLooked; count += chunk) {
    const rows = await read(db, query, after);
    yield* rows;
    if (rows.length < chunk) return;
    after = rows.at(-1)?.seq;
  }
  yield 'more';
}

/** `may`: the text holds what is asked for, perhaps elsewhere in it; what does not is not read out of the database. */
type Found = LedgerRow & { readonly may: boolean };

async function read(db: Database, { estate, filter, newestFirst }: EntryQuery, after: number | undefined) {
  const { address, types, since, until } = filter;
  const where = [
    sql`estate = ${estate}`,
    ...(address === undefined ? [] : [sql`address = ${storableText(address)}`]),
    ...(types === undefined ? [] : [sql`type = ANY(${[...types]}::text[])`]),
    ...(since === undefined ? [] : [sql`at >= ${since}`]),
    ...(until === undefined ? [] : [sql`at < ${until}`]),
    ...(after === undefined ? [] : [sql`seq ${sql.raw(newestFirst ? '<' : '>')} ${after}`]),
    ...(newestFirst ? [] : [sql`seq <= ${settledUpTo(estate)}`]),
  ];
  const { rows } = await sql<Found>`
    SELECT estate, chain, number, seq, at, type, address, previous, hash, may, CASE WHEN may THEN body ELSE '' END AS body
    FROM (
      SELECT *, ${mayMatch(filter)} AS may FROM setpoint.ledger WHERE ${sql.join(where, sql` AND `)}
      ORDER BY seq ${sql.raw(newestFirst ? 'DESC' : 'ASC')} LIMIT ${chunk}
    ) AS entry
    ORDER BY seq ${sql.raw(newestFirst ? 'DESC' : 'ASC')}`.execute(db);
  return rows;
}

/**
 * Scopes write side by side: below this number no entry can come to be seen any more, so who reads on from there misses none. Every
 * transaction that had drawn a lower one has ended.
 */
const settledUpTo = (estate: string) => sql<number>`coalesce((
  SELECT seq FROM setpoint.ledger
  WHERE estate = ${estate} AND (after IS NULL OR after <= pg_snapshot_xmin(pg_current_snapshot()))
  ORDER BY seq DESC LIMIT 1
), 0)`;

/** Bodies are canonical text: a value stands in them in one form only. */
function mayMatch({ verb, person, reconcileId }: EntryMatch): RawBuilder<boolean> {
  const needles = [
    ...(verb === undefined ? [] : [`"verb":${canonical(verb)}`]),
    ...(reconcileId === undefined ? [] : [`"reconcileId":${canonical(reconcileId)}`]),
    ...(person === undefined ? [] : [canonical(person).slice(1, -1)]),
  ];
  if (needles.length === 0) return sql<boolean>`true`;
  return sql<boolean>`${sql.join(
    needles.map((needle) => sql`strpos(body, ${needle}) > 0`),
    sql` AND `,
  )}`;
}

/** Also what tests have in place of this store. */
export const matches = (entry: LedgerEntry, { verb, person, reconcileId }: EntryMatch): boolean =>
  (verb === undefined || entry.body['verb'] === verb) &&
  (reconcileId === undefined || entry.body['reconcileId'] === reconcileId) &&
  (person === undefined || peopleOf(entry).includes(person));
