import type { Selectable } from 'kysely';
import type { Ledger, LedgerEntry, LedgerFilter } from '../ports/ledger.ts';
import { chainWrite } from './chain-write.ts';
import type { Context } from './context.ts';
import { noteBody } from './entry-body.ts';
import { guardEpochOf, onTheWay } from './guard-epochs.ts';
import { intend } from './intend.ts';
import { pruneOld } from './retention.ts';
import { settle } from './settle.ts';
import type { Database, Tables } from './tables.ts';

export function postgresLedger(context: Context): Ledger {
  const pruneCalls = pruneOld(context.db, context.clock, 'own_calls');
  return {
    intend: (pass, drafts) => intend(context, pass, drafts),
    settle: async (pass, settlements) => {
      await settle(context, pass, settlements);
      await pruneCalls();
    },
    note: (estate, note) =>
      chainWrite(context, estate, (write) => write.append([{ type: 'note', body: noteBody(estate, note) }])),
    guardEpoch: (estate) => guardEpochOf(context.db, estate),
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
