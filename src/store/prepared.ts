import { type PostgresCursor, type PostgresPoolClient, type PostgresQueryResult, sql } from 'kysely';
import type pg from 'pg';
import { unlessLost } from './health.ts';

const mark = '/* prepared */';

/**
 * Stands at the beginning of a query that looks by keys: PostgreSQL plans it once for each connection and not every time,
 * which is most of its cost. Only where any values are looked for in the same way, and where columns are named: a statement
 * that is kept fails once what its star means has changed.
 */
export const prepared = sql.raw(mark);

/** What is asked for in more ways than this is planned every time, so that no connection keeps more and more. */
const mostNames = 200;

const names = new Map<string, string>();

const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();

/** A connection that keeps what is marked as prepared. The same one for the same client: that is how Kysely knows it. */
export function preparing(client: pg.PoolClient): PostgresPoolClient {
  const known = clients.get(client);
  if (known) return known;
  function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  function query(text: string | PostgresCursor<unknown>, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new TypeError('the store asks through no cursor');
    const name = text.startsWith(mark) ? nameOf(text) : undefined;
    return client.query({ text, values: [...values], ...(name === undefined ? {} : { name }) }).catch(unlessLost);
  }
  const made: PostgresPoolClient = { query, release: (destroy) => client.release(destroy) };
  clients.set(client, made);
  return made;
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= mostNames) return known;
  const name = `setpoint_${names.size}`;
  names.set(text, name);
  return name;
}
