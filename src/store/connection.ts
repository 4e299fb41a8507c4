import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { answering } from './answering.ts';
import type { Database, Tables } from './tables.ts';

/** How to reach a database, and as which role to work in it. `config`: part by part, as what a `connectionString` says would replace what is ours. */
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

/** A pool for shares of rate budgets, which passes wait for: one question at a time, and one more for whoever looks at them. */
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
