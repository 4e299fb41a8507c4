import { sql } from 'kysely';
import type { Clock } from '../ports/clock-and-log.ts';
import type { EventDraft, EventPage, Events, ResourceOwners, StoredEvent, StoredEventType } from '../ports/events.ts';
import type { Context } from './context.ts';
import { forgetEvents } from './retention.ts';
import { endReaders } from './roles.ts';
import { sha256 } from './signing.ts';
import { inChunks } from './statements.ts';
import type { Database, Write } from './tables.ts';

export function postgresEvents({ db, clock, store }: Pick<Context, 'db' | 'clock' | 'store'>): Events {
  const seen = blockedReaderCheck(clock, () => endReaders(db));
  return {
    after: (place, limit) => after({ db, store, place, seen }, limit),
    newest: async () => {
      const [row] = await read(db, { position: origin, limit: 0 });
      if (row === undefined) throw new Error(nothing);
      return placeOf(databaseOf(store, row), { tx: BigInt(row.xmin), number: 0n });
    },
  };
}

const nothing = 'the table setpoint.forgotten_happenings is empty: it has one row, made with it. Restore the database.';
const origin: Position = { tx: 0n, number: 0n };

interface Asked {
  readonly db: Database;
  readonly store: string;
  readonly place: string;
  seen(edge: Edge): Promise<void>;
}

async function after({ db, store, place, seen }: Asked, limit: number): Promise<EventPage> {
  const name = place.slice(0, place.indexOf('-'));
  const position = positionOf(name, place);
  const rows = await read(db, { position: position ?? origin, limit: position ? limit : 0 });
  const [edge] = rows;
  if (edge === undefined) throw new Error(nothing);
  const { waits } = edge;
  await seen(edge);
  const database = databaseOf(store, edge);
  const end = placeOf(database, { tx: BigInt(edge.xmin), number: 0n });
  if (position === undefined || name !== database || edge.gone)
    return { events: [], place: end, more: false, gone: true, waits };
  const events = rows.flatMap((row) => (row.tx === null ? [] : [eventOf(database, row)]));
  const last = events.at(-1);
  const more = events.length === limit && last !== undefined;
  return { events, place: more ? last.place : end, more, gone: false, waits };
}

/** The end of the readable range, in every row; and the event, null where there was none. */
type Row = Edge & (Found | { readonly tx: null });

interface Edge {
  readonly system: string;
  readonly xmin: string;
  readonly waits: boolean;
  readonly gone: boolean;
}

interface Found extends FoundWhose {
  readonly tx: string;
  readonly number: number;
  readonly at: number;
  readonly type: StoredEventType;
  readonly about: StoredEvent['about'];
}

interface FoundWhose {
  readonly estate: string;
  readonly targets: readonly string[] | null;
  readonly owner: string | null;
  readonly not_to: ResourceOwners | null;
}

/**
 * One statement, so one snapshot: below its xmin every transaction has ended, and no row can come to be seen there any more. A
 * place is never above the xmin that it was given at, and that only rises: one that is comes from a database that went back.
 */
async function read(
  db: Database,
  { position, limit }: { readonly position: Position; readonly limit: number },
): Promise<readonly Row[]> {
  const tx = sql`${String(position.tx)}::xid8`;
  const number = sql`${String(position.number)}::bigint`;
  const { rows } = await sql<Row>`
    SELECT edge.system, edge.xmin, edge.waits, edge.gone, found.*
    FROM (
      SELECT (SELECT system_identifier FROM pg_control_system())::text AS system,
        pg_snapshot_xmin(pg_current_snapshot())::text AS xmin,
        coalesce((
          SELECT newest.tx >= pg_snapshot_xmin(pg_current_snapshot()) FROM setpoint.happenings AS newest
          ORDER BY newest.tx DESC, newest.number DESC LIMIT 1
        ), false) AS waits,
        (${tx}, ${number}) < (known.tx, known.number) OR ${tx} > pg_snapshot_xmin(pg_current_snapshot()) AS gone
      FROM setpoint.forgotten_happenings AS known
    ) AS edge
    LEFT JOIN LATERAL (
      SELECT tx::text, number, at, estate, type, targets, owner, about, not_to FROM setpoint.happenings AS event
      WHERE (event.tx, event.number) > (${tx}, ${number}) AND event.tx < pg_snapshot_xmin(pg_current_snapshot())
      ORDER BY event.tx, event.number LIMIT ${limit}
    ) AS found ON NOT edge.gone`.execute(db);
  return rows;
}

/** A copy of a database counts its transactions anew, or on by itself: its places are others. */
const databaseOf = (store: string, { system }: Edge): string => sha256(`${store} ${system}`).slice(0, 12);

const eventOf = (database: string, row: Found): StoredEvent => ({
  place: placeOf(database, { tx: BigInt(row.tx), number: BigInt(row.number) }),
  at: row.at,
  estate: row.estate,
  type: row.type,
  ...(row.targets === null ? {} : { targets: row.targets }),
  ...(row.owner === null ? {} : { owner: row.owner }),
  about: row.about,
  ...(row.not_to === null ? {} : { notTo: row.not_to }),
});

/** In characters of JSON. A larger event is sent without `about`: watchers read it where it is kept. */
const mostAbout = 4096;

/** One in so many clears away what is too old. */
const every = 100;

/**
 * Publishes events to watchers, once the transaction has ended: call it in the very transaction that makes them true. `at`: ms
 * since the epoch, as of the transaction. Watchers get them in the order given.
 */
export async function publishEvents(trx: Write, at: number, drafts: readonly EventDraft[]): Promise<void> {
  const rows = drafts.map(({ estate, type, targets = null, owner = null, about, notTo }) => ({
    ...{ estate, type, targets, owner, at },
    about: small(JSON.stringify(about)),
    not_to: notTo === undefined ? null : JSON.stringify(notTo),
  }));
  await inChunks(rows, async (chunk) => {
    const made = await trx.insertInto('happenings').values(chunk).returning('number').execute();
    const due = made.find(({ number }) => number % every === 0);
    if (due) await forgetEvents(trx, at, due.number);
  });
}

const small = (about: string): string => (about.length > mostAbout ? '{"omitted":true}' : about);

/** The position among all events: by transaction, then by number in the database. */
interface Position {
  readonly tx: bigint;
  readonly number: bigint;
}

/** `<database>-<tx><number>` in hexadecimal digits of fixed width, so that places of one database sort as texts. */
const placeOf = (database: string, { tx, number }: Position): string => `${database}-${hex(tx)}${hex(number)}`;

/** Undefined: not one of this database's. */
function positionOf(database: string, place: string): Position | undefined {
  const [, of, tx = '', number = ''] = /^([0-9a-f]+)-([0-9a-f]{16})([0-9a-f]{16})$/.exec(place) ?? [];
  if (of !== database) return undefined;
  const position = { tx: BigInt(`0x${tx}`), number: BigInt(`0x${number}`) };
  return position.number > mostBigint ? undefined : position;
}

/** https://www.postgresql.org/docs/current/datatype-numeric.html */
const mostBigint = 2n ** 63n - 1n;

const hex = (value: bigint): string => value.toString(16).padStart(16, '0');

/** The end of the range that may be sent, and whether something beyond waits. */
interface Watermark {
  readonly xmin: string;
  readonly waits: boolean;
}

/** In ms: our own transactions end sooner, or are ended. */
const longMs = 5000;

/** Called with each watermark that is seen. It calls `free` where one has not moved for 5 s though something waits, and every 5 s then. */
function blockedReaderCheck(clock: Clock, free: () => Promise<void>): (edge: Watermark) => Promise<void> {
  let stood: string | undefined;
  let since = 0;
  return async ({ xmin, waits }) => {
    const at = waits ? xmin : undefined;
    const now = clock.now();
    if (at === undefined || at !== stood) {
      stood = at;
      since = now;
    } else if (now - since >= longMs) {
      since = now;
      await free();
    }
  };
}
