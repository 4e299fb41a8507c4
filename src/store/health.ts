import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { Declined } from '../ports/queries.ts';
import type { StoreFailure, StoreHealth } from '../ports/store.ts';
import type { Database } from './tables.ts';

export function postgresHealth(db: Database, reading: Database): StoreHealth {
  const process = randomUUID();
  return {
    readable: async () => void (await sql`SELECT 1`.execute(reading)),
    writable: () => probe(db, process),
    failureOf: storeFailureOf,
  };
}

/**
 * A row of its own, so that a process that stands still keeps nobody waiting; and a sort that does not fit into 64 kB, which
 * PostgreSQL writes to disk and forgets: a full disk refuses it, while a row may still fit into a page that is there.
 */
const probe = (db: Database, process: string): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await sql`SET LOCAL statement_timeout = 5000`.execute(trx);
    await sql`SET LOCAL work_mem = '64kB'`.execute(trx);
    await sql`
      SELECT count(*) FROM (
        SELECT md5(number::text) FROM generate_series(1, 4000) AS number ORDER BY 1 OFFSET 0
      ) AS sorted`.execute(trx);
    await sql`
      INSERT INTO setpoint.write_probes (process, at) VALUES (${process}, clock_timestamp())
      ON CONFLICT (process) DO UPDATE SET at = excluded.at`.execute(trx);
    await sql`DELETE FROM setpoint.write_probes WHERE at < clock_timestamp() - interval '1 day'`.execute(trx);
  });

/**
 * By the code of the error that was thrown, or of one of its causes. Classes and codes:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const sqlStates: readonly (readonly [RegExp, StoreFailure['as']])[] = [
  // Connection exceptions; insufficient resources, a full disk (53100) among them; a shutdown or a start; I/O errors.
  [/^(08|53|57P|58)/, 'unavailable'],
  // The server ended a session that idled in a transaction: https://www.postgresql.org/docs/current/runtime-config-client.html
  [/^25P03$/, 'unavailable'],
  // A server that only reads, as a standby after a failover.
  [/^25006$/, 'unavailable'],
  // Deadlock and serialisation failure; a lock that was not had in time.
  [/^(40|55P03$)/, 'conflict'],
  [/^57014$/, 'cancelled'],
];

export function storeFailureOf(error: unknown): StoreFailure | undefined {
  for (const one of causesOf(error)) {
    const as = failureAs(one);
    if (as !== undefined) return { as, code: codeOf(one) || 'no connection' };
  }
  return undefined;
}

/** A socket's own error alone says nothing: a cloud has sockets too. `Declined` says that it was the database's. */
function failureAs(error: Error): StoreFailure['as'] | undefined {
  if (error instanceof pg.DatabaseError) return sqlStates.find(([states]) => states.test(codeOf(error)))?.[1];
  if (error instanceof Declined) return error.because === 'away' ? 'unavailable' : undefined;
  return lostConnection.test(error.message) ? 'unavailable' : undefined;
}

/** Throws it again; an error of a socket as `Declined`, so that nobody takes it for one of a cloud. */
export function unlessLost(error: unknown): never {
  if (!sockets.has(codeOf(error))) throw error;
  throw new Declined(
    'away',
    `Setpoint lost the connection to its database (${codeOf(error)}), so the request did not finish. Try again in a few seconds.`,
    {
      cause: error,
    },
  );
}

/** True where an error means that the database is unreachable, or takes no work for a while. */
export const isUnavailable = (error: unknown): boolean =>
  sockets.has(codeOf(error)) || storeFailureOf(error)?.as === 'unavailable';

/** The messages of `pg` for which it has no code. */
const lostConnection = /timeout exceeded when trying to connect|Connection terminated|is not queryable/;

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code ?? '') : '');

function causesOf(error: unknown, depth = 0): readonly Error[] {
  if (!(error instanceof Error) || depth > 8) return [];
  return [error, ...causesOf(error.cause, depth + 1)];
}

const sockets: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);

/** Throws it again, as `Declined` where the database is unavailable. */
export function unlessAway(error: unknown): never {
  throw isUnavailable(error) ? new Declined('away', away(error), { cause: error }) : error;
}

/** Names only the code of the reason: callers must not learn the address of the database. */
const away = (error: unknown): string =>
  `Setpoint cannot reach its database (${codeOf(error) || 'no connection, or a lost one'}), so the request failed. Try again in a few seconds.`;

const pausesMs = [100, 500] as const;

/**
 * Asks again over another connection where one is lost on the way. For reads, and for writes that may be repeated. The server ends a
 * transaction that idles, and a process that loads a cloud's SDK on a busy machine idles for seconds.
 */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (const pause of pausesMs) {
    try {
      return await ask();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
    await sleep(pause);
  }
  return ask();
}

/**
 * For reads alone. Declines a query that the server cancelled after its time limit: the caller can ask for less. Declines a query
 * whose server went away, too: it changed nothing, and the caller can repeat it.
 */
export const inTime = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    // https://www.postgresql.org/docs/current/errcodes-appendix.html: query_canceled
    const isLate = error instanceof pg.DatabaseError && error.code === '57014';
    if (isLate) throw new Declined('too-many', tooLong, { cause: error });
    return unlessAway(error);
  });

const tooLong =
  'The database cancelled the query after 5 s, because it reads too many rows. Narrow the request by cloud, account or kind.';
