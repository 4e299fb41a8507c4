import { canonical } from '../core/ledger/canonical.ts';
import { genesis, type Head, headOf, link } from '../core/ledger/chain.ts';
import type { Content } from '../core/ledger/entry.ts';
import { announce } from './announce.ts';
import type { Context } from './context.ts';
import { inChunks } from './in-chunks.ts';
import { sha256 } from './sha256.ts';
import type { Write } from './tables.ts';
import { wordsOf } from './word.ts';

/** A transaction that holds the estate's chain: nobody else writes to the estate until it ends. */
export interface ChainWrite {
  readonly trx: Write;
  readonly estate: string;
  /** When it began, ms since the epoch: the time of everything in it. */
  readonly at: number;
  /** Writes entries behind all others; returns the last one's number. Costs two statements, however many entries. */
  append(contents: readonly Omit<Content, 'at'>[]): Promise<number>;
}

export async function chainWrite<T>(
  context: Context,
  estate: string,
  work: (write: ChainWrite) => Promise<T>,
): Promise<T> {
  const { db, clock, store } = context;
  const { result, head } = await db.transaction().execute(async (trx) => {
    const first = await lockChain(trx, store, estate);
    const at = clock.now();
    let head = first;
    const append = async (contents: readonly Omit<Content, 'at'>[]): Promise<number> => {
      head = await appendTo(
        trx,
        estate,
        head,
        contents.map((content) => ({ ...content, at })),
      );
      return head.seq;
    };
    const result = await work({ trx, estate, at, append });
    return { result, head: head === first ? undefined : head };
  });
  if (head) await context.onWritten(estate, head);
  return result;
}

export async function lockChain(trx: Write, store: string, estate: string): Promise<Head> {
  const find = () =>
    trx.selectFrom('estates').select(['seq', 'hash']).where('name', '=', estate).forUpdate().executeTakeFirst();
  const found = await find();
  if (found) return found;
  const { seq, hash } = genesis(store, estate, sha256);
  await trx
    .insertInto('estates')
    .values({ name: estate, seq, hash })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await find()) ?? { seq, hash };
}

export async function appendTo(trx: Write, estate: string, from: Head, contents: readonly Content[]): Promise<Head> {
  let head = from;
  const entries = contents.map((content) => {
    const entry = link(head, content, sha256);
    head = headOf(entry);
    return entry;
  });
  const rows = entries.map(({ seq, at, type, body, chain }) => {
    const address = typeof body['address'] === 'string' ? body['address'] : null;
    return { estate, seq, at, type, address, body: canonical(body), ...chain };
  });
  await inChunks(rows, (chunk) => trx.insertInto('ledger').values(chunk).execute());
  await trx.updateTable('estates').set(head).where('name', '=', estate).execute();
  for (const entry of entries) await announce(trx, entry.at, wordsOf(estate, entry));
  return head;
}
