import pg from 'pg';
import { queueSchema } from './postgres-schema.ts';

/** Connections to one server, a pool for each queue and worker. */
export interface Pools {
  one(): pg.Pool;
  /** Once nobody uses them. */
  end(): Promise<void>;
}

/** Few for each: four, and the one that a worker listens on. */
const most = 5;

/**
 * Our own, and not BullMQ's: it listens to the errors of a connection too late, and one that is lost before ends the process.
 * `config`: part by part, as the `options` of a `connectionString` would replace the path to the queue.
 */
export function poolsOf(config: pg.ClientConfig): Pools {
  const pools: pg.Pool[] = [];
  const path = `-c search_path=${pg.escapeIdentifier(queueSchema)}`;
  const one = (): pg.Pool => {
    const pool = new pg.Pool({
      ...config,
      options: config.options === undefined ? path : `${config.options} ${path}`,
      max: most,
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
      application_name: config.application_name ?? 'setpoint queue',
    });
    pool.on('error', () => {}).on('connect', (client) => void client.on('error', () => {}));
    pools.push(pool);
    return pool;
  };
  return { one, end: async () => void (await Promise.all(pools.map((pool) => pool.end()))) };
}
