import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import { canonical } from '../core/ledger/canonical.ts';
import {
  chainGenesis,
  type EstateCheckpoint,
  genesis,
  type Head,
  headOf,
  isEstateCheckpoint,
  link,
  peopleChain,
} from '../core/ledger/chain.ts';
import type { Content, Linked } from '../core/ledger/entry.ts';
import type { EventDraft } from '../ports/events.ts';
import { LeaseLost } from '../ports/leases.ts';
import type { Reconcile } from '../ports/ledger.ts';
import { Declined } from '../ports/queries.ts';
import type { Context } from './context.ts';
import { publishEvents } from './events.ts';
import { isUnavailable, unlessAway } from './health.ts';
import { checkLease, type LeasePurpose } from './leases.ts';
import { sha256 } from './signing.ts';
import { inChunks } from './statements.ts';
import type { Write } from './tables.ts';

/** A transaction that holds one chain of an estate: nobody else writes to that chain until it ends. */
export interface ChainWrite {
  readonly trx: Write;
  readonly estate: string;
  /** The time of everything in it, ms since the epoch: by the database's clock, and never before the chain's newest entry. */
  readonly at: number;
  /** Writes entries behind all others of the chain; returns the last one's `seq`. Costs three statements, however many entries. */
  append(contents: readonly Omit<Content, 'at'>[]): Promise<number>;
}

type Work<T> = (write: ChainWrite) => Promise<T>;

/** Writes the words of people into their chain. */
export const chainWrite = <T>(context: Context, estate: string, work: Work<T>): Promise<T> =>
  inChain(context, { estate, chain: peopleChain, keys: [peopleChain], begin: async () => {} }, work);

interface ScopeWrite {
  readonly reconcile: Reconcile;
  readonly purpose: LeasePurpose;
  /** It may take or return places that all scopes of the estate count against one limit. */
  readonly takesPlaces: boolean;
}

/** Writes intents and settlements into the chain of their scope, as long as the reconcile holds its lease. */
export const scopeWrite = <T>(
  context: Context,
  { reconcile, purpose, takesPlaces }: ScopeWrite,
  work: Work<T>,
): Promise<T> => {
  const { estate, scope } = reconcile;
  const keys = [`${estate} ${scope}`, ...(takesPlaces ? [`${estate} limits`] : [])];
  const begin = async (trx?: Write): Promise<void> => {
    if (trx) await checkLease(trx, reconcile, purpose);
    else if (purpose === 'begin' && (context.leaseLeft(reconcile) ?? 1) <= 0)
      throw new LeaseLost(scope, reconcile.lease.holder);
  };
  return inChain(context, { estate, chain: scope, keys, begin }, work);
};

interface Place {
  readonly estate: string;
  readonly chain: string;
  readonly keys: readonly string[];
  /** Called before a connection is asked for, and again inside the transaction. Throws where nothing may be written. */
  begin(trx?: Write): Promise<void>;
}

/** A transaction whose commit was sent. `entry`: the last one that it wrote. */
interface Done<T> {
  readonly result: T;
  readonly entry: Linked | undefined;
}

/** Retries end after so long. A transaction whose connection is lost stands open for about half of it at most. */
const longestMs = 12_000;
const pauseMs = 100;

/** An error that says nothing against the write itself is no reason to fail it: it is made once, however often it is tried. */
function inChain<T>(context: Context, place: Place, work: Work<T>): Promise<T> {
  return context.queue.run(place.keys, async () => {
    const unanswered: Done<T>[] = [];
    const from = performance.now();
    for (let pause = pauseMs; ; pause *= 2) {
      await place.begin();
      const tried = await attempt(context, place, { work, unanswered });
      if (!('error' in tried)) return notified(context, place, tried);
      if (tried.committing) unanswered.push(tried.committing);
      const isOver = performance.now() - from + pause > longestMs;
      if (isOver || !isWorthAnother(tried.error, unanswered.length > 0)) unlessAway(tried.error);
      await sleep(pause);
    }
  });
}

async function notified<T>(context: Context, { estate }: Place, { result, entry }: Done<T>): Promise<T> {
  if (entry) await context.onWritten(estate, headOf(entry));
  return result;
}

interface Trying<T> {
  readonly work: Work<T>;
  /** Earlier tries whose COMMIT had no answer. */
  readonly unanswered: readonly Done<T>[];
}

/** `committing`: nobody knows whether this was committed. */
interface Failed<T> {
  readonly error: unknown;
  readonly committing: Done<T> | undefined;
}

async function attempt<T>(context: Context, place: Place, trying: Trying<T>): Promise<Done<T> | Failed<T>> {
  let committing: Done<T> | undefined;
  try {
    return await context.writing.transaction().execute(async (trx) => {
      committing = await written(trx, { context, place, trying });
      return committing;
    });
  } catch (error) {
    return { error, committing: isLost(error) ? committing : undefined };
  }
}

interface Writing<T> {
  readonly context: Context;
  readonly place: Place;
  readonly trying: Trying<T>;
}

async function written<T>(trx: Write, { context, place, trying }: Writing<T>): Promise<Done<T>> {
  const { estate } = place;
  const chain = await lockChain(trx, context, place);
  // why: an earlier try held the same lock, so by now it has been committed or never will be
  for (const one of trying.unanswered) if (await isThere(trx, estate, one.entry)) return one;
  await place.begin(trx);
  let last: Linked | undefined;
  const append = async (contents: readonly Omit<Content, 'at'>[]): Promise<number> => {
    const head = last ? headOf(last) : chain.head;
    const content = contents.map((one) => ({ ...one, at: chain.at }));
    last = (await appendTo(trx, estate, { ...chain, head }, content)) ?? last;
    return last?.seq ?? 0;
  };
  const result = await trying.work({ trx, estate, at: chain.at, append });
  return { result, entry: last };
}

async function isThere(trx: Write, estate: string, entry: Linked | undefined): Promise<boolean> {
  if (entry === undefined) return false;
  const { seq, chain } = entry;
  const found = trx.selectFrom('ledger').select('seq').where('estate', '=', estate).where('seq', '=', seq);
  return (await found.where('hash', '=', chain.hash).executeTakeFirst()) !== undefined;
}

/** A chain whose row is locked. `at`: now, or the moment of its newest entry where that is later. */
interface LockedChain {
  readonly head: Head;
  readonly at: number;
  /** The sequence of the estate's numbers. */
  readonly numbers: string;
}

export async function lockChain(
  trx: Write,
  context: Pick<Context, 'store' | 'storeNow' | 'sealed'>,
  { estate, chain }: { readonly estate: string; readonly chain: string },
): Promise<LockedChain> {
  const found = await findChain(trx, { estate, chain, now: context.storeNow() });
  if (found) return found;
  const { seal } = await sealEstate(trx, context, estate);
  const { of, number, hash } = chainGenesis(seal, chain, sha256);
  await trx
    .insertInto('chains')
    .values({ estate, chain: of, number, hash, at: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const made = await findChain(trx, { estate, chain, now: context.storeNow() });
  if (!made) throw new Error(`the chain ${chain} of the estate ${estate} was made and is not there`);
  return made;
}

interface Find {
  readonly estate: string;
  readonly chain: string;
  readonly now: RawBuilder<number>;
}

/** The clock is read once the lock is held. */
async function findChain(trx: Write, { estate, chain, now }: Find): Promise<LockedChain | undefined> {
  const { rows } = await sql<Head & { at: number; numbers: string }>`
    WITH head AS MATERIALIZED (
      SELECT chain.chain AS of, chain.number, chain.hash, chain.at, estate.numbers
      FROM setpoint.chains AS chain JOIN setpoint.estates AS estate ON estate.name = chain.estate
      WHERE chain.estate = ${estate} AND chain.chain = ${chain} FOR UPDATE OF chain
    )
    SELECT of, number, hash, numbers, greatest(at, ${now}) AS at FROM head`.execute(trx);
  const [row] = rows;
  return row && { head: { of: row.of, number: row.number, hash: row.hash }, at: row.at, numbers: row.numbers };
}

/** Ends the estate's chain of the first version, or one that has no entry, in a signed checkpoint. */
async function sealEstate(
  trx: Write,
  { store, storeNow, sealed }: Pick<Context, 'store' | 'storeNow' | 'sealed'>,
  estate: string,
): Promise<{ readonly seal: EstateCheckpoint }> {
  const begun = genesis(store, estate, sha256);
  await trx
    .insertInto('estates')
    .values({ name: estate, ...begun })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await trx
    .selectFrom('estates')
    .select(['seq', 'hash', 'seal', storeNow().as('at')])
    .where('name', '=', estate)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (row.seal !== null) return { seal: readSeal(row.seal) };
  const { seq, hash, at } = row;
  const seal = await sealed({ store, estate, seq, hash, at });
  await trx
    .updateTable('estates')
    .set({ seal: canonical(seal) })
    .where('name', '=', estate)
    .execute();
  await sql`SELECT setpoint.number_entries(${estate})`.execute(trx);
  return { seal };
}

export function readSeal(text: string): EstateCheckpoint {
  const seal: unknown = JSON.parse(text);
  if (!isEstateCheckpoint(seal))
    throw new Error('the seal of an estate in setpoint.estates is none: restore the database');
  return seal;
}

/** Returns the last entry; undefined where there is nothing to write. */
export async function appendTo(
  trx: Write,
  estate: string,
  { head: from, numbers }: Pick<LockedChain, 'head' | 'numbers'>,
  contents: readonly Content[],
): Promise<Linked | undefined> {
  const seqs = await drawn(trx, numbers, contents.length);
  let head = from;
  const entries = contents.map((content, index) => {
    const entry = link(head, seqs[index] ?? 0, content, sha256);
    head = headOf(entry);
    return entry;
  });
  const last = entries.at(-1);
  if (!last) return undefined;
  const rows = entries.map(({ seq, at, type, body, chain: { of = '', number = 0, previous, hash } }) => {
    const address = typeof body['address'] === 'string' ? body['address'] : null;
    return { estate, chain: of, number, seq, at, type, address, body: canonical(body), previous, hash };
  });
  await inChunks(rows, (chunk) => trx.insertInto('ledger').values(chunk).execute());
  await trx
    .updateTable('chains')
    .set({ number: head.number, hash: head.hash, at: last.at })
    .where('estate', '=', estate)
    .where('chain', '=', head.of)
    .execute();
  for (const entry of entries) await publishEvents(trx, entry.at, wordsOf(estate, entry));
  return last;
}

/** Numbers come from a sequence, which nobody locks: some of them stay unused where a transaction came to nothing. */
async function drawn(trx: Write, numbers: string, count: number): Promise<readonly number[]> {
  if (count === 0) return [];
  const { rows } = await sql<{ seq: number }>`
    SELECT unnest(setpoint.draw_numbers(${numbers}, ${count}::integer)) AS seq`.execute(trx);
  return rows.map(({ seq }) => seq);
}

/** The connection was lost, so nobody knows whether a COMMIT over it was carried out. */
const isLost = (error: unknown): boolean => isUnavailable(error) || isRefused(error);

/** Makes a transaction again that another one was in the way of, and that is undone for certain, for as long as writes are tried. */
export async function untilFree<T>(attempt: () => Promise<T>): Promise<T> {
  const from = performance.now();
  for (let pause = pauseMs; ; pause *= 2) {
    try {
      return await attempt();
    } catch (error) {
      if (!isInTheWay(error) || performance.now() - from + pause > longestMs) throw error;
    }
    await sleep(pause);
  }
}

/** Another transaction was in the way: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const isInTheWay = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(40|55P03)/.test(error.code ?? '');

/** If no connection was ever made, the caller gets the error at once. */
const isWorthAnother = (error: unknown, isUnanswered: boolean): boolean =>
  isInTheWay(error) || (isUnanswered ? isLost(error) : isUnavailable(error));

const isRefused = (error: unknown): boolean => error instanceof Declined && error.because === 'away';

/** In characters: watchers read all of a reason in the ledger. */
const mostReason = 300;

/** The events of a ledger entry: for a note that names a person, the decision, its subject and its reason. Else none. */
export function wordsOf(estate: string, { seq, type, body }: Linked): readonly EventDraft[] {
  if (type !== 'note') return [];
  const [[word, said] = []] = Object.entries(fieldsOf(body['note']));
  const note = fieldsOf(said);
  const person = note['person'] ?? fieldsOf(note['by'])['person'] ?? fieldsOf(note['authority'])['approver'];
  const reason = note['reason'] ?? fieldsOf(note['by'])['reason'];
  if (word === undefined || typeof person !== 'string') return [];
  const about = { word, seq, person, ...(typeof reason === 'string' ? { reason: reason.slice(0, mostReason) } : {}) };
  return [{ estate, type: 'word', ...ownersOf(fieldsOf(note['of'])), about: { ...about, ...onWhat(note) } }];
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? { ...value } : {});

/** The subject of the decision, where the note has it. */
const onWhat = (note: Fields): Fields =>
  Object.fromEntries(
    (['scope', 'what', 'of', 'revision', 'generation', 'documents'] as const)
      .map((field) => [field, note[field]] as const)
      .filter(([, value]) => value !== undefined),
  );

/** An entry that holds one target or owner is for those who may see it; any other is for all. */
function ownersOf({ by, name }: Fields): Pick<EventDraft, 'targets' | 'owner'> {
  if (typeof name !== 'string') return {};
  if (by === 'target') return { targets: [name] };
  return by === 'owner' ? { owner: name } : {};
}
