import { sql } from 'kysely';
import type { ScopeKey } from '../core/resource.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import { type Acquired, type HeldLease, type Lease, LeaseLost, type Leases } from '../ports/leases.ts';
import type { Reconcile } from '../ports/ledger.ts';
import type { Database, Write } from './tables.ts';

/** Of the time to live: how often it is renewed, and how soon again after a renewal that failed. */
const renewPart = 1 / 3;
const retryPart = 1 / 12;

/** Leases of this process. `close` gives back all that it still holds. */
interface PostgresLeases extends Leases {
  /**
   * The time that this process still holds the lease of a reconcile, in ms; undefined where it never held it or gave it back.
   */
  left(reconcile: Pick<Reconcile, 'estate' | 'scope' | 'lease'>): number | undefined;
  close(): Promise<void>;
}

interface Terms {
  readonly ttlMs: number;
  /** Told when a lease was given back. */
  readonly onRelease: (estate: string) => Promise<void>;
}

/** A holder that stops renewing loses its lease after `ttlMs`; it renews every third of that. */
export function postgresLeases(db: Database, clock: Clock, { ttlMs, onRelease }: Terms): PostgresLeases {
  const held = new Map<string, Lease>();
  return {
    acquire: async (estate, scope, holder): Promise<Acquired> => {
      const start = momentBy(clock);
      const epoch = await take(db, { estate, scope, holder }, ttlMs);
      if (epoch === undefined) return refusal(db, estate, scope);
      const row = { estate, scope, holder, epoch };
      const lease = keep({ db, clock, row, ttlMs, until: deadline(clock, ttlMs, start), onRelease });
      held.set(`${estate} ${scope}`, lease);
      return { ok: true, lease };
    },
    held: (estate) => heldLeases(db, estate),
    close: async () => {
      for (const lease of held.values()) await lease.release();
    },
    left: ({ estate, scope, lease: { epoch, holder } }) => {
      const lease = held.get(`${estate} ${scope}`);
      return lease?.epoch === epoch && lease.holder === holder ? lease.remainingMs() : undefined;
    },
  };
}

interface Row {
  readonly estate: string;
  readonly scope: ScopeKey;
  readonly holder: string;
  readonly epoch: number;
}

const expiry = (ttlMs: number) => sql<Date>`clock_timestamp() + ${ttlMs} * interval '1 millisecond'`;

/** The epoch, where nobody holds the lease or its time ran out by the database's clock. */
async function take(
  db: Database,
  { estate, scope, holder }: Omit<Row, 'epoch'>,
  ttlMs: number,
): Promise<number | undefined> {
  const expires_at = expiry(ttlMs);
  const since = sql<Date>`clock_timestamp()`;
  const taken = await db
    .insertInto('leases')
    .values({ estate, scope, holder, epoch: 1, since, expires_at })
    .onConflict((conflict) =>
      conflict
        .columns(['estate', 'scope'])
        .doUpdateSet(({ eb }) => ({ holder, epoch: eb('leases.epoch', '+', 1), since, expires_at }))
        .where('leases.expires_at', '<=', since),
    )
    .returning('epoch')
    .executeTakeFirst();
  return taken?.epoch;
}

async function refusal(db: Database, estate: string, scope: ScopeKey): Promise<Acquired> {
  const { holder, since } = await db
    .selectFrom('leases')
    .select(['holder', 'since'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .executeTakeFirstOrThrow();
  return { ok: false, heldBy: holder, since: since.getTime() };
}

async function heldLeases(db: Database, estate: string | undefined): Promise<readonly HeldLease[]> {
  let query = db
    .selectFrom('leases')
    .select(['estate', 'scope', 'holder', 'epoch', 'since'])
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .orderBy('estate')
    .orderBy('scope');
  if (estate !== undefined) query = query.where('estate', '=', estate);
  return (await query.execute()).map((row) => ({ ...row, since: row.since.getTime() }));
}

interface Held {
  readonly db: Database;
  readonly clock: Clock;
  readonly row: Row;
  readonly ttlMs: number;
  readonly until: Deadline;
  readonly onRelease: Terms['onRelease'];
}

/** Renews until it is released or lost. */
function keep(held: Held): Lease {
  const { row, until } = held;
  const lost = new AbortController();
  const done = new AbortController();
  const lose = (): void => {
    until.end();
    done.abort();
    lost.abort(new LeaseLost(row.scope, row.holder));
  };
  void renewing(held, done.signal).then((gone) => gone && lose());
  void watching(held, done.signal).then((over) => over && lose());
  return {
    epoch: row.epoch,
    holder: row.holder,
    remainingMs: until.remainingMs,
    signal: lost.signal,
    release: async () => {
      if (done.signal.aborted) return;
      until.end();
      done.abort();
      await giveBack(held);
      await held.onRelease(row.estate);
    },
  };
}

/** True once the database says that the lease is no longer ours; false when done. */
async function renewing({ db, clock, row, ttlMs, until }: Held, done: AbortSignal): Promise<boolean> {
  for (let pause = ttlMs * renewPart; await slept(clock, pause, done); ) {
    const asked = momentBy(clock);
    try {
      if (!(await renew(db, row, ttlMs))) return true;
      until.extend(asked);
      pause = ttlMs * renewPart;
    } catch {
      // why: the database may be away for a moment; `watching` ends the lease when its time is over.
      pause = ttlMs * retryPart;
    }
  }
  return false;
}

/** True once the time is over, even while a renewal hangs; false when done. */
async function watching({ clock, until }: Held, done: AbortSignal): Promise<boolean> {
  while (await slept(clock, Math.max(1, until.remainingMs()), done)) if (until.remainingMs() <= 0) return true;
  return false;
}

const slept = (clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> =>
  clock.sleep(ms, signal).then(
    () => !signal.aborted,
    () => false,
  );

async function renew(db: Database, { estate, scope, holder, epoch }: Row, ttlMs: number): Promise<boolean> {
  const renewed = await db
    .updateTable('leases')
    .set({ expires_at: expiry(ttlMs) })
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('epoch', '=', epoch)
    .where('holder', '=', holder)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .returning('epoch')
    .execute();
  return renewed.length > 0;
}

/** No holder and no time left: free for the next, closed to writes of this one. */
async function giveBack({ db, row: { estate, scope, holder, epoch } }: Held): Promise<void> {
  const query = db
    .updateTable('leases')
    .set({ holder: '', expires_at: sql<Date>`clock_timestamp()` })
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('epoch', '=', epoch)
    .where('holder', '=', holder);
  // why: a lease that cannot be given back runs out by itself, and whoever releases it is on the way out.
  await query.execute().catch(() => {});
}

/** The rest of a lease, by this process's own clock. */
export interface Deadline {
  remainingMs(): number;
  /** Counts from `since`, a moment taken before the database was asked. */
  extend(since: Moment): void;
  /** Over at once, for good. */
  end(): void;
}

interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export const momentBy = (clock: Clock): Moment => ({ monotonic: performance.now(), wall: clock.now() });

/**
 * The sooner of two clocks: the monotonic one, which nobody can set, and the wall clock, which goes on while a machine
 * sleeps. Each can only end a lease too early.
 */
export function deadline(clock: Clock, ttlMs: number, start: Moment): Deadline {
  let since = start;
  let over = false;
  return {
    remainingMs: () => {
      const { monotonic, wall } = momentBy(clock);
      return over ? 0 : ttlMs - Math.max(monotonic - since.monotonic, wall - since.wall);
    },
    extend: (moment) => {
      since = moment;
    },
    end: () => {
      over = true;
    },
  };
}

/** `settle`: the writes of the reconcile were sent while it held its lease. */
export type LeasePurpose = 'begin' | 'settle';

/**
 * Throws `LeaseLost` unless the reconcile holds its scope's newest lease, and keeps others from taking it until this transaction
 * ends. `begin`: it must not have run out either; what was already sent may be settled as long as nobody took the lease.
 */
export async function checkLease(
  trx: Write,
  { estate, scope, lease }: Reconcile,
  purpose: LeasePurpose,
): Promise<void> {
  let query = trx
    .selectFrom('leases')
    .select('epoch')
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('epoch', '=', lease.epoch)
    .where('holder', '=', lease.holder)
    .forShare();
  if (purpose === 'begin') query = query.where('expires_at', '>', sql<Date>`clock_timestamp()`);
  if (!(await query.executeTakeFirst())) throw new LeaseLost(scope, lease.holder);
}
