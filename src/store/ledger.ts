import { type RawBuilder, type Selectable, sql } from 'kysely';
import { canonical } from '../core/ledger/canonical.ts';
import { peopleOf } from '../core/ledger/entry.ts';
import type {
  EntryMatch,
  EntryPage,
  EntryPages,
  EntryQuery,
  Ledger,
  LedgerEntry,
  LedgerFilter,
} from '../ports/ledger.ts';
import type { Context } from './context.ts';
import { inTime } from './health.ts';
import { guardEpochOf, intend, onTheWay } from './intents.ts';
import { chainWrite } from './ledger-chain.ts';
import { noteBody } from './ledger-entries.ts';
import { pruneOld } from './retention.ts';
import { settle } from './settle.ts';
import { storableText, storeTime } from './statements.ts';
import type { Database, Tables } from './tables.ts';

export function postgresLedger(context: Context): Ledger {
  const pruneCalls = pruneOld(context.db, context.clock, 'own_calls');
  return {
    intend: (reconcile, drafts) => intend(context, reconcile, drafts),
    settle: async (reconcile, settlements) => {
      await settle(context, reconcile, settlements);
      await pruneCalls();
    },
    note: (estate, note) =>
      chainWrite(context, estate, (write) => write.append([{ type: 'note', body: noteBody(estate, note) }])),
    guardEpoch: (estate) => guardEpochOf(context.db, estate),
    now: () => storeTime(context.db, context.storeNow()),
    onTheWay: (estate) => onTheWay(context.db, estate),
    entries: (filter) => entries(context.db, filter),
  };
}

const pageSize = 1000;

async function* entries(db: Database, filter: LedgerFilter): AsyncGenerator<LedgerEntry> {
  for await (const row of ledgerRows(db, filter)) yield entryOf(row);
}

/** By estate and number. Read page by page: a ledger may be larger than memory. */
export async function* ledgerRows(db: Database, filter: LedgerFilter): AsyncGenerator<LedgerRow> {
  let left = filter.limit ?? Number.POSITIVE_INFINITY;
  let last = { estate: '', seq: 0 };
  while (left > 0) {
    const rows = await page(db, filter, last).limit(Math.min(left, pageSize)).execute();
    yield* rows;
    const end = rows.at(-1);
    if (!end || rows.length < pageSize) return;
    last = end;
    left -= rows.length;
  }
}

export type LedgerRow = Selectable<Tables['ledger']>;

export const entryOf = ({ seq, at, type, body, chain: of, number, previous, hash }: LedgerRow): LedgerEntry => ({
  seq,
  at,
  type,
  body: bodyOf(body),
  chain: of === null || number === null ? { previous, hash } : { of, number, previous, hash },
});

/** We write objects only; of what somebody made unreadable the hash no longer fits, which is how it is found. */
function bodyOf(text: string): LedgerEntry['body'] {
  try {
    return JSON.parse(text);
  } catch {
    return { unreadable: text };
  }
}

function page(
  db: Database,
  { estate, address, after }: LedgerFilter,
  last: { readonly estate: string; readonly seq: number },
) {
  let query = db
    .selectFrom('ledger')
    .selectAll()
    .where(({ eb, refTuple, tuple }) => eb(refTuple('estate', 'seq'), '>', tuple(last.estate, last.seq)))
    .orderBy('estate')
    .orderBy('seq');
  if (estate !== undefined) query = query.where('estate', '=', estate);
  if (address !== undefined) query = query.where('address', '=', address);
  if (after !== undefined) query = query.where('seq', '>', after);
  return query;
}

/** The most entries that are read for one page: bodies are texts, and nothing is indexed in them. */
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

/** `more`: enough was read, and there may be others. */
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
function mayMatch({ verb, kind, person, reconcileId }: EntryMatch): RawBuilder<boolean> {
  const needles = [
    ...(verb === undefined ? [] : [`"verb":${canonical(verb)}`]),
    ...(kind === undefined ? [] : [`"kind":${canonical(kind)}`]),
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
export const matches = (entry: LedgerEntry, { verb, kind, person, reconcileId }: EntryMatch): boolean =>
  (verb === undefined || entry.body['verb'] === verb) &&
  (kind === undefined || entry.body['kind'] === kind) &&
  (reconcileId === undefined || entry.body['reconcileId'] === reconcileId) &&
  (person === undefined || peopleOf(entry).includes(person));
