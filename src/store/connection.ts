import {
  CompiledQuery,
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  sql,
} from 'kysely';
import pg from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import { messageOf } from '../core/text.ts';
import { unlessAway, unlessLost } from './health.ts';
import type { Database, Tables } from './tables.ts';

/**
 * The address of a database, and the role to work in. `config`: part by part, as a `connectionString` would replace our
 * settings.
 */
export interface Reach {
  readonly config: pg.ClientConfig;
  /** Taken after connecting, where the connection's own user may do more than the application should. */
  readonly role?: string;
}

/** The bounds of a pool. `answerMs`: a connection that is silent for so long is given up. */
interface Bounds {
  readonly most: number;
  /** A process that is stopped in the middle of a transaction loses it after so long, and its locks. */
  readonly idleMs: number;
  readonly answerMs: number;
  readonly settings?: readonly string[];
}

/** So many writes to chains go side by side, and so many connections there are for them and for leases. */
export const writesAtOnce = 4;
const writers = writesAtOnce + 2;

/** A pool for questions of people: it writes nothing, and gives a statement 5 s. No connection is made before one is asked. */
export const connectReading = (reach: Reach): Database =>
  pooled(reach, {
    most: 10,
    idleMs: 10_000,
    answerMs: 8_000,
    settings: ['default_transaction_read_only = on', 'statement_timeout = 5000', 'jit = off'],
  });

export const connect = (reach: Reach, leaseMs: number): Database =>
  pooled(reach, { most: 8, idleMs: leaseMs, answerMs: 10_000 });

/**
 * A pool for writes to chains and for leases, which others wait for. Nobody waits longer than 3 s for a lock, so an answer that does not
 * come in 5 s is lost.
 */
export const connectWriting = (reach: Reach, leaseMs: number): Database =>
  pooled(reach, {
    most: writers,
    idleMs: Math.min(leaseMs / 2, 5_000),
    answerMs: 5_000,
    settings: ['lock_timeout = 3000'],
  });

/** A pool for shares of rate budgets, which reconciles wait for: one query at a time, and one more for readers of these. */
export const connectBudgets = (reach: Reach): Database =>
  pooled(reach, { most: 2, idleMs: 5_000, answerMs: 3_000, settings: ['lock_timeout = 2000'] });

/**
 * By these the server finds out that a client is gone, and tells older programs from this one.
 * https://www.postgresql.org/docs/current/runtime-config-connection.html#RUNTIME-CONFIG-TCP-SETTINGS
 */
const always = [
  "setpoint.version = '2'",
  'tcp_keepalives_idle = 5',
  'tcp_keepalives_interval = 2',
  'tcp_keepalives_count = 3',
  'tcp_user_timeout = 10000',
];

function pooled({ config, role }: Reach, { most, idleMs, answerMs, settings = [] }: Bounds): Database {
  const pool = new pg.Pool({
    ...config,
    types: { getTypeParser: parserOf },
    max: most,
    application_name: config.application_name ?? 'setpoint',
    connectionTimeoutMillis: 10_000,
    idle_in_transaction_session_timeout: idleMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  });
  // why: a broken connection leaves the pool by itself, and whoever uses it is told by his query; without listeners, on the
  // pool for idle ones and on each for those in use, it would end the process.
  pool.on('error', () => {}).on('connect', (client) => void client.on('error', () => {}));
  const dialect = new PostgresDialect({
    pool: answering(pool, answerMs),
    onCreateConnection: async (connection) => {
      if (role !== undefined) await connection.executeQuery(CompiledQuery.raw(`SET ROLE ${role}`));
      const text = [...always, ...settings].map((setting) => `SET ${setting}`).join('; ');
      await connection.executeQuery(CompiledQuery.raw(text));
    },
  });
  return new Kysely<Tables>({ dialect }).withSchema('setpoint');
}

/** `bigint` becomes a number: what we count and time stays far below 2^53. */
const parserOf: pg.CustomTypesConfig['getTypeParser'] = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format);

/**
 * The pool, whose connections answer within `answerMs` or are given up. A connection that says nothing may have lost its way without a
 * word, and with it all others that were silent since: these are not used again either. Those that cannot be made fail as `Declined`.
 */
function answering(pool: pg.Pool, answerMs: number): PostgresPool {
  const watched = new WeakMap<pg.PoolClient, Watched>();
  const doubt = { since: Number.NEGATIVE_INFINITY };
  const connect = async (): Promise<PostgresPoolClient> => {
    for (;;) {
      const client = await pool.connect().catch(unlessAway);
      const known = watched.get(client);
      if (known === undefined) {
        const made = watch(client, { answerMs, doubt });
        watched.set(client, made);
        return made.client;
      }
      if (known.heardAt() > doubt.since) return known.client;
      client.release(true);
    }
  };
  return { connect, end: () => pool.end(), options: pool.options };
}

interface Watched {
  readonly client: PostgresPoolClient;
  /** When it answered last, by the monotonic clock. */
  heardAt(): number;
}

interface Watching {
  readonly answerMs: number;
  readonly doubt: { since: number };
}

function watch(client: pg.PoolClient, { answerMs, doubt }: Watching): Watched {
  const asking = preparing(client);
  let heardAt = performance.now();
  let isSilent = false;

  const asked = async (text: string, values: readonly unknown[]) => {
    if (isSilent) throw silence(answerMs);
    const { promise: late, reject } = Promise.withResolvers<never>();
    // why: where this process stood still, an answer may be there by now, and is read before `setImmediate`
    const timer = setTimeout(() => setImmediate(giveUp), answerMs);
    let isOver = false;
    const giveUp = (): void => {
      if (isOver) return;
      isSilent = true;
      doubt.since = performance.now();
      reject(silence(answerMs));
    };
    try {
      const answer = await Promise.race([asking.query<unknown>(text, values), late]);
      heardAt = performance.now();
      return answer;
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  };

  return {
    heardAt: () => heardAt,
    client: {
      query: asked as PostgresPoolClient['query'], // why: the store asks through no cursor, which is the other form of it
      // why: a released client that still has a query on its way has its socket destroyed
      release: (destroy) => asking.release(isSilent ? true : destroy),
    },
  };
}

/** As the system says it of a connection that it gave up itself. */
const silence = (answerMs: number): Error =>
  Object.assign(new Error(`Connection terminated: the database gave no answer for ${answerMs / 1000} s`), {
    code: 'ETIMEDOUT',
  });

const mark = '/* prepared */';

/**
 * Stands at the beginning of a query that looks by keys: PostgreSQL plans it once for each connection and not every time,
 * which is most of its cost. Only where any values are looked for in the same way, and where columns are named: a statement
 * that is kept fails once what its star means has changed.
 */
export const prepared = sql.raw(mark);

/** With more statements than this, a query is planned every time, so that no connection keeps more and more. */
const mostNames = 200;

const names = new Map<string, string>();

const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();

/** A connection that keeps what is marked as prepared. The same one for the same client: that is how Kysely knows it. */
function preparing(client: pg.PoolClient): PostgresPoolClient {
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

/**
 * The parts of a DATABASE_URL. Given to pg whole, it would replace our own settings: its `options` our search path, its time
 * limits ours. Settings that pg reads from no URL (`max`, `log`) are ignored here too. Throws where it is not valid, without
 * showing it.
 */
export function fromDatabaseUrl(databaseUrl: string): pg.ClientConfig {
  const said = parsed(databaseUrl);
  const { user, password, host, port, database, ssl, sslnegotiation, client_encoding, options, ...rest } = said;
  const { application_name, fallback_application_name } = rest;
  const { statement_timeout, lock_timeout, idle_in_transaction_session_timeout, query_timeout } = rest;
  return {
    ...{ user, password, host, port, database, ssl, sslnegotiation, client_encoding, options },
    ...{ application_name, fallback_application_name },
    ...{ statement_timeout, lock_timeout, idle_in_transaction_session_timeout, query_timeout },
  };
}

/** As `pg-connection-string` tells them apart: a URL, or a folder with a socket. Any other text it takes for a host of its own making. */
const readable = /^(postgres(ql)?:\/\/|socket:|\/)/i;

function parsed(databaseUrl: string): pg.ClientConfig {
  if (!readable.test(databaseUrl)) throw unreadable('it does not begin with postgres://');
  try {
    const said = parse(databaseUrl);
    return toClientConfig({ ...said, ...(typeof said.ssl === 'string' && { ssl: tlsOf(said.ssl) }) });
  } catch (error) {
    throw unreadable(messageOf(error), error);
  }
}

const unreadable = (why: string, cause?: unknown): Error =>
  new Error(
    `DATABASE_URL cannot be read: ${why}. It has the form postgres://user:password@host:5432/database, with other characters of a password than letters and digits as %XX.`,
    { cause },
  );

/** As pg takes `ssl=…`, which it does not tell in its own words: any text is TLS, and one that does not check who answers. */
const tlsOf = (ssl: string) => (ssl === 'no-verify' ? { rejectUnauthorized: false } : true);
