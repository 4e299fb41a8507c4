import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { tellingAway } from './away.ts';
import type { Database, Tables } from './tables.ts';

/** How to reach a database, and as which role to work in it. `config`: part by part, as what a `connectionString` says would replace what is ours. */
export interface Reach {
  readonly config: pg.ClientConfig;
  /** Taken after connecting, where the connection's own user may do more than the application should. */
  readonly role?: string;
}

/** A pool for questions of people: it writes nothing, and gives a statement 5 s. No connection is made before one is asked. */
export const connectReading = (reach: Reach): Database =>
  connect(reach, 10_000, ['SET default_transaction_read_only = on', 'SET statement_timeout = 5000', 'SET jit = off']);

/** A pool of connections. A process that is stopped in the middle of a transaction loses it after `idleMs`, and its locks. */
export function connect({ config, role }: Reach, idleMs: number, settings: readonly string[] = []): Database {
  const pool = new pg.Pool({
    ...config,
    types: { getTypeParser: parserOf },
    max: 10,
    application_name: config.application_name ?? 'setpoint',
    connectionTimeoutMillis: 10_000,
    idle_in_transaction_session_timeout: idleMs,
  });
  // why: a broken connection leaves the pool by itself, and whoever uses it is told by his query; without listeners, on the
  // pool for idle ones and on each for those in use, it would end the process.
  pool.on('error', () => {}).on('connect', (client) => void client.on('error', () => {}));
  const dialect = new PostgresDialect({
    pool: tellingAway(pool),
    onCreateConnection: async (connection) => {
      if (role !== undefined) await connection.executeQuery(CompiledQuery.raw(`SET ROLE ${role}`));
      for (const setting of settings) await connection.executeQuery(CompiledQuery.raw(setting));
    },
  });
  return new Kysely<Tables>({ dialect }).withSchema('setpoint');
}

/** `bigint` becomes a number: what we count and time stays far below 2^53. */
const parserOf: pg.CustomTypesConfig['getTypeParser'] = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format);
