import type { PostgresPool } from 'kysely';
import pg from 'pg';
import { Declined } from '../ports/declined.ts';
import { preparing } from './prepared.ts';

/** The pool, whose connections fail as `Declined` where the database is away: whoever asks comes again. */
export const tellingAway = (pool: pg.Pool): PostgresPool => ({
  connect: () => pool.connect().then(preparing, unlessAway),
  end: () => pool.end(),
  options: pool.options,
});

/** Throws it again, as `Declined` where it is that the database is away. */
export function unlessAway(error: unknown): never {
  throw isAway(error) ? new Declined('away', away(error), { cause: error }) : error;
}

/** Of the reason only its code: where the database is, is nothing for whoever asks. */
const away = (error: unknown): string =>
  `The database cannot be reached (${codeOf(error) || 'no connection, or it was lost'}): ask again in a few seconds.`;

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code ?? '') : '');

/**
 * No connection, no room for one, or one that the server ends, also for being idle in a transaction for too long (25P03), and
 * whatever is asked over it afterwards: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof pg.DatabaseError) return /^(08|53|57P|25P03)/.test(error.code ?? '');
  return (
    sockets.has(codeOf(error)) ||
    /timeout exceeded when trying to connect|Connection terminated|is not queryable/.test(error.message)
  );
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
